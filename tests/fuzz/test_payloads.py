"""Every family has, for a made-up payload, an oracle that passes and mutations that fail."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import import_module
from itertools import islice

import pytest
from hypothesis import assume, given, settings
from hypothesis.strategies import SearchStrategy

from pytest_quotebench.audit import tree_mutations
from pytest_quotebench.core.execution import Invocation
from pytest_quotebench.core.judge import check_state, extra_entries, judge
from pytest_quotebench.core.limits import Limits
from pytest_quotebench.core.task import Task
from pytest_quotebench.core.text import has_surrogate, to_bytes
from pytest_quotebench.sandboxes import Sandbox
from quotebench_tasks import families
from quotebench_tasks._tier import Tier

pytestmark = pytest.mark.fuzz

Fuzzed = Callable[..., settings]

TIER = Tier(3, "made-up", ("made-up",))
MUTATIONS = 60
LONGEST_NAME = 200


def is_text(text: str) -> bool:
    """What JSON and a commit's message can hold."""
    return not has_surrogate(text)


def is_line(text: str) -> bool:
    """What a tool that reads line by line can find."""
    return bool(text) and "\n" not in text


def is_field(text: str) -> bool:
    """What awk takes for one field that is compared as text: no number."""
    return is_line(text) and "\t" not in text and is_text(text) and re.search(r"[a-z]", text) is not None


def is_name(text: str) -> bool:
    """What a directory can hold, and what is not one of its other files."""
    return 0 < len(to_bytes(text)) <= LONGEST_NAME and "/" not in text and text.strip(".") != ""


def is_listed(text: str) -> bool:
    """What stands in one line of a list of names."""
    return is_name(text) and is_line(text)


def is_message(text: str) -> bool:
    """What git stores as it is: it trims lines, and empty lines (git-commit(1), --cleanup)."""
    lines = text.split("\n")
    return is_text(text) and all(line.strip() and line == line.rstrip() for line in lines) and "\r" not in text


Made = Callable[..., Task]
FAMILIES: dict[str, tuple[str, Callable[[str], bool], Callable[[Made, str], Task]]] = {
    "argv-passing": ("_task", lambda text: True, lambda made, text: made(TIER, text, "b", text)),
    "bulk-rename": ("_task", is_name, lambda made, text: made(TIER, f"{text}.txt", "plain.txt")),
    "env-passing": ("_task", lambda text: True, lambda made, text: made(TIER, text)),
    "field-lookup": ("_task", is_field, lambda made, text: made(TIER, text, ((text, "9"), (f"{text}b", "8")))),
    "find-glob": ("_task", is_listed, lambda made, text: made(TIER, f"tree/{text}.log", "tree/b.md", "local.log")),
    "git-commit": ("_task", is_message, lambda made, text: made(TIER, text)),
    "grep-count": ("_task", is_line, lambda made, text: made(TIER, text, (f"a{text}b", "decoy"))),
    "heredoc-write": ("_task", lambda text: True, lambda made, text: made(TIER, text)),
    "hostile-filenames": (
        "_rename",
        is_name,
        lambda made, text: made(TIER, f"{text}.old", f"{text}.new", "body\n", {"other.txt": "x\n"}),
    ),
    "json-write": ("_task", is_text, lambda made, text: made(TIER, text)),
    "sed-replace": ("_task", is_line, lambda made, text: made(TIER, f"old{text}", f"new{text}")),
    "ssh-heredoc": ("_task", lambda text: True, lambda made, text: made(TIER, text, "qbtok1")),
    "ssh-nested": ("_task", lambda text: True, lambda made, text: made(TIER, text, "qbtok1")),
    "write-file": ("_task", lambda text: True, lambda made, text: made(TIER, text)),
}
"""By family: its function, the payloads that it can be asked with, and how a task is made of one."""


def test_every_family_is_fuzzed() -> None:
    """None is forgotten."""
    assert tuple(sorted(FAMILIES)) == families()


@pytest.mark.parametrize("family", FAMILIES)
def test_the_oracle_passes_and_mutations_fail(
    family: str, sandbox: Sandbox, fuzzed: Fuzzed, hostile_texts: SearchStrategy[str]
) -> None:
    """For any payload that the family can be asked with."""
    function, takes, make = FAMILIES[family]
    made = getattr(import_module(f"quotebench_tasks.{family.replace('-', '_')}"), function)

    @fuzzed(8)
    @given(text=hostile_texts)
    def holds(text: str) -> None:
        assume(takes(text))
        task = make(made, text)
        execution = sandbox.run(
            task.fixture.tree, Invocation(argv=(b"bash", b"-c", to_bytes(task.oracle))), Limits(wall_s=10)
        )
        verdict = judge(task, execution)
        assert verdict.passed, (verdict, execution.stderr)
        mutations = list(islice(tree_mutations(task, execution.tree), MUTATIONS))
        assert mutations
        survivors = [
            one.kind
            for one in mutations
            if check_state(task, one.tree) is None and not extra_entries(task, one.tree)
        ]
        assert survivors == []

    holds()

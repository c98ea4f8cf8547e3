"""The published numbers, by really executing the stored replies: a count that moves is a changed benchmark.

Everything runs under `local`: these replies are known, and the counts must not hang on what a machine grants.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from pytest_quotebench.core.case import Case
from pytest_quotebench.core.reply import Reply
from pytest_quotebench.core.result import Result
from pytest_quotebench.core.task import Task, tasks_by_id
from pytest_quotebench.registry import Registry, built_in
from pytest_quotebench.replay import Bench, conclude, replay
from pytest_quotebench.sandboxes import local
from pytest_quotebench.store.replies import read_replies
from quotebench_tasks import load_tasks

ROOT = Path(__file__).resolve().parents[1]
PUBLISHED = ROOT.parent / "shared/replies/published/raw-vs-nested-gpt-5.5.jsonl"

OURS = {
    ("raw", "raw", 0): 56,
    ("raw", "nested", 0): 17,
    ("disclosed", "raw", 0): 14,
    ("disclosed", "nested", 0): 56,
    ("raw", "raw", 1): 56,
    ("raw", "nested", 1): 17,
    ("disclosed", "raw", 1): 16,
    ("disclosed", "nested", 1): 56,
    ("disclosed", "nested-single", 0): 7,
    ("disclosed", "nested-single", 1): 7,
    ("json", "raw", 0): 56,
    ("disclosed-single", "nested-single", 0): 56,
    ("disclosed-single", "nested", 0): 7,
    ("disclosed-advice", "nested", 0): 56,
    ("disclosed-advice", "raw", 0): 13,
    ("script", "script", 0): 56,
    ("script", "raw", 0): 56,
}
"""Tasks passed of 56, by contract, transport and trial, of replies/unnamed-frontier."""

AS_RAW = ("nested-escaped", "script", "stdin", "json")
"""Transports that must not change what a reply does."""


@cache
def tasks() -> dict[str, Task]:
    """Return the tasks by id."""
    return tasks_by_id(load_tasks())


@cache
def replies(path: Path) -> tuple[Reply, ...]:
    """Read a store that must be without fault."""
    store = read_replies(path, tasks())
    assert store.problems == ()
    return store.replies


@pytest.fixture(scope="module")
def bench() -> Iterator[Bench]:
    """Every contract and transport, in one local sandbox."""
    with local.open_sandbox() as sandbox:
        yield Bench(
            contracts=Registry("contract", built_in("contracts", "CONTRACT")),
            transports=Registry("transport", built_in("transports", "TRANSPORT")),
            sandbox=sandbox,
        )


def run(bench: Bench, chosen: Iterable[Reply], transport: str) -> dict[str, Result]:
    """Replay each reply on one transport; by task."""
    return {
        reply.task: conclude(replay(Case(task=tasks()[reply.task], reply=reply, transport=transport), bench))
        for reply in chosen
    }


def drawn(contract: str, trial: int) -> list[Reply]:
    """Return the 56 replies of one draw."""
    found = [
        reply
        for reply in replies(ROOT / "replies/unnamed-frontier")
        if (reply.contract, reply.trial) == (contract, trial)
    ]
    assert len(found) == 56
    return found


@pytest.mark.parametrize(("contract", "transport", "trial"), OURS)
def test_stored_replies_pass_as_often_as_recorded(bench: Bench, contract: str, transport: str, trial: int) -> None:
    """The counts of the stored replies of unnamed-frontier."""
    results = run(bench, drawn(contract, trial), transport)

    assert sum(result.verdict.passed for result in results.values()) == OURS[contract, transport, trial]


@pytest.mark.parametrize(
    ("contract", "trial"),
    [
        *product(("raw", "disclosed"), (0, 1)),
        *product(("json", "disclosed-single", "disclosed-advice", "script"), (0,)),
    ],
)
def test_faithful_transports_equal_raw_on_every_reply(bench: Bench, contract: str, trial: int) -> None:
    """Escaped at the point of interpolation, as a file, on standard input or through JSON: the verdict of raw."""
    chosen = drawn(contract, trial)
    raw = run(bench, chosen, "raw")
    for transport in AS_RAW:
        other = run(bench, chosen, transport)

        differing = {
            task: (raw[task].verdict.kind, other[task].verdict.kind)
            for task in raw
            if raw[task].verdict.passed != other[task].verdict.passed
        }
        assert differing == {}, transport
    escaped = run(bench, chosen, "nested-escaped")
    assert {task: one.verdict.kind for task, one in raw.items()} == {
        task: one.verdict.kind for task, one in escaped.items()
    }


def published() -> dict[tuple[str, str, str], dict[str, Any]]:
    """Return the authors' own GNU executions by our task id, contract and transport."""
    names = {"raw": "raw", "nested": "disclosed"}
    found = {}
    for line in PUBLISHED.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        task = tasks()[record["task"]["task_id"]].id
        for execution in record["executions"]:
            if execution["toolchain"] == "gnu":
                key = (task, names[record["sampling"]["contract"]], execution["target_contract"])
                found[key] = execution
    return found


@pytest.mark.skipif(not PUBLISHED.exists(), reason="the authors' release does not lie beside the checkout")
def test_the_published_arm_gives_the_published_verdicts(bench: Bench) -> None:
    """RR 56, RN 16, NR 28, NN 50; all 224 verdicts, and all classes but the two that hang on the bash version."""
    expected = published()
    found = {
        (task, contract, transport): result
        for contract, transport in product(("raw", "disclosed"), ("raw", "nested"))
        for task, result in run(
            bench, [one for one in replies(PUBLISHED) if one.contract == contract], transport
        ).items()
    }

    passed = Counter(
        (contract, transport) for (_, contract, transport), one in found.items() if one.verdict.passed
    )
    assert len(found) == len(expected) == 224
    assert passed == {
        ("raw", "raw"): 56,
        ("raw", "nested"): 16,
        ("disclosed", "raw"): 28,
        ("disclosed", "nested"): 50,
    }
    assert [key for key in expected if expected[key]["passed"] != found[key].verdict.passed] == []
    other_class = {key for key in expected if expected[key]["failure_class"] != found[key].verdict.kind}
    assert other_class <= {(f"bulk-rename-t{tier}", "raw", "nested") for tier in (1, 3)}

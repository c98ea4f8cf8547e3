"""The oracles are portable: they pass with everybody's programs. So are the controls of the naive commands."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import quotebench_tasks
from pytest_quotebench.core.execution import Execution, Invocation
from pytest_quotebench.core.judge import judge
from pytest_quotebench.core.limits import Limits
from pytest_quotebench.core.text import to_bytes
from pytest_quotebench.registry import variant_names
from pytest_quotebench.sandboxes import Sandbox
from pytest_quotebench.userland_choice import InUserland

TASKS = quotebench_tasks.load_tasks()
NAIVE = {"zsh": {"missing": {"find-glob-t0"}, "more": {"bulk-rename-t1"}}}
"""Where naive does otherwise: zsh neither splits what it expands nor passes on a pattern that fits nothing."""

LIMITS = Limits(wall_s=5)
"""ash waits for ever at one of the naive commands."""

Inside = Callable[[str, Sandbox], InUserland]


def passing(commands: dict[str, str], sandbox: Sandbox) -> set[str]:
    """Return the tasks that these commands pass."""
    found = set()
    for task in TASKS:
        invocation = Invocation(argv=(b"bash", b"-c", to_bytes(commands[task.id])))
        execution: Execution = sandbox.run(task.fixture.tree, invocation, LIMITS)
        if judge(task, execution).passed:
            found.add(task.id)
    return found


@pytest.mark.parametrize("name", variant_names("userlands"))
def test_every_oracle_passes_on_every_userland(namespace: Sandbox, name: str, inside: Inside) -> None:
    """56 of 56: what differs between userlands is what models write."""
    passed = passing({task.id: task.oracle for task in TASKS}, inside(name, namespace))

    assert {task.id for task in TASKS} - passed == set()


@pytest.mark.parametrize("name", variant_names("userlands"))
def test_naive_passes_the_controls_and_nothing_hostile(namespace: Sandbox, name: str, inside: Inside) -> None:
    """A hostile task that is none for one userland's naive command measures nothing there."""
    passed = passing({task.id: task.naive for task in TASKS}, inside(name, namespace))

    controls = {task.id for task in TASKS if task.is_control}
    other = NAIVE.get(name, {"missing": set(), "more": set()})
    assert passed == (controls - other["missing"]) | other["more"]

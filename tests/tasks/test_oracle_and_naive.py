"""The commands made by machine do what they must: the oracle passes, the naive one passes controls only."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest

from pytest_quotebench.core.execution import Invocation
from pytest_quotebench.core.judge import judge
from pytest_quotebench.core.limits import Limits
from pytest_quotebench.core.task import Task
from pytest_quotebench.core.text import to_bytes
from pytest_quotebench.core.verdict import Verdict, VerdictClass
from pytest_quotebench.sandboxes import Sandbox
from pytest_quotebench.sandboxes.local import open_sandbox
from quotebench_tasks import load_tasks

every_task = pytest.mark.parametrize("task", load_tasks(), ids=lambda task: task.id)


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with open_sandbox() as opened:
        yield opened


def verdict(task: Task, command: str, sandbox: Sandbox, shell: bytes = b"bash") -> Verdict:
    invocation = Invocation(argv=(shell, b"-c", to_bytes(command)))
    return judge(task, sandbox.run(task.fixture.tree, invocation, Limits()))


@every_task
def test_the_oracle_passes(task: Task, sandbox: Sandbox) -> None:
    assert verdict(task, task.oracle, sandbox) == Verdict(VerdictClass.PASS)


@every_task
def test_the_oracle_is_portable_shell(task: Task, sandbox: Sandbox) -> None:
    if shutil.which("dash") is None:
        pytest.skip("there is no dash here, a shell that knows POSIX and little more")

    assert verdict(task, task.oracle, sandbox, b"dash") == Verdict(VerdictClass.PASS)


@every_task
def test_the_naive_command_passes_a_control_and_nothing_else(task: Task, sandbox: Sandbox) -> None:
    assert verdict(task, task.naive, sandbox).passed == task.is_control


def test_the_naive_command_is_often_wrong_in_silence(sandbox: Sandbox) -> None:
    hostile = [task for task in load_tasks() if not task.is_control]
    classes = [verdict(task, task.naive, sandbox).kind for task in hostile]

    assert classes.count(VerdictClass.SILENT_WRONG) >= 20

"""What stored replies suffer on each path that is a plan: how many of 56 still reach their goal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

from pytest_quotebench.core.cleanup import clean
from pytest_quotebench.core.errors import TransportError
from pytest_quotebench.core.judge import Outcome, judge
from pytest_quotebench.core.limits import Limits
from pytest_quotebench.core.task import tasks_by_id
from pytest_quotebench.core.verdict import VerdictClass
from pytest_quotebench.sandboxes.local import LocalSandbox, open_sandbox
from pytest_quotebench.store.replies import read_replies
from pytest_quotebench.transports import Transport
from quotebench_tasks import load_tasks

FILE = Path(__file__).resolve().parents[2] / "replies" / "unnamed-frontier" / "raw.jsonl"
TASKS = load_tasks()
PASSED = {
    "ansible-command": 20,
    "autogen": 56,
    "codex": 56,
    "compose": 10,
    "cron": 33,
    "env-s": 23,
    "gemini-cli": 56,
    "github-actions": 56,
    "gitlab-ci": 56,
    "inspect": 56,
    "intercode": 23,
    "login-shell": 56,
    "make": 27,
    "mini-swe-agent": 56,
    "openhands-acp": 20,
    "raw": 56,
    "sh": 56,
    "systemd": 7,
    "tty": 56,
    "xargs": 10,
}
"""Passes of `unnamed-frontier`, raw contract, trial 0, of 56 tasks."""


@pytest.fixture(scope="module")
def sandbox() -> Iterator[LocalSandbox]:
    with open_sandbox() as opened:
        yield opened


@pytest.fixture(scope="module")
def replies() -> dict[str, str]:
    """The commands by task."""
    stored = read_replies(FILE, tasks_by_id(TASKS)).replies
    return {reply.task: clean(reply.text).text for reply in stored if reply.trial == 0}


@pytest.fixture(scope="module", params=sorted(PASSED))
def name(request: pytest.FixtureRequest) -> str:
    found: str = request.param
    return found


@pytest.fixture(scope="module")
def passes(sandbox: LocalSandbox, transport: Transport) -> Callable[[str, str], bool]:
    """Tell whether a command reaches a task's goal on the path; each is run once."""
    tasks = {task.id: task for task in TASKS}

    @cache
    def passes(task: str, command: str) -> bool:
        try:
            planned = transport.plan(command)
            outcome: Outcome = sandbox.run(tasks[task].fixture.tree, planned, Limits(wall_s=5))
        except TransportError as error:
            outcome = error
        return judge(tasks[task], outcome).kind is VerdictClass.PASS

    return passes


def test_as_many_replies_pass_as_were_counted(
    replies: dict[str, str], name: str, passes: Callable[[str, str], bool]
) -> None:
    passed = [task for task, command in replies.items() if passes(task, command)]

    assert len(passed) == PASSED[name]


def test_every_reply_passes_in_its_escaped_form(
    replies: dict[str, str], transport: Transport, passes: Callable[[str, str], bool]
) -> None:
    found = ((task, _escaped(transport, command)) for task, command in replies.items())
    escaped = [(task, command) for task, command in found if command is not None]

    assert [task for task, command in escaped if not passes(task, command)] == []
    assert len(escaped) > 50


def _escaped(transport: Transport, command: str) -> str | None:
    try:
        return transport.matched(command)
    except ValueError:
        return None

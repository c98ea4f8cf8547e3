"""A driver's report makes an execution worse or finer, never better; one that does not fit counts as missing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_quotebench.core.errors import TransportError
from pytest_quotebench.core.execution import Execution
from pytest_quotebench.sessions.interpretation import interpret
from pytest_quotebench.sessions.ssh import interpret_ssh

ENDED = Execution(
    exit_status=3,
    signal=None,
    stdout=b"",
    stderr=b"",
    stdout_length=0,
    stderr_length=0,
    duration_s=0.1,
    timed_out=False,
)


def test_a_session_that_came_to_its_end_is_what_the_sandbox_saw() -> None:
    done = replace(ENDED, report=b'{"ended": "done", "exit_status": 3}')

    assert interpret(done) is done


def test_a_proved_hang_is_a_limit_hit() -> None:
    outcome = interpret(replace(ENDED, report=b'{"ended": "hang", "exit_status": 3}'))

    assert isinstance(outcome, Execution)
    assert outcome.detail == "hang"


def test_a_refusal_is_told_with_the_last_words() -> None:
    refused = replace(ENDED, report=b'{"ended": "refused", "exit_status": 3}', stderr=b"one\nbash: line 1: bad\n")
    outcome = interpret(refused)

    assert isinstance(outcome, TransportError)
    assert outcome.detail == "refused"
    assert "bash: line 1: bad" in str(outcome)


@pytest.mark.parametrize(
    "execution",
    [
        ENDED,
        replace(ENDED, report=b"{"),
        replace(ENDED, report=b"[]"),
        replace(ENDED, report=b"[" * 60_000),
        replace(ENDED, report=b"\xff"),
        replace(ENDED, report=b'{"ended": "done", "exit_status": 0}'),
        replace(ENDED, report=b'{"ended": "done"}'),
        replace(ENDED, report=b'{"ended": "passed", "exit_status": 3}'),
        replace(ENDED, report=b'{"ended": "died", "exit_status": 3}'),
        replace(ENDED, report=b'{"ended": "done", "exit_status": null}', exit_status=None, signal=9),
    ],
)
def test_all_else_is_a_dead_session(execution: Execution) -> None:
    outcome = interpret(execution)

    assert isinstance(outcome, TransportError)
    assert outcome.detail == "died"


@pytest.mark.parametrize("limit", [{"timed_out": True}, {"detail": "limit:output"}])
def test_a_limit_that_the_harness_saw_stands_whatever_the_report_says(limit: dict[str, object]) -> None:
    over = replace(ENDED, report=b'{"ended": "done", "exit_status": 3}', **limit)  # type: ignore[arg-type]

    assert interpret(over) is over
    assert interpret_ssh(over) is over


def test_ssh_without_a_connection_is_a_dead_session() -> None:
    outcome = interpret_ssh(replace(ENDED, exit_status=255, report=b"serving"))

    assert isinstance(outcome, TransportError)
    assert outcome.detail == "died"


@pytest.mark.parametrize(("status", "report"), [(255, b"connected"), (255, b""), (0, b"serving"), (2, b"")])
def test_a_status_of_255_can_be_the_commands_own_or_a_wrong_option(status: int, report: bytes) -> None:
    execution = replace(ENDED, exit_status=status, report=report)

    assert interpret_ssh(execution) is execution

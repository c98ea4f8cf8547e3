"""Each end of a session is found, named and soon there."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from pytest_quotebench.core.errors import TransportError
from pytest_quotebench.core.execution import Execution

Outcome = Execution | TransportError
Play = Callable[..., Outcome]
Done = Callable[..., Execution]

CARRIERS = ("langchain", "anthropic-quickstart", "anthropic-sdk", "swe-agent", "terminal-bench", "openhands")
PROMPTLY_S = 3.0
"""A hang, a dead session and a refusal are found within this."""


HANGS = [
    ("langchain", "cat"),
    ("langchain", "printf foo"),
    ("langchain", 'echo "abc'),
    ("langchain", "cat | wc -l"),
    ("langchain", "cat <<EOF\nx"),
    ("anthropic-quickstart", "echo a # b"),
    ("anthropic-quickstart", "exit 3"),
    ("anthropic-sdk", "echo 'x"),
    ("anthropic-sdk", "echo a \\"),
    ("swe-agent", "cat"),
    ("swe-agent", "cat <<EOF\nx"),
    ("terminal-bench", "cat"),
    ("terminal-bench", 'echo "a!b"'),
    ("terminal-bench", "-n foo"),
    ("terminal-bench", "find . -exec echo {} \\;"),
    ("terminal-bench", "cat <<'EOF'\nx\nEOF"),
    ("terminal-bench", "exit 3"),
    ("terminal-bench", f": {'x' * 17_000}"),
    ("openhands", "cat"),
    ("openhands", "echo 'x"),
    ("openhands", "exit 3"),
    ("openhands", "TAB"),
]


@pytest.mark.parametrize(("name", "command"), HANGS, ids=lambda value: value[:30])
def test_a_lost_end_is_proved_and_not_waited_for(name: str, command: str, play: Play) -> None:
    started = time.monotonic()
    outcome = play(name, command)

    assert isinstance(outcome, Execution)
    assert outcome.detail == "hang"
    assert not outcome.timed_out
    assert time.monotonic() - started < PROMPTLY_S


@pytest.mark.parametrize(
    "command",
    [
        "{ (sleep 0.4; echo hi) & } | cat",
        "mkfifo f; (sleep 0.4; echo hi >f) & cat f",
        "(setsid bash -c 'sleep 0.4; echo hi' &) | cat",
        "read -t 0.4 x </dev/tty || sleep 0.4; echo hi",
    ],
)
@pytest.mark.parametrize("name", ["langchain", "swe-agent"])
def test_who_waits_for_something_that_will_come_does_not_hang(name: str, command: str, done: Done) -> None:
    assert b"hi" in done(name, command).stdout


@pytest.mark.parametrize(
    ("name", "command", "detail"),
    [
        ("langchain", "exit 3", "died"),
        ("anthropic-sdk", "exec true", "died"),
        ("swe-agent", "exit 3", "died"),
        ("swe-agent", "echo 'x", "refused"),
        ("swe-agent", "if x", "refused"),
        ("swe-agent", "visudo -c", "refused"),
        ("swe-agent", "bash", "refused"),
        ("openhands", "echo a\necho b", "refused"),
        ("openhands", " ", "refused"),
    ],
)
def test_a_refusal_or_a_dead_session_is_told_at_once(name: str, command: str, detail: str, play: Play) -> None:
    started = time.monotonic()
    outcome = play(name, command)

    assert isinstance(outcome, TransportError)
    assert outcome.detail == detail
    assert time.monotonic() - started < PROMPTLY_S


@pytest.mark.parametrize("name", CARRIERS)
def test_a_command_that_is_still_at_work_meets_the_deadline(name: str, play: Play) -> None:
    outcome = play(name, "sleep 30", wall_s=0.6)

    assert isinstance(outcome, Execution)
    assert outcome.timed_out


@pytest.mark.parametrize("name", ["langchain", "anthropic-sdk", "swe-agent", "openhands", "ssh", "ssh-argv"])
def test_the_status_is_the_one_that_the_carrier_learns(name: str, done: Done) -> None:
    assert done(name, "(exit 7)").exit_status == 7


@pytest.mark.parametrize("name", ["anthropic-quickstart", "terminal-bench"])
def test_a_carrier_that_learns_no_status_has_0(name: str, done: Done) -> None:
    assert done(name, "(exit 7)").exit_status == 0


@pytest.mark.parametrize("name", ["langchain", "anthropic-sdk"])
def test_long_output_and_long_input_pass(name: str, done: Done) -> None:
    outcome = done(name, f"printf '%s\\n' {'x' * 200_000} {'y' * 10}; seq 100000")

    assert outcome.stdout.startswith(b"x" * 1000)
    assert outcome.stdout.rstrip().endswith(b"\n99999\n100000")
    assert outcome.stdout_length == pytest.approx(200_011 + 588_895, abs=2)


def test_bytes_that_only_begin_like_the_marker_are_output(done: Done) -> None:
    lines = ["x__LC_SHELL_DONE__", "__LC_SHELL_DONE__", "__LC_SHELL_DONE__ 0", "<<exit>"]
    command = "; ".join(f"echo '{line}'" for line in lines)

    assert done("langchain", command).stdout.splitlines() == [line.encode() for line in lines]

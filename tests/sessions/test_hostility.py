"""A command shares the sandbox with its driver; what it does to it makes nothing better, and nothing is left."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_quotebench.core.errors import TransportError
from pytest_quotebench.core.execution import Execution

Outcome = Execution | TransportError
Play = Callable[..., Outcome]

CARRIERS = ("langchain", "anthropic-quickstart", "anthropic-sdk", "swe-agent", "terminal-bench", "openhands")

KILL_THE_DRIVER = (
    "echo x >f; for p in $(grep -lszE '(^|/)aux/driver.py$' /proc/[0-9]*/cmdline); do p=${p%/cmdline}; "
    '[ "$PWD" = "$(readlink $p/cwd)" ] && kill -9 ${p#/proc/}; done; sleep 9'
)


@pytest.mark.parametrize("name", CARRIERS)
def test_a_killed_driver_is_a_dead_session(name: str, play: Play) -> None:
    outcome = play(name, KILL_THE_DRIVER)

    assert isinstance(outcome, TransportError)
    assert outcome.detail == "died"


def test_a_forged_report_that_does_not_fit_the_end_counts_as_none(play: Play) -> None:
    forged = json.dumps({"ended": "done", "exit_status": 0})
    outcome = play("langchain", f"chmod u+w ../aux; echo '{forged}' >../aux/report; kill -9 $PPID; sleep 9")

    assert isinstance(outcome, TransportError)
    assert outcome.detail == "died"


@pytest.mark.parametrize("instead", ["true", "mkfifo report", "ln -s /etc/passwd report", "mkdir report"])
def test_a_report_that_is_no_file_is_neither_waited_for_nor_followed(instead: str, play: Play) -> None:
    outcome = play("langchain", f"chmod u+w ../aux; cd ../aux; rm report; {instead}", wall_s=5)

    if instead == "true":
        assert isinstance(outcome, Execution)  # the driver makes it again
    else:
        assert isinstance(outcome, TransportError)
        assert outcome.detail == "died"


@pytest.mark.parametrize(
    ("name", "count"),
    [("langchain", 50), ("swe-agent", 50), ("terminal-bench", 50), ("openhands", 20), ("ssh-argv", 20)],
)
def test_items_in_a_row_leave_no_process_socket_file_or_descriptor(name: str, count: int, play: Play) -> None:
    commands = [
        "echo hi >f",
        "nohup sleep 60 >/dev/null 2>&1 & echo hi",
        "read x",
        "(setsid sleep 60 >/dev/null 2>&1 &)",
    ]
    play(name, "true")
    before = _traces()
    for command in commands * 2 + ["true"] * (count - 8):
        play(name, command)

    descriptors, *left = _traces()
    assert descriptors <= before[0]
    assert left == list(before[1:])


def _traces() -> tuple[int, set[str], list[str]]:
    """Return open descriptors here, what tmux leaves about, and processes at work in a directory that is gone."""
    descriptors = len(list(Path("/proc/self/fd").iterdir()))
    left = {path.name for path in Path("/tmp").glob("tmux-[0-9]*/tmux.socket")}
    return descriptors, left, sorted(filter(None, map(_stray, Path("/proc").glob("[0-9]*"))))


def _stray(process: Path) -> str | None:
    try:
        place = str((process / "cwd").readlink())
    except OSError:
        return None
    return f"{process.name} in {place}" if "/qb-" in place and place.endswith("/task (deleted)") else None

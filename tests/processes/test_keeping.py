"""Commands whose parent is a keeper: its life, its death, and what a command has of it."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from pytest_quotebench.core.errors import Broken
from pytest_quotebench.core.limits import Limits, TreeLimits
from pytest_quotebench.processes.ending import Ended
from pytest_quotebench.processes.keeping import Commands, can_be_kept

pytestmark = pytest.mark.skipif(not can_be_kept(), reason="there are keepers on Linux alone, with pidfd_open(2)")

ENVIRONMENT = {"PATH": "/usr/local/bin:/usr/bin:/bin"}


@pytest.fixture
def commands() -> Iterator[Commands]:
    commands = Commands()
    yield commands
    commands.close()


def run(
    commands: Commands, command: str, *, stdin: bytes = b"", cwd: str = "/", limits: Limits | None = None
) -> Ended:
    argv = [b"bash", b"-c", command.encode()]
    return commands.run_to_end(argv, env=ENVIRONMENT, cwd=cwd, stdin=stdin, limits=limits or Limits(wall_s=10))


def keeper_of(commands: Commands) -> int:
    return int(run(commands, "echo $PPID").stdout.value())


def processes_with(marker: str) -> list[str]:
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            if marker.encode() in path.read_bytes():
                found.append(path.parent.name)
    return found


def state_of(process: int) -> str:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return "gone"


def test_one_keeper_runs_all_commands_and_ends_with_them(commands: Commands) -> None:
    keeper = keeper_of(commands)
    assert keeper != os.getpid()
    assert keeper_of(commands) == keeper
    commands.close()
    assert state_of(keeper) == "gone"


def test_it_holds_nothing_of_this_process(commands: Commands, monkeypatch: pytest.MonkeyPatch) -> None:
    """No variable, no descriptor but its channel, no part of this program but its own."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary")
    keeper = keeper_of(commands)
    assert b"sk-canary" not in Path(f"/proc/{keeper}/environ").read_bytes()
    kinds = [str(path.readlink()).partition(":")[0] for path in Path(f"/proc/{keeper}/fd").iterdir()]
    assert sorted(kinds) == ["/dev/null", "/dev/null", "/dev/null", "anon_inode", "socket"]


@pytest.mark.parametrize("status", [0, 1, 137, 255])
def test_statuses_streams_and_directory_are_the_commands_own(
    commands: Commands, tmp_path: Path, status: int
) -> None:
    ended = run(commands, f"cat; pwd; umask; echo err >&2; exit {status}", stdin=b"in\n", cwd=str(tmp_path))
    assert (ended.exit_status, ended.signal, ended.timed_out, ended.detail) == (status, None, False, None)
    assert ended.stdout.value() == f"in\n{tmp_path}\n0022\n".encode()
    assert ended.stderr.value() == b"err\n"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL, signal.SIGXCPU, signal.SIGXFSZ])
def test_a_signal_of_its_own_is_no_limit(commands: Commands, number: signal.Signals) -> None:
    ended = run(commands, f"kill -{number} $$")
    assert (ended.exit_status, ended.signal, ended.timed_out, ended.detail) == (None, number, False, None)


@pytest.mark.parametrize(
    ("argv", "detail"),
    [
        ([b"bash", b"-c", b": " + b"x" * 200_000], "spawn:E2BIG"),
        ([b"no-such-program"], "spawn:ENOENT"),
        ([b"/etc/passwd"], "spawn:EACCES"),
        ([b"bash", b"-c", b"a\0b"], "spawn:EINVAL"),
    ],
)
def test_what_cannot_be_started_is_broken_and_costs_no_keeper(
    commands: Commands, argv: list[bytes], detail: str
) -> None:
    keeper = keeper_of(commands)
    with pytest.raises(Broken, match="cannot start") as raised:
        commands.run_to_end(argv, env=ENVIRONMENT, cwd="/", stdin=b"x", limits=Limits(wall_s=10))
    assert raised.value.detail == detail
    assert keeper_of(commands) == keeper


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_keeper_that_is_killed_between_two_commands_is_replaced(commands: Commands, number: int) -> None:
    keeper = keeper_of(commands)
    os.kill(keeper, number)
    assert run(commands, "echo ok; exit 3").exit_status == 3
    assert keeper_of(commands) != keeper


def test_the_status_is_known_however_early_the_keeper_is_killed(commands: Commands) -> None:
    """Also before it has told of the command: that is a race, which both may win."""
    for _ in range(20):
        argv = [b"bash", b"-c", b"kill -9 $PPID; exit 7"]
        ended = commands.run_to_end(argv, env=ENVIRONMENT, cwd="/", limits=Limits(wall_s=10))
        assert (ended.exit_status, ended.timed_out) == (7, False)


def test_a_command_whose_keeper_is_killed_ends_with_all_it_started(commands: Commands) -> None:
    marker = f"1{os.getpid()}.{time.monotonic_ns() % 10**9}"
    ended = run(commands, f"(setsid sleep {marker} &); kill -9 $PPID; sleep {marker}", limits=Limits(wall_s=0.3))
    assert ended.timed_out
    assert processes_with(marker) == []


def test_other_limits_have_a_keeper_of_their_own(commands: Commands) -> None:
    small = Limits(wall_s=10, tree=TreeLimits(file_bytes=2**20))
    size = "ulimit -f; head -c 3M /dev/zero > f; stat -c %s f; rm f"
    assert run(commands, "ulimit -c; ulimit -Ht", limits=Limits(wall_s=10, cpu_s=7)).stdout.value() == b"0\n8\n"
    assert run(commands, size, cwd="/tmp", limits=small).stdout.value() == b"1024\n1048577\n"


def test_a_keeper_that_has_used_up_its_own_time_is_replaced(commands: Commands) -> None:
    """Its limits are the commands', and it must not be ended by them."""
    argv, limits = [b"sh", b"-c", b"echo $PPID"], Limits(wall_s=10, cpu_s=1)
    keepers = set()
    for _ in range(20_000):
        keepers.add(commands.run_to_end(argv, env=ENVIRONMENT, cwd="/", limits=limits).stdout.value())
        if len(keepers) == 2:
            break
    assert len(keepers) == 2


def test_without_a_python_that_can_be_started_this_process_is_the_parent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    commands = Commands()
    assert keeper_of(commands) == os.getpid()
    commands.close()


def test_nothing_grows_over_many_commands(commands: Commands) -> None:
    keeper = keeper_of(commands)

    def held() -> list[int]:
        return [len(list(Path(f"/proc/{process}/fd").iterdir())) for process in (os.getpid(), keeper)]

    before = held()
    for _ in range(100):
        run(commands, "sleep 100 & true", stdin=b"x")
    assert held() == before

"""Attacks that stand in no file: on what runs beside a command, on every sandbox that may take them."""

from __future__ import annotations

import os
import sys
import uuid
from collections.abc import Callable

import pytest

from pytest_quotebench.core.execution import Execution
from pytest_quotebench.core.tree import File, FileTree
from pytest_quotebench.processes import cgroups
from pytest_quotebench.sandboxes import Sandbox

Run = Callable[..., Execution]
Found = Callable[[str], list[str]]

OK = FileTree.of({"out.txt": "ok\n"})
KEY = "sk-canary-91c2"
DAEMON = "(setsid bash -c 'setsid sleep 300 </dev/null >/dev/null 2>&1 & sleep 300' &)"
"""Forks twice, leaves its session twice, and holds a pipe."""


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


@pytest.mark.parametrize(
    "attack",
    [
        "kill -9 $PPID",
        "kill -TERM $PPID",
        "kill -INT $PPID",
        "kill -STOP $PPID",
        f"{DAEMON}; kill -9 $PPID",
        "kill -9 $PPID; sleep 0.1; kill -9 $PPID",
        "for f in /proc/$PPID/fd/*; do (echo x >> $f) 2>/dev/null; done",
        "bash -c 'kill -9 '$PPID & wait $!; true",
    ],
)
def test_what_becomes_of_its_parent_changes_nothing_for_a_command(
    sandbox: Sandbox, run: Run, attack: str, processes_with: Found
) -> None:
    """It is judged by its own end, everything of it goes, and the next item is as always."""
    if sandbox.name == "local" and "$PPID; sleep" in attack:
        attack = attack.partition(";")[0]  # the second one would be this process, which adopts it
    mark = uuid.uuid4().hex
    for _ in range(2):
        ended = run(f"{attack}; sleep 0.05; echo ok > out.txt; exit 7", env={"QB_MARK": mark})
        assert (ended.exit_status, ended.signal, ended.timed_out) == (7, None, False)
        assert (ended.tree, ended.detail) == (OK, None)
        assert ended.duration_s < 2
        assert processes_with(mark) == []
        assert run("cat in.txt; ls -A", {"in.txt": "in\n"}).stdout == b"in\nin.txt\n"


def test_a_command_whose_parent_is_gone_ends_at_its_deadline(run: Run, processes_with: Found) -> None:
    mark = uuid.uuid4().hex
    ended = run(f"{DAEMON}; kill -9 $PPID; sleep 60", env={"QB_MARK": mark}, wall_s=0.5)
    assert (ended.timed_out, ended.signal, ended.detail) == (True, 9, None)
    assert processes_with(mark) == []


def test_killing_everybody_kills_nobody_else(sandbox: Sandbox, run: Run) -> None:
    if sandbox.name == "local":
        pytest.skip("local has no pid namespace: this would be the end of all that this user runs")
    for signal in ("KILL", "TERM", "STOP"):
        ended = run(f"trap '' {signal}; kill -{signal} -1; echo ok > out.txt")
        assert (ended.tree, ended.timed_out) == (OK, False)
    assert run("echo ok").stdout == b"ok\n"


def test_no_key_is_in_any_process_that_it_can_see(sandbox: Sandbox, run: Run) -> None:
    """Under `local` that is its parent alone: it sees all that this user runs."""
    seen = "/proc/$PPID" if sandbox.name == "local" else "/proc/[0-9]*"
    ended = run(f"cat {seen}/environ {seen}/cmdline {seen}/comm 2>/dev/null; tr '\\0' '\\n' < /proc/$PPID/maps")
    assert KEY.encode() not in ended.stdout
    assert b"PYTEST_CURRENT_TEST" not in ended.stdout


@pytest.mark.skipif(sys.platform != "linux", reason="the parent is a keeper on Linux alone")
def test_the_parent_is_not_this_process(run: Run) -> None:
    ended = run("echo $PPID; cat /proc/$PPID/comm; tr '\\0' ' ' < /proc/$PPID/environ")
    assert int(ended.stdout.split()[0]) != os.getpid()


@pytest.mark.parametrize("way", ["kill -9 $$", "exit 3", "exec sleep 60", "kill -STOP $$", "exec 1>&- 2>&-; true"])
def test_a_daemon_goes_whatever_way_its_starter_went(run: Run, way: str, processes_with: Found) -> None:
    mark = uuid.uuid4().hex
    ended = run(f"{DAEMON}; sleep 0.02; {way}", env={"QB_MARK": mark}, wall_s=0.5)
    assert ended.timed_out == (way in ("exec sleep 60", "kill -STOP $$"))
    assert processes_with(mark) == []


def test_what_runs_away_by_forking_is_caught(run: Run, processes_with: Found) -> None:
    """Each process starts the next one in a session of its own and ends."""
    mark = uuid.uuid4().hex
    run('f() { (setsid bash -c "$(declare -f f); f" &); }; f; sleep 0.1', env={"QB_MARK": mark})
    assert processes_with(mark) == []


def test_limits_that_a_command_asks_to_be_lifted_stay(run: Run) -> None:
    ended = run("for limit in c l q t; do ulimit -$limit unlimited; ulimit -H$limit; done 2>/dev/null", cpu_s=7)
    assert ended.stdout == b"0\n0\n0\n8\n"


def test_processor_time_is_a_limit_of_its_own(run: Run) -> None:
    ended = run("while :; do :; done", cpu_s=1, wall_s=60.0)
    assert (ended.detail, ended.timed_out) == ("limit:cpu", False)
    assert run("echo ok > out.txt").tree == OK


def needs_cgroup() -> None:
    made = cgroups.create(2**30, 10)
    if made is None:
        pytest.skip("no cgroup is granted here")
    made.remove()


def test_memory_and_processes_are_counted_together(run: Run) -> None:
    needs_cgroup()
    hog = "head -c 400M /dev/zero | tail -n 1 | wc -c; echo ok > out.txt"
    assert run(hog, memory_bytes=2**27, wall_s=20.0).detail == "limit:memory"
    assert run("for i in $(seq 60); do sleep 1 & done 2>/dev/null; true", processes=20).detail == "limit:pids"
    ended = run("echo ok > out.txt; exit 137")
    assert (ended.tree, ended.detail, ended.exit_status) == (OK, None, 137)


def test_the_files_own_bytes_are_what_counts(run: Run) -> None:
    """A file that was too large for a while is not, and one that was removed is not there."""
    ended = run("head -c 15M /dev/zero > a; truncate -s 0 a; head -c 15M /dev/zero > b; rm b; echo ok > out.txt")
    assert (ended.detail, ended.tree["out.txt"]) == (None, File(b"ok\n"))

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pytest_quotebench.processes.descendants import nothing_outlives

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has adoption of orphans")


def start(command: str) -> None:
    """Run a command in a session of its own to its end."""
    subprocess.run(["bash", "-c", command], start_new_session=True, check=False, stdout=subprocess.DEVNULL)


def spread(command: str) -> list[str]:
    """Return ways to have `command` outlive the shell that starts it."""
    return [
        f"{command} &",
        f"({command} &) &",
        f"setsid {command} &",
        f"(setsid bash -c '{command} & {command}' &) &",
        f"nohup setsid -f {command} </dev/null >/dev/null 2>&1",
        f"set -m; {command} & {command} & disown -a",
        f"trap '' TERM HUP INT; exec {command} &",
        f"{command} & sleep 0.1; kill -STOP $!",
    ]


class Sleepers:
    """Processes that sleep for a time which nobody else sleeps for, looked for from outside."""

    def __init__(self) -> None:
        self.command = f"sleep 1{os.getpid()}.{time.monotonic_ns() % 10**9}"

    def found(self) -> list[int]:
        return [int(path.parent.name) for path in Path("/proc").glob("[0-9]*/cmdline") if self._is_one(path)]

    def are_seen(self, number: int = 1) -> bool:
        """Wait until they have come up."""
        deadline = time.monotonic() + 5
        while len(self.found()) < number and time.monotonic() < deadline:
            time.sleep(0.005)
        return len(self.found()) >= number

    def _is_one(self, path: Path) -> bool:
        try:
            return path.read_bytes() == self.command.replace(" ", "\0").encode() + b"\0"
        except OSError:
            return False


@pytest.fixture
def sleepers() -> Iterator[Sleepers]:
    sleepers = Sleepers()
    yield sleepers
    for process in sleepers.found():
        os.kill(process, signal.SIGKILL)


@pytest.mark.parametrize("way", range(len(spread(""))))
def test_whatever_way_a_process_goes_it_is_gone(sleepers: Sleepers, way: int) -> None:
    with nothing_outlives():
        start(spread(sleepers.command)[way])
        assert sleepers.are_seen()
    assert sleepers.found() == []


def test_in_a_thread_too(sleepers: Sleepers) -> None:
    seen = []

    def run() -> None:
        with nothing_outlives():
            start(f"setsid -f {sleepers.command}")
            seen.append(sleepers.are_seen())

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert seen == [True]
    assert sleepers.found() == []


def test_what_forks_on_and_on_into_new_sessions_is_caught() -> None:
    runner = "import os\nwhile True:\n    if os.fork(): os._exit(0)\n    os.setsid()"
    began = time.monotonic()
    with nothing_outlives():
        subprocess.run([sys.executable, "-c", runner], start_new_session=True, check=False)
        time.sleep(0.05)
    assert time.monotonic() - began < 4
    assert children() == set()


def test_a_storm_of_forks_is_over(sleepers: Sleepers) -> None:
    storm = f"for i in $(seq 100); do (setsid sh -c '{sleepers.command} & {sleepers.command}' &) ; done"
    with nothing_outlives():
        start(storm)
        assert sleepers.are_seen(20)
    assert sleepers.found() == []


def test_zombies_are_taken_away() -> None:
    with nothing_outlives():
        start("for i in $(seq 30); do (true &) ; done; sleep 0.1")
    assert children() == set()


def test_an_exception_does_not_save_them(sleepers: Sleepers) -> None:
    def fail() -> None:
        with nothing_outlives():
            start(f"setsid -f {sleepers.command}")
            assert sleepers.are_seen()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert sleepers.found() == []


def parent_of(pid: int) -> int:
    """Return the parent's pid, from /proc/PID/stat (proc(5))."""
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def wait_until(condition: Callable[[], bool]) -> None:
    """Wait for a condition, 10 s at most."""
    deadline = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.001)


@pytest.mark.parametrize("own_session", [False, True])
def test_children_that_were_there_before_are_left_alone(*, own_session: bool) -> None:
    """And so is what they start in their session, although it is adopted when it is orphaned meanwhile."""
    with subprocess.Popen(
        ["bash", "-c", "read; (sleep 60 & echo $!); read"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=own_session,
    ) as daemon:
        assert daemon.stdin
        assert daemon.stdout
        with nothing_outlives():
            daemon.stdin.write(b"\n")
            daemon.stdin.flush()
            orphan = int(daemon.stdout.readline())
            wait_until(lambda: parent_of(orphan) == os.getpid())
            start("sleep 60 &")
        assert daemon.poll() is None
        os.kill(orphan, signal.SIGKILL)
        daemon.kill()
    os.waitpid(orphan, 0)


def test_a_child_that_another_thread_starts_meanwhile_is_left_alone() -> None:
    started, is_over = queue.Queue[subprocess.Popen[bytes]](), threading.Event()

    def work() -> None:
        started.put(subprocess.Popen(["sleep", "60"], start_new_session=True))
        is_over.wait()

    thread = threading.Thread(target=work)
    with nothing_outlives():
        thread.start()
        process = started.get()
        start("sleep 60 &")
    assert process.poll() is None
    process.kill()
    process.wait()
    is_over.set()
    thread.join()


def test_this_process_adopts_no_longer_than_it_must() -> None:
    def is_adopting() -> bool:
        import ctypes

        value = ctypes.c_int()
        ctypes.CDLL(None).prctl(37, ctypes.byref(value), 0, 0, 0)
        return bool(value.value)

    assert not is_adopting()
    with nothing_outlives():
        assert is_adopting()
    assert not is_adopting()


def children() -> set[int]:
    return {int(pid) for pid in Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()}

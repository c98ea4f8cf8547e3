from __future__ import annotations

import os
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
        f"{command} & kill -STOP $!",
    ]


@pytest.fixture
def left() -> Iterator[Callable[[], list[str]]]:
    """Tell which processes with this test's own name for `sleep` there are, looking from outside."""
    seconds = f"1{os.getpid()}.{time.monotonic_ns() % 10**9}"

    def matching() -> list[str]:
        found = []
        for process in Path("/proc").glob("[0-9]*"):
            try:
                words = (process / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if seconds.encode() in words:
                found.append(process.name)
        return found

    matching.seconds = seconds  # type: ignore[attr-defined]
    yield matching
    for process in matching():
        os.kill(int(process), signal.SIGKILL)


@pytest.mark.parametrize("way", range(len(spread(""))))
def test_whatever_way_a_process_goes_it_is_gone(left: Callable[[], list[str]], way: int) -> None:
    command = spread(f"sleep {left.seconds}")[way]  # type: ignore[attr-defined]
    with nothing_outlives():
        start(command)
        if way not in (1, 3):
            assert left()
    assert left() == []


def test_in_a_thread_too(left: Callable[[], list[str]]) -> None:
    def run() -> None:
        with nothing_outlives():
            start(f"setsid -f sleep {left.seconds}")  # type: ignore[attr-defined]

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert left() == []


def test_what_forks_on_and_on_into_new_sessions_is_caught() -> None:
    runner = "import os\nwhile True:\n    if os.fork(): os._exit(0)\n    os.setsid()"
    began = time.monotonic()
    with nothing_outlives():
        subprocess.run([sys.executable, "-c", runner], start_new_session=True, check=False)
        time.sleep(0.05)
    assert time.monotonic() - began < 4
    assert children() == set()


def test_a_storm_of_forks_is_over(left: Callable[[], list[str]]) -> None:
    storm = f"for i in $(seq 100); do (setsid sh -c 'sleep {left.seconds} & sleep {left.seconds}' &) ; done"  # type: ignore[attr-defined]
    with nothing_outlives():
        start(storm)
    assert left() == []


def test_zombies_are_taken_away() -> None:
    with nothing_outlives():
        start("for i in $(seq 30); do (true &) ; done; sleep 0.1")
    assert children() == set()


def test_an_exception_does_not_save_them(left: Callable[[], list[str]]) -> None:
    with pytest.raises(KeyboardInterrupt), nothing_outlives():
        start(f"setsid -f sleep {left.seconds}")  # type: ignore[attr-defined]
        raise KeyboardInterrupt
    assert left() == []


@pytest.mark.parametrize("own_session", [False, True])
def test_children_that_were_there_before_are_left_alone(own_session: bool) -> None:
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
            start("sleep 60 &")
        assert daemon.poll() is None
        os.kill(orphan, signal.SIGKILL)
        daemon.kill()
    os.waitpid(orphan, 0)


def test_a_child_that_another_thread_starts_meanwhile_is_left_alone() -> None:
    started: list[subprocess.Popen[bytes]] = []
    with nothing_outlives():
        thread = threading.Thread(
            target=lambda: started.append(subprocess.Popen(["sleep", "60"], start_new_session=True))
        )
        thread.start()
        thread.join()
        start("sleep 60 &")
    assert started[0].poll() is None
    started[0].kill()
    started[0].wait()


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

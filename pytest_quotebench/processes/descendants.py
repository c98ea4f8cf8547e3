"""Everything that a command started, found and ended, also what forked twice and left its session.

A process whose parent has ended is adopted by the nearest ancestor that asked for it (PR_SET_CHILD_SUBREAPER,
prctl(2)). A keeper asks once, and this process while a command runs, in case that the command ends its keeper: so
whatever a command leaves behind becomes a child of one of them, and once there is no new child left, nothing is
left. Where there is no such call (macOS) only the command's process group is ended.
"""

from __future__ import annotations

import ctypes
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache, partial
from pathlib import Path

from pytest_quotebench.core.errors import Broken

_SET_CHILD_SUBREAPER, _GET_CHILD_SUBREAPER = 36, 37
"""prctl(2), linux/prctl.h."""
_PATIENCE_S = 5.0
"""How long killed processes may take to be gone: one in uninterruptible sleep, or with other rights, takes it."""
_SHORTEST_PAUSE_S, _LONGEST_PAUSE_S = 0.0001, 0.002
"""Short: what forks on and on runs away while we sleep."""

# To adopt is an attribute of the whole process, and two commands' orphans could not be told apart: one at a time.
_ONE_COMMAND = threading.Lock()


@contextmanager
def nothing_outlives() -> Iterator[Callable[[], list[int]]]:
    """Hold while one command is started and runs; at the end all that it started is killed and seen to be gone.

    Gives a function that returns what of it is a child of this process now.

    Processes that were there before are left alone, as is anything in a session of theirs or of this process's:
    a command started in a session of its own cannot get back into another one (setsid(2)). What another thread
    starts meanwhile is left alone too, unless that thread ends before, or is the main thread while this one is
    not, and it starts it in a session of its own. Raises Broken (`survivor`) where something cannot be killed.
    """
    with _ONE_COMMAND, _adoption():
        before = _children()
        sessions = _sessions({0, *before})
        strays = partial(_started_since, before, sessions)
        try:
            yield strays
        finally:
            _end(strays)


def adopt_orphans() -> None:
    """Be the one who adopts orphans, as long as this process lives."""
    prctl = _prctl()
    if prctl is not None:
        prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def end_children() -> None:
    """Kill every child of this process, adopted ones too, until there is none. Raises Broken (`survivor`)."""
    _end(lambda: list(_children()))


def kill_group(leader: int) -> None:
    """Kill the process group of a child that has not been waited for yet, so that its number is still its own."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, signal.SIGKILL)


def _end(strays: Callable[[], list[int]]) -> None:
    deadline = time.monotonic() + _PATIENCE_S
    pause = _SHORTEST_PAUSE_S
    while alive := strays():
        gone = [_kill_and_reap(pid) for pid in alive]
        if time.monotonic() > deadline:
            raise Broken("survivor", f"processes {alive} are there {_PATIENCE_S:g} s after the first was killed")
        if not all(gone):
            time.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE_S)


def _kill_and_reap(child: int) -> bool:
    """Kill a child with its process group; return whether it is gone."""
    with suppress(ProcessLookupError):
        kill_group(os.getpgid(child))
    with suppress(ProcessLookupError, PermissionError):
        os.kill(child, signal.SIGKILL)
    try:
        return os.waitpid(child, os.WNOHANG)[0] == child
    except ChildProcessError:
        return True


def _started_since(before: frozenset[int], sessions: frozenset[int]) -> list[int]:
    return [pid for pid in _children() - before if not _sessions({pid}) & sessions]


def _sessions(processes: set[int]) -> frozenset[int]:
    found = set()
    for process in processes:
        with suppress(ProcessLookupError, PermissionError):
            found.add(os.getsid(process))
    return frozenset(found)


def _children() -> frozenset[int]:
    """Return the children of this process: those that this thread started, and all adopted ones.

    The kernel gives orphans to the first thread (find_alive_thread in kernel/exit.c), so that what other threads
    start meanwhile is not among them.
    """
    if _is_childless():
        return frozenset()
    found: set[int] = set()
    for thread in {os.getpid(), threading.get_native_id()}:
        try:
            found.update(map(int, Path(f"/proc/self/task/{thread}/children").read_bytes().split()))
        except FileNotFoundError:
            return _children_by_parent()
    return frozenset(found)


def _is_childless() -> bool:
    """Tell whether there is certainly no child, dead or alive; where that cannot be asked, say no."""
    if not hasattr(os, "waitid"):
        return False
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return True
    return False


def _children_by_parent() -> frozenset[int]:
    """Return the same by asking every process for its parent: for kernels without CONFIG_PROC_CHILDREN."""
    found = set()
    for status in Path("/proc").glob("[0-9]*/stat"):
        with suppress(FileNotFoundError, ProcessLookupError):
            # The name in parentheses can hold anything; state and parent follow its last closing one (proc(5)).
            parent = status.read_bytes().rpartition(b")")[2].split()[1]
            if int(parent) == os.getpid():
                found.add(int(status.parent.name))
    return frozenset(found)


@contextmanager
def _adoption() -> Iterator[None]:
    """Be the one who adopts orphans, and afterwards what this process was before."""
    prctl = _prctl()
    if prctl is None:
        yield
        return
    former = ctypes.c_int(0)
    prctl(_GET_CHILD_SUBREAPER, ctypes.byref(former), 0, 0, 0)
    prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    try:
        yield
    finally:
        prctl(_SET_CHILD_SUBREAPER, former.value, 0, 0, 0)


@cache
def _prctl() -> Callable[..., int] | None:
    """Return the C library's function, or None where it has none."""
    return getattr(ctypes.CDLL(None), "prctl", None)

"""The first process of a container: root with the capabilities to change its user, to give files away and to kill.

It runs items one after another, each as a user of its own in a directory of its own, and touches what an item
left only as that item's user: a hostile link or mode gives nothing that the item did not have. When an item's
first process ends, everything else in the container is killed and reaped, and the kernel proves it: a first
process inherits every orphan, so that no child left means no process left (pid_namespaces(7)). No item can signal,
trace or read the agent, which is another user. It ends when its input does, and the container with it.
"""

from __future__ import annotations

import gc
import os
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from pytest_quotebench.core.errors import Broken
from pytest_quotebench.processes.containers.item import Runner, as_user, end_everything
from pytest_quotebench.processes.containers.messages import Frame, Parts, packed, receive, tree_of
from pytest_quotebench.processes.containers.places import (
    APPLETS,
    AUX,
    FIRST_UID,
    TASK,
    TMP,
    UIDS,
    VAR_TMP,
    WORK,
    WORK_MODE,
)
from pytest_quotebench.processes.containers.setup import start_waiting
from pytest_quotebench.processes.directory import lay_out
from pytest_quotebench.processes.events import EventCounters
from pytest_quotebench.processes.removal import remove_directory

_LARGEST = 2**31
_KEPT_CLEAN = (WORK, TMP, VAR_TMP)
_ALWAYS_EMPTY = ("/dev/mqueue",)
"""Can be written to by its mode alone: the container has no message queues, and an item's limit for them is 0."""
_CGROUP = "/sys/fs/cgroup"
_EVENTS = (
    ("limit:memory", f"{_CGROUP}/memory/memory.oom_control", "oom_kill"),
    ("limit:pids", f"{_CGROUP}/pids/pids.events", "max"),
    ("limit:memory", f"{_CGROUP}/memory.events", "oom_kill"),
    ("limit:pids", f"{_CGROUP}/pids.events", "max"),
)
"""The container's own counters, in cgroups of version 1 and of version 2."""


def main(stream: BinaryIO) -> None:
    """Serve items until the host's end of `stream` is closed."""
    os.umask(0o022)
    os.setgroups([])
    settings = receive(stream.read, 0)
    if settings is None:
        return
    _check_places()
    counters = EventCounters(event for event in _EVENTS if Path(event[1]).exists())
    agent = Agent(stream, counters, settings.head["cpu_s"], settings.head["file_bytes"])
    gc.collect()
    gc.freeze()  # so that the waiting processes share the memory
    turn = settings.head["turn"]
    while agent.serve(FIRST_UID + turn % UIDS):
        turn += 1


class Agent:
    """Runs items, one at a time."""

    def __init__(self, stream: BinaryIO, counters: EventCounters, cpu_s: int, file_bytes: int) -> None:
        self._stream = stream
        self._counters = counters
        self._cpu_s = cpu_s
        self._file_bytes = file_bytes

    def serve(self, uid: int) -> bool:
        """Run one item as the user `uid` and leave nothing of it; return False where there is no more to do."""
        for path in (TASK, AUX):
            Path(path).mkdir(0o755)
            os.chown(path, uid, uid)
        ours, theirs = socket.socketpair()
        with ours, theirs:
            first = start_waiting(theirs, uid, self._cpu_s, self._file_bytes)
            theirs.close()
            _write(packed({"ready": True}))
            request = receive(self._stream.read, _LARGEST)
            while request is not None and "applets" in request.head:
                _lay_applets(request)
                request = receive(self._stream.read, _LARGEST)
            if request is None:
                return False
            with _opened(TASK) as task, _opened(AUX) as auxiliary:
                runner = Runner(uid, first, ours, task, auxiliary, self._counters)
                try:
                    answer = self._held(runner, request) if "held" in request.head else runner.answer(request)
                except Broken as broken:
                    end_everything(first)
                    answer = packed({"broken": [broken.detail, str(broken)]})
        _write(answer)
        _clean(uid)
        return True

    def _held(self, runner: Runner, request: Frame) -> list[bytes]:
        """Hold an item's directory until the host says that it is over; end where the host is gone."""

        def until_over() -> None:
            _write(packed({"held": runner.uid}))
            if receive(self._stream.read, 0) is None:
                sys.exit()

        return runner.hold(request, until_over)


def _check_places() -> None:
    """End where an engine has mounted more that an item could write to: it would be left to the next."""
    mounts = [line.split()[4] for line in Path("/proc/self/mountinfo").read_text(encoding="utf-8").splitlines()]
    with as_user(FIRST_UID):
        writable = {
            path for path in mounts if Path(path).is_dir() and os.access(path, os.W_OK, effective_ids=True)
        }
    if unknown := writable.difference(_KEPT_CLEAN, _ALWAYS_EMPTY):
        sys.exit(f"the engine has mounted what items can write to: {unknown}")


def _lay_applets(request: Frame) -> None:
    """Lay a set of programs out as root's: no item can change them."""
    path = f"{APPLETS}/{request.head['applets']}"
    Path(path).mkdir(0o755)
    with _opened(path) as directory:
        lay_out(tree_of(request.head["tree"], Parts(request.body)), directory)


def _clean(uid: int) -> None:
    """Remove everything that the user made, as that user; nothing of it runs any more."""
    os.chown(WORK, uid, -1)
    with as_user(uid):
        for place in _KEPT_CLEAN:
            with _opened(place) as directory:
                _empty(directory)
                with os.scandir(directory) as listing:
                    if left := [entry.name for entry in listing]:
                        sys.exit(f"an item left what cannot be removed: {left!r:.200}")
    os.chown(WORK, 0, -1)
    Path(WORK).chmod(WORK_MODE)


def _empty(directory: int) -> None:
    with os.scandir(directory) as listing:
        for entry in listing:
            if entry.is_dir(follow_symlinks=False):
                remove_directory(directory, entry.name)
            else:
                os.unlink(entry.name, dir_fd=directory)


@contextmanager
def _opened(path: str) -> Iterator[int]:
    """Hold a directory open."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _write(parts: list[bytes]) -> None:
    for part in parts:
        left = memoryview(part)
        while left:
            left = left[os.write(1, left) :]

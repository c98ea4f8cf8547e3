"""The parent of commands that run unprotected: a fresh interpreter with nothing in it that is worth reading.

A command may kill its parent, which must not be pytest; and what it leaves behind is adopted by the nearest
ancestor that asked for it, which must be somebody who waits for nothing else. `main` is what the interpreter runs.
Linux alone; its modules import the standard library and each other.
"""

from __future__ import annotations

import errno
import marshal
import os
import resource
import select
import signal
import socket
import time
from typing import NamedTuple, NoReturn

from pytest_quotebench.processes.becoming import limit_resources, spawn
from pytest_quotebench.processes.descendants import adopt_orphans, end_children, kill_group
from pytest_quotebench.processes.namespaces import messages

_ROOM_FOR_OTHERS = 4096
"""RLIMIT_NPROC counts all that the user runs (getrlimit(2)), for which there must be room."""


class Bounds(NamedTuple):
    """The limits of every command of one keeper."""

    memory_bytes: int
    """Of each process; 0 where a cgroup bounds all of them together, and their number."""
    processes: int
    cpu_s: int
    file_bytes: int


def main(descriptor: int) -> NoReturn:
    """Run commands one after another until pytest's side is gone, and end what runs then."""
    channel = socket.socket(fileno=descriptor)
    channel.set_inheritable(False)
    pytest = os.pidfd_open(os.getppid())
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # where it is ignored there is no status to wait for
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.umask(0o022)
    adopt_orphans()
    message = messages.receive(channel)
    if message is not None:
        bounds = Bounds(*marshal.loads(message.body))  # noqa: S302 -- no command has run yet
        # What it sets for itself every command has from the start. Its own CPU time counts as well: before that
        # is used up it ends, and another one takes its place.
        limit_resources(bounds.cpu_s, bounds.file_bytes, _of_memory(bounds))
        signal.signal(signal.SIGXCPU, signal.SIG_IGN)
        try:
            while time.process_time() < bounds.cpu_s / 2 and _serve(channel, pytest):
                pass
        finally:
            end_children()
    os._exit(0)


def _serve(channel: socket.socket, pytest: int) -> bool:
    """Run one command to its end, and everything it started; return whether there may be another one."""
    message = messages.receive(channel)
    if message is None:
        return False
    try:
        first = _start(message)
    except (OSError, ValueError) as error:
        number = getattr(error, "errno", None) or errno.EINVAL
        messages.send(channel, messages.FAILED, b"%d" % number)
        return True
    descriptor = os.pidfd_open(first)
    try:
        messages.send(channel, messages.READY, b"%d" % first, (descriptor,))
        is_wanted = _wait(descriptor, pytest, channel.fileno())
    finally:
        os.close(descriptor)
    kill_group(first)
    os.kill(first, signal.SIGKILL)
    _, status, usage = os.wait4(first, 0)
    end_children()
    if is_wanted:
        spent = usage.ru_utime + usage.ru_stime
        messages.send(channel, messages.STATUS, messages.STATUS_BODY.pack(status, 0, spent))
    return is_wanted


def _start(message: messages.Message) -> int:
    directory, argv, environment = marshal.loads(message.body)  # noqa: S302 -- from pytest's side
    os.chdir(directory)
    try:
        return spawn(argv, environment, message.descriptors)
    finally:
        os.chdir("/")
        for descriptor in message.descriptors:
            os.close(descriptor)


def _wait(first: int, pytest: int, channel: int) -> bool:
    """Wait for the end of the command, or of pytest; return whether it was the command's."""
    ends = select.poll()
    ends.register(first, select.POLLIN)
    ends.register(pytest, select.POLLIN)
    ends.register(channel, 0)  # no more than that it was closed
    return all(descriptor == first for descriptor, _ in ends.poll())


def _of_memory(bounds: Bounds) -> list[tuple[int, int]]:
    if not bounds.memory_bytes:
        return []
    return [
        (resource.RLIMIT_DATA, bounds.memory_bytes),
        (resource.RLIMIT_NPROC, bounds.processes + _ROOM_FOR_OTHERS),
    ]

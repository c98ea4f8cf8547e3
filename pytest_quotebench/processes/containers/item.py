"""One item in a container, from request to answer. Part of the agent's program."""

from __future__ import annotations

import errno
import marshal
import os
import signal
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from pytest_quotebench.core.capture import Capture, capture_directory
from pytest_quotebench.core.errors import Broken
from pytest_quotebench.core.execution import REPORT
from pytest_quotebench.core.limits import Limits, TreeLimits
from pytest_quotebench.core.text import to_bytes
from pytest_quotebench.core.tree import FileTree
from pytest_quotebench.processes.containers.messages import (
    NAME_BYTES,
    Frame,
    Head,
    Parts,
    name_bytes,
    packed,
    tree_of,
    tree_rows,
)
from pytest_quotebench.processes.directory import lay_out
from pytest_quotebench.processes.ending import limit_met, read_report
from pytest_quotebench.processes.events import EventCounters
from pytest_quotebench.processes.namespaces import messages
from pytest_quotebench.processes.pipes import Pipes, connected
from pytest_quotebench.processes.watching import Watch

_PATIENCE_S, _PAUSE_S = 10.0, 0.0005
"""How long what was killed may take to be gone, and between two looks."""


class Reaped(NamedTuple):
    """How an item's first process ended."""

    code: int
    """Its exit status, or the number of its signal below 0."""
    cpu_s: float


@dataclass
class Runner:
    """What one item runs with: its user, the process that waits to be its first, its open directories."""

    uid: int
    first: int
    channel: socket.socket
    task: int
    auxiliary: int
    counters: EventCounters

    def answer(self, request: Frame) -> list[bytes]:
        """Run what is asked for to its end; return the frame that tells of it. Raises Broken."""
        head, parts = request.head, Parts(request.body)
        limits = Limits(**{**head["limits"], "tree": TreeLimits(**head["limits"]["tree"])})
        with as_user(self.uid):
            lay_out(tree_of(head["tree"], parts), self.task)
            lay_out(tree_of(head["aux"], parts), self.auxiliary)
            os.fchmod(self.auxiliary, 0o555)
        self.counters.happened()
        with connected(parts.take(head["stdin"]), limits) as pipes:
            pipes.give_away(self.uid, self.uid)
            started = time.monotonic()
            self._watch(head, pipes)
            duration = time.monotonic() - started
            reaped = end_everything(self.first)
            pipes.watch.drain()
        self._check_start(head)
        detail = limit_met(pipes.watch, self.counters.happened(), reaped.code, reaped.cpu_s, limits)
        after = self._captured(limits.tree)
        with as_user(self.uid):
            report = read_report(self.auxiliary, REPORT)
        return _answer(pipes.watch, reaped, after, report, {"detail": detail, "duration_s": duration})

    def hold(self, request: Frame, until_over: Callable[[], None]) -> list[bytes]:
        """Lay the directory out, let others work in it until that returns; end them, and tell what they left."""
        head = request.head
        limits = Limits(**{**head["limits"], "tree": TreeLimits(**head["limits"]["tree"])})
        with as_user(self.uid):
            lay_out(tree_of(head["tree"], Parts(request.body)), self.task)
        end_everything(self.first)  # it has nothing to do here, and no business beside a command
        self.counters.happened()
        until_over()
        end_strangers()
        met = self.counters.happened()
        after = self._captured(limits.tree)
        rows, contents = tree_rows(after.tree)
        return packed({"limit": met[0] if met else after.limit, "tree": rows}, contents)

    def _watch(self, head: Head, pipes: Pipes) -> None:
        argv = [to_bytes(argument) for argument in head["argv"]]
        environment = {to_bytes(name): to_bytes(value) for name, value in head["env"].items()}
        messages.send(self.channel, messages.START, marshal.dumps((argv, environment)), pipes.theirs)
        pipes.close_theirs()
        pidfd = os.pidfd_open(self.first)
        try:
            pipes.watch.until_end(self._has_ended, pidfd)
        finally:
            os.close(pidfd)

    def _has_ended(self) -> bool:
        return os.waitid(os.P_PID, self.first, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None

    def _check_start(self, head: Head) -> None:
        """Raise Broken where the process said that it cannot become the command: only before it was one."""
        said = messages.receive(self.channel)
        if said is not None:
            number = int(said.body)
            name = errno.errorcode.get(number, "unknown")
            raise Broken(f"spawn:{name}", f"cannot start {head['argv'][0]!r:.100}: {os.strerror(number)}")

    def _captured(self, limits: TreeLimits) -> Capture:
        with as_user(self.uid):
            after = capture_directory(self.task, limits)
        if name_bytes(after.tree) > NAME_BYTES:
            return Capture(FileTree(), "limit:tree")
        state = os.fstatvfs(self.task)
        return after.unless(state.f_bfree == 0 or state.f_ffree == 0)


def end_everything(first: int) -> Reaped:
    """Kill and reap every process but this one; return how `first` ended.

    kill(2) with -1 signals all of them at once: none can fork its way out of it on a kernel since 4.19, and on an
    older one it is done again.
    """
    reaped = Reaped(-signal.SIGKILL, 0.0)
    while True:
        try:
            with suppress(ProcessLookupError):
                os.kill(-1, signal.SIGKILL)
            number, status, usage = os.wait4(-1, 0)
        except ChildProcessError:
            return reaped
        if number == first:
            reaped = Reaped(os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime)


def end_strangers() -> None:
    """Kill what the engine has started in here: children of its own, which nobody here can wait for.

    One that has ended and is not waited for yet has nothing open any more. Raises Broken (`survivor`).
    """
    deadline = time.monotonic() + _PATIENCE_S
    end_everything(0)
    while any(map(_lives, _others())):
        if time.monotonic() > deadline:
            raise Broken("survivor", "something in the container cannot be killed")
        time.sleep(_PAUSE_S)
        end_everything(0)


def _others() -> list[str]:
    names = (path.name for path in Path("/proc").iterdir())
    return [name for name in names if name.isdigit() and int(name) != os.getpid()]


def _lives(number: str) -> bool:
    try:
        state = Path("/proc", number, "stat").read_bytes().rpartition(b")")[2].split()[0]
        return state not in (b"Z", b"X") or len(list(Path("/proc", number, "task").iterdir())) > 1
    except OSError:
        return False


@contextmanager
def as_user(uid: int) -> Iterator[None]:
    """Be that user to the file system, without any capability, and root again afterwards (seteuid(2))."""
    os.setegid(uid)
    os.seteuid(uid)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setegid(0)


def _answer(watch: Watch, reaped: Reaped, after: Capture, report: bytes, facts: Head) -> list[bytes]:
    streams = watch.kept[watch.stdout], watch.kept[watch.stderr]
    parts = [*(stream.value() for stream in streams), report]
    rows, contents = tree_rows(after.tree)
    head: Head = {
        **facts,
        "code": reaped.code,
        "timed_out": watch.timed_out,
        "limit": after.limit,
        "lengths": [stream.length for stream in streams],
        "parts": [len(part) for part in parts],
        "tree": rows,
    }
    return packed(head, [*parts, *contents])

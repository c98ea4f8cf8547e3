"""Running processes of this machine to their end by a keeper, which is their parent in this process's stead."""

from __future__ import annotations

import errno
import marshal
import os
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path
from signal import SIGKILL
from typing import NamedTuple

from pytest_quotebench.core.errors import Broken
from pytest_quotebench.core.limits import Limits
from pytest_quotebench.core.text import to_bytes
from pytest_quotebench.processes.bounding import Bound
from pytest_quotebench.processes.descendants import nothing_outlives
from pytest_quotebench.processes.ending import Ended, limit_met
from pytest_quotebench.processes.interpreter import start_interpreter
from pytest_quotebench.processes.keeper import Bounds
from pytest_quotebench.processes.namespaces import messages
from pytest_quotebench.processes.pipes import Pipes, connected
from pytest_quotebench.processes.running import run_to_end
from pytest_quotebench.processes.watching import Watch

_MODULE = "pytest_quotebench.processes.keeper"
_START_S = 10.0
_KEEPERS_TRIED = 2
_PATIENCE_S = 6.0
"""How long a keeper may take to end what a command left: it gives up before."""
_STOPPED_S = 1.0


class KeeperGone(Exception):
    """There is no keeper, and no command was started."""


def can_be_kept() -> bool:
    """Tell whether this system has what a keeper needs: Linux with pidfd_open(2), not forbidden."""
    if sys.platform != "linux" or not hasattr(signal, "pidfd_send_signal"):
        return False
    try:
        os.close(os.pidfd_open(os.getpid()))
    except (AttributeError, OSError):
        return False
    return True


class _First(NamedTuple):
    """The first process of a command."""

    number: int
    descriptor: int
    """Readable when it has ended, whoever is its parent by then (pidfd_open(2))."""

    def has_ended(self) -> bool:
        return _is_readable(self.descriptor, 0)

    def kill(self) -> None:
        with suppress(ProcessLookupError, PermissionError):
            signal.pidfd_send_signal(self.descriptor, SIGKILL)

    def close(self) -> None:
        os.close(self.descriptor)


_Command = tuple[bytes, list[bytes], dict[bytes, bytes]]
"""Its directory, its arguments and its environment."""


class _Status(NamedTuple):
    wait_status: int
    cpu_s: float


class Commands:
    """Runs one command after the other by a keeper; by this process itself where there can be none (macOS)."""

    def __init__(self) -> None:
        self._keeper: Keeper | None = None
        self._can_be_kept = can_be_kept()

    def run_to_end(
        self, argv: Sequence[bytes], *, env: Mapping[str, str], cwd: str, limits: Limits, stdin: bytes = b""
    ) -> Ended:
        """Run `argv` as `running.run_to_end` does, which see; by a keeper, within the limits on resources too.

        Raises Broken and OSError.
        """
        for _ in range(_KEEPERS_TRIED if self._can_be_kept else 0):
            try:
                return self._kept(limits).run_to_end(argv, env=env, cwd=cwd, limits=limits, stdin=stdin)
            except KeeperGone:  # killed between two commands
                self.close()
            except Broken:
                raise
            except BaseException:
                self.close()
                raise
        # Nobody kills two of them before they have run anything: this user may not start this Python.
        self._can_be_kept = False
        return run_to_end(argv, env=env, cwd=cwd, limits=limits, stdin=stdin)

    def close(self) -> None:
        """End the keeper, if there is one."""
        keeper, self._keeper = self._keeper, None
        if keeper is not None:
            keeper.close()

    def _kept(self, limits: Limits) -> Keeper:
        if self._keeper is None or not self._keeper.is_for(limits):
            self.close()
            self._keeper = Keeper(limits)
        return self._keeper


class Keeper:
    """One keeper, and the cgroup that bounds its commands, where one is granted. It runs one command at a time."""

    def __init__(self, limits: Limits) -> None:
        """Start it. Raises KeeperGone."""
        self._for = _bounds(limits)
        self._bound = Bound(limits)
        self._channel, theirs = socket.socketpair()
        try:
            with theirs:
                self._process = start_interpreter(_MODULE, theirs.fileno())
            self._channel.settimeout(_START_S)
            is_bound = self._bound.add(self._process.pid)
            bounds = self._for._replace(memory_bytes=0) if is_bound else self._for
            messages.send(self._channel, messages.PARAMETERS, marshal.dumps(tuple(bounds)))
        except OSError as error:
            self._channel.close()
            self._bound.close()
            raise KeeperGone(f"the parent of the commands cannot be started: {error}") from error

    def is_for(self, limits: Limits) -> bool:
        """Tell whether it is there, and runs commands under these limits."""
        return self._process.poll() is None and self._for == _bounds(limits)

    def run_to_end(
        self, argv: Sequence[bytes], *, env: Mapping[str, str], cwd: str, limits: Limits, stdin: bytes = b""
    ) -> Ended:
        """Run `argv` as `running.run_to_end` does, which see. Raises Broken; KeeperGone where it did not start.

        A command that kills the keeper ends like any other: this process then adopts it, and waits for it.
        """
        variables = {to_bytes(name): to_bytes(value) for name, value in env.items()}
        command = (to_bytes(cwd), list(argv), variables)
        with connected(stdin, limits) as pipes, nothing_outlives() as strays:
            with closing(self._start(command, pipes, strays)) as first:
                started = time.monotonic()
                try:
                    pipes.watch.until_end(first.has_ended, first.descriptor)
                    duration = time.monotonic() - started
                finally:
                    first.kill()
                    status = self._status(first)
            pipes.watch.drain()
        return self._ended(pipes.watch, status, duration, limits)

    def close(self) -> None:
        """End it and all that it runs."""
        self._channel.close()
        try:
            self._process.wait(_PATIENCE_S)
        except subprocess.TimeoutExpired:
            self._end()
            self._bound.kill()
        self._bound.close()

    def _start(self, command: _Command, pipes: Pipes, strays: Callable[[], list[int]]) -> _First:
        """Start a command. Raises Broken (`spawn:<errno name>`) and KeeperGone."""
        with suppress(OSError):
            messages.send(self._channel, messages.START, marshal.dumps(command), pipes.theirs)
            pipes.close_theirs()
            deadline = time.monotonic() + _START_S
            message = messages.receive(self._channel) if self._answers(deadline) else None
            if message is not None and message.kind == messages.FAILED:
                number = int(message.body)
                name = errno.errorcode.get(number, "unknown")
                raise Broken(f"spawn:{name}", f"cannot start {command[1][0]!r}: {os.strerror(number)}")
            if message is not None:
                return _First(int(message.body), message.descriptors[0])
        # A command may be quicker in ending the keeper than that is in telling of it.
        self._end()
        adopted = sorted(strays(), key=_start_of)
        if not adopted:
            raise KeeperGone("the parent of the commands has ended")
        return _First(adopted[0], os.pidfd_open(adopted[0]))

    def _ended(self, watch: Watch, status: _Status, duration: float, limits: Limits) -> Ended:
        code = os.waitstatus_to_exitcode(status.wait_status)
        detail = limit_met(watch, self._bound.met(), code, status.cpu_s, limits)
        return Ended.of(code, watch, duration, detail)

    def _status(self, first: _First) -> _Status:
        """Return how the command ended, when all that it started is gone, or is now this process's to end."""
        deadline = time.monotonic() + _PATIENCE_S
        with suppress(OSError):
            while self._answers(deadline) and (message := messages.receive(self._channel)) is not None:
                if message.kind == messages.STATUS:
                    status, _, cpu_s = messages.STATUS_BODY.unpack(message.body)
                    return _Status(status, cpu_s)
        return self._status_of_orphan(first)

    def _answers(self, deadline: float) -> bool:
        """Wait for a word; a keeper that the command has stopped will not say any."""
        while not _is_readable(self._channel.fileno(), _STOPPED_S):
            if time.monotonic() > deadline or _is_stopped(self._process.pid):
                return False
        return True

    def _status_of_orphan(self, first: _First) -> _Status:
        """Return the status of a command whose keeper is gone: it is a child of this process now."""
        self._end()
        self._bound.kill()
        if not _is_readable(first.descriptor, _PATIENCE_S):
            raise Broken("survivor", f"the process {first.number} cannot be killed")
        try:
            _, status, usage = os.wait4(first.number, 0)
        except ChildProcessError:
            return _Status(SIGKILL, 0.0)
        return _Status(status, usage.ru_utime + usage.ru_stime)

    def _end(self) -> None:
        """Kill the keeper and wait for it: with its end all that it had adopted is adopted by this process."""
        self._process.kill()
        self._process.wait()


def _bounds(limits: Limits) -> Bounds:
    return Bounds(limits.memory_bytes, limits.processes, limits.cpu_s, limits.tree.file_bytes)


def _is_stopped(process: int) -> bool:
    return _stat_of(process)[:1] in ([b"T"], [b"t"])


def _start_of(process: int) -> tuple[int, int]:
    """Return what tells which of several processes is the oldest: its start in clock ticks, then its number."""
    return int((_stat_of(process)[19:20] or [b"0"])[0]), process


def _stat_of(process: int) -> list[bytes]:
    """Return what is told of a process from its state on (proc_pid_stat(5)); nothing where it is gone."""
    try:
        return Path(f"/proc/{process}/stat").read_bytes().rpartition(b")")[2].split()
    except OSError:
        return []


def _is_readable(descriptor: int, timeout_s: float) -> bool:
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(1000 * timeout_s))

"""Pytest's side: starting a helper, and asking it to run items one after another."""

from __future__ import annotations

import marshal
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from pytest_quotebench.processes.namespaces import messages
from pytest_quotebench.processes.namespaces.kernel import StepFailed, kill_by_descriptor
from pytest_quotebench.processes.namespaces.messages import Message, Parameters

_PACKAGE_PARENT = Path(__file__).resolve().parents[3]
_PROGRAM = (
    "import sys; sys.path.insert(0, sys.argv[1]); "
    "from pytest_quotebench.processes.namespaces.zygote import main; main(int(sys.argv[2]))"
)
_PATIENCE_S = 10.0
"""How long an answer may take that needs no command to have run."""


class HelperGone(Exception):
    """The helper, or the item's first process, is not there any more, and nobody here ended it."""


class Item(NamedTuple):
    """An item that is set up and waits for its command."""

    directory: int
    """Its task directory, open."""
    init: int
    """A descriptor of its first process (pidfd_open(2)), readable when all of the item is gone."""

    def has_ended(self) -> bool:
        """Tell whether every process of the item is gone."""
        return _is_readable(self.init, 0)

    def end(self) -> bool:
        """Kill everything of it; return whether it is gone, which only a process that cannot be killed prevents."""
        with suppress(StepFailed):
            kill_by_descriptor(self.init, signal.SIGKILL)
        return _is_readable(self.init, _PATIENCE_S)

    def close(self) -> None:
        """Let go of it."""
        os.close(self.directory)
        os.close(self.init)


class Status(NamedTuple):
    """An init's last word."""

    wait_status: int
    errno: int
    """Not 0 where the command could not be started."""
    cpu_s: float


class Client:
    """One helper with its namespaces. It serves one item at a time."""

    def __init__(self, parameters: Parameters) -> None:
        """Start a helper. Raises StepFailed where the kernel refuses a step, HelperGone, and OSError."""
        self.parameters = parameters
        self._channel, theirs = socket.socketpair()
        try:
            self._channel.settimeout(_PATIENCE_S)
            with theirs:
                self._process = _start(theirs.fileno())
        except BaseException:
            self._channel.close()
            raise
        try:
            messages.send(self._channel, messages.PARAMETERS, marshal.dumps(tuple(parameters)))
            first = self._receive(messages.AUXILIARY)
        except BaseException:
            self.close()
            raise
        self.auxiliary = first.descriptors[0]
        """The directory for auxiliary files, open; items see it read-only."""
        self._events = [_Events(*place) for place in marshal.loads(first.body)]  # noqa: S302 -- no item has run yet

    def next_item(self) -> Item:
        """Return an item that is set up. Raises StepFailed, HelperGone and OSError."""
        return Item(*self._receive(messages.READY).descriptors)

    def start(self, argv: Sequence[bytes], environment: Mapping[bytes, bytes], streams: Sequence[int]) -> None:
        """Start the command of the item that was returned last; `streams` are its output, error and input."""
        messages.send(self._channel, messages.START, marshal.dumps((list(argv), dict(environment))), streams)

    def status(self) -> Status | None:
        """Return what the item's init said at its end, or None where it was killed before it said anything."""
        if not _is_readable(self._channel.fileno(), 0):
            return None
        kind = self._channel.recv(1, socket.MSG_PEEK)
        if kind != messages.STATUS:
            return None
        return Status(*messages.STATUS_BODY.unpack(self._receive(messages.STATUS).body))

    def met_limits(self) -> list[str]:
        """Return the details of the limits that the kernel saw an item meet since this was asked last."""
        return [events.detail for events in self._events if events.happened()]

    def close(self) -> None:
        """End the helper and all that is below it."""
        self._channel.close()
        for events in getattr(self, "_events", ()):
            os.close(events.file)
        if hasattr(self, "auxiliary"):
            os.close(self.auxiliary)
        try:
            self._process.wait(_PATIENCE_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _receive(self, kind: bytes) -> Message:
        """Return the next message of a kind; what an item that was killed still said is passed over."""
        while True:
            try:
                message = messages.receive(self._channel)
            except TimeoutError:
                raise HelperGone(f"the helper has not answered for {_PATIENCE_S:g} s") from None
            if message is None:
                raise HelperGone("the helper has ended")
            if message.kind == kind:
                return message
            for descriptor in message.descriptors:
                os.close(descriptor)
            if message.kind == messages.FAILED:
                number, _, step = message.body.decode().partition(" ")
                raise StepFailed(step, int(number))


class _Events:
    """A counter of the kernel in a file of the form `word number`, line by line."""

    def __init__(self, detail: str, path: str, word: str) -> None:
        self.detail = detail
        self.file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        self._word = word.encode()
        self._count = self._read()

    def happened(self) -> bool:
        former, self._count = self._count, self._read()
        return self._count > former

    def _read(self) -> int:
        lines = (line.split() for line in os.pread(self.file, 4096, 0).splitlines())
        return next((int(line[1]) for line in lines if line[0] == self._word), 0)


def _start(descriptor: int) -> subprocess.Popen[bytes]:
    """Start a fresh interpreter that has nothing of this process but one end of a socket pair."""
    # Some Pythons need it to find their own shared library; the helper erases it from its memory.
    environment = {name: os.environ[name] for name in ("LD_LIBRARY_PATH",) if name in os.environ}
    return subprocess.Popen(  # noqa: S603 -- our own program
        [sys.executable, "-I", "-S", "-B", "-c", _PROGRAM, str(_PACKAGE_PARENT), str(descriptor)],
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        pass_fds=(descriptor,),
        start_new_session=True,
        cwd="/",
    )


def _is_readable(descriptor: int, timeout_s: float) -> bool:
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(1000 * timeout_s))

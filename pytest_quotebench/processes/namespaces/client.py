"""Pytest's side: starting a helper, and asking it to run items one after another."""

from __future__ import annotations

import marshal
import os
import select
import signal
import socket
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from typing import NamedTuple

from pytest_quotebench.core.execution import Applets
from pytest_quotebench.processes.cgroups import Cgroup
from pytest_quotebench.processes.events import EventCounters
from pytest_quotebench.processes.interpreter import start_interpreter
from pytest_quotebench.processes.namespaces import messages
from pytest_quotebench.processes.namespaces.kernel import StepFailed, kill_by_descriptor
from pytest_quotebench.processes.namespaces.messages import Message, Parameters

_MODULE = "pytest_quotebench.processes.namespaces.zygote"
_PATIENCE_S = 10.0
"""How long an answer may take that needs no command to have run."""


class HelperGone(Exception):
    """The helper, or the item's first process, is not there any more, and nobody here ended it."""


class Item(NamedTuple):
    """An item that is set up and waits for its command."""

    directory: int
    """Its task directory, open."""
    scratch: int
    """Its /tmp, open."""
    init: int
    """A descriptor of its first process (pidfd_open(2)), readable when all of the item is gone."""

    def has_ended(self) -> bool:
        """Tell whether every process of the item is gone."""
        return _is_readable(self.init, 0)

    def end(self) -> bool:
        """Kill everything of it; return whether it is gone: what cannot be killed is all that prevents it."""
        with suppress(StepFailed):
            kill_by_descriptor(self.init, signal.SIGKILL)
        return _is_readable(self.init, _PATIENCE_S)

    def close(self) -> None:
        """Let go of it."""
        for descriptor in self:
            os.close(descriptor)


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
        with ExitStack() as held:
            held.enter_context(self._channel)
            with theirs:
                self._process = start_interpreter(_MODULE, theirs.fileno())
            held.callback(self._wait)
            self._channel.settimeout(_PATIENCE_S)
            messages.send(self._channel, messages.PARAMETERS, parameters.packed())
            first = self._receive(messages.AUXILIARY)
            self.auxiliary = first.descriptors[0]
            """The directory for auxiliary files, open; items see it read-only."""
            self.applets: set[Applets] = set()
            """Those that are laid out in it."""
            held.callback(os.close, self.auxiliary)
            group = Cgroup(*marshal.loads(first.body))  # noqa: S302 -- no item has run yet
            self._events = EventCounters(group.event_files)
            held.callback(self._events.close)
            self._group = group
            self._held = held.pop_all()

    def is_alive(self) -> bool:
        """Tell whether the helper is there; it goes when the zygote goes."""
        return self._process.poll() is None

    def next_item(self) -> Item:
        """Return an item that is set up. Raises StepFailed, HelperGone and OSError."""
        item = Item(*self._receive(messages.READY).descriptors)
        while item.has_ended():  # somebody has killed it while it waited
            item.close()
            item = Item(*self._receive(messages.READY).descriptors)
        return item

    def start(
        self,
        argv: Sequence[bytes],
        environment: Mapping[bytes, bytes],
        streams: Sequence[int],
        code: bytes | None = None,
    ) -> None:
        """Start the command of the item that was returned last; `streams` are its output, error and input.

        `code` is what `script.compiled` made of the program that `argv` would have an interpreter run.
        """
        body = marshal.dumps((list(argv), dict(environment), code))
        messages.send(self._channel, messages.START, body, streams)

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
        return self._events.happened()

    def close(self) -> None:
        """End the helper and all that is below it."""
        self._held.close()
        self._group.remove()  # in case that the helper was killed, which does so itself

    def _wait(self) -> None:
        """Have the helper end, which it does when this side of the channel is closed."""
        self._channel.close()
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


def _is_readable(descriptor: int, timeout_s: float) -> bool:
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(1000 * timeout_s))

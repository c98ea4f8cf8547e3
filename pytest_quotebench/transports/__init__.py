"""Transports: the path a command takes to the shell that runs it.

One file each; the file's name is the option's value (`nested_single.py` is `nested-single`). Each file defines
`TRANSPORT`, an object of the protocol below. Commands are text that carries undecodable bytes as surrogates.
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from pytest_quotebench.core.errors import TransportError
from pytest_quotebench.core.execution import Execution, Invocation
from pytest_quotebench.core.layers import Layer
from pytest_quotebench.core.limits import Limits
from pytest_quotebench.core.tree import FileTree
from pytest_quotebench.processes.broker.ends import Near


class Transport(Protocol):
    """A command path that is a plan: arguments, standard input or files, and nothing else."""

    def plan(self, command: str) -> Invocation:
        """Return the process that carries `command`. Raises TransportError where it cannot be taken."""
        ...

    def layers(self, command: str) -> tuple[Layer, ...]:
        """Return what each parser along the way receives, outermost first; the last one is the final shell."""
        ...

    def matched(self, command: str) -> str:
        """Return the text that has, on this path, the effect that `command` has on the raw one.

        Raises ValueError where there is none (a NUL inside quotes).
        """
        ...


@runtime_checkable
class SessionTransport(Transport, Protocol):
    """A command path that is played by a driver: a small program that runs first inside the sandbox.

    Its invocation has `reports` set. The command shares the sandbox with the driver and may kill or forge it.
    """

    def interpret(self, execution: Execution) -> Execution | TransportError:
        """Return what the driver's report makes of the execution: the same, a worse or a finer one.

        A lost session that never came to its end event is `detail="hang"`; a gate that refused the command, and a
        report that is missing or unreadable, are a TransportError (`refused`, `died`).
        """
        ...


@runtime_checkable
class HostTransport(Transport, Protocol):
    """A command path through this machine, which no sandbox holds: it runs under `local` only."""

    @property
    def on_host(self) -> bool:
        """Always true; a transport without it stays in its sandbox."""
        ...


@runtime_checkable
class HostPath(HostTransport, Protocol):
    """A command path that is no process to start: it runs a command by itself."""

    def execute(self, tree: FileTree, command: str, limits: Limits) -> Execution:
        """Run `command` in a fresh directory that holds `tree`.

        Raises TransportError where the path does not take the command, Broken where the harness failed.
        """
        ...


@runtime_checkable
class BrokeredTransport(Transport, Protocol):
    """A command path that leads out of the sandbox, into a container or to a host, through a broker.

    The sandbox holds the local shell alone, in a directory that is empty at first; the task directory is at the
    far end. What the local shell leaves is not lost: it is an extra entry of the final state (`ends.NEAR`).
    """

    def refusal(self) -> str | None:
        """Return why the far end cannot be had from here, and what to do, or None."""
        ...

    def carry(self, near: Near, tree: FileTree, command: str, limits: Limits) -> Execution:
        """Run `command` in a fresh directory at the far end that holds `tree`; `near` runs the local shell.

        Raises TransportError where the path does not take the command, Broken where the far end failed.
        """
        ...

    def close(self) -> None:
        """Leave nothing at the far end; a transport that is used again starts anew."""
        ...

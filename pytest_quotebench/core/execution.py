"""What a sandbox is given and what it gives back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias

from pytest_quotebench.core.tree import File, FileTree

if TYPE_CHECKING:
    import socket

_NO_FILES: Mapping[str, File] = MappingProxyType({})
_NO_VARIABLES: Mapping[str, str] = MappingProxyType({})

REPORT = "report"
"""The name of the auxiliary file that a driver may write."""

MAX_REPORT_BYTES = 2**16

BROKER = "broker"
"""The name of the broker's socket among the auxiliary files."""

Broker: TypeAlias = "Callable[[socket.socket], AbstractContextManager[None]]"
"""Serves a listening socket from when it is entered until it is left; then nothing of what it did goes on."""

DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin"


@dataclass(frozen=True, slots=True)
class AuxPath:
    """An argument that is the path of an auxiliary file, known only to the sandbox that places it."""

    name: str


Argument = bytes | AuxPath


@dataclass(frozen=True, slots=True)
class Applets:
    """Programs that stand before all others in the PATH of an invocation.

    A sandbox lays a set out at its first use, in a directory of its own that items can read and not change. It
    takes one set of each name.
    """

    name: str
    """Letters, digits and hyphens: the directory is called after it."""
    tree: FileTree = field(hash=False)
    """Links to programs of the sandbox, and small programs, by the name that a command calls them by."""

    @property
    def directory(self) -> str:
        """The name of their directory."""
        return f"applets-{self.name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Invocation:
    """One process to start: exact arguments, added environment, standard input, auxiliary files.

    Auxiliary files lie outside the task directory, so that they are no part of its final state. Raises TypeError
    for an argument that is neither bytes nor an AuxPath, and ValueError where there is none.
    """

    argv: tuple[Argument, ...]
    env: Mapping[str, str] = field(default_factory=lambda: _NO_VARIABLES)
    stdin: bytes = b""
    aux_files: Mapping[str, File] = field(default_factory=lambda: _NO_FILES)
    tty: bool = False
    applets: Applets | None = None
    reports: bool = False
    """Whether the process is a driver that may leave word: it may write the auxiliary file `REPORT`, which is
    there and empty at the start, and whose first bytes come back in `Execution.report`."""
    broker: Broker | None = None
    """Who serves the socket that lies among the auxiliary files as `BROKER`, from before the process starts until
    all of it is gone. A sandbox that can bind none raises Broken (`unsupported`)."""

    def __post_init__(self) -> None:
        """Check the arguments: transports of third parties build them."""
        if not self.argv:
            raise ValueError("argv is empty: its first element is the program to start")
        for index, argument in enumerate(self.argv):
            if not isinstance(argument, bytes | AuxPath):
                kind = type(argument).__name__
                raise TypeError(f"argv[{index}] is of type {kind}: an argument is bytes or an AuxPath")


@dataclass(frozen=True, slots=True, kw_only=True)
class Execution:
    """Facts about one finished process, all of them owned by the harness, and the directory afterwards."""

    exit_status: int | None
    """0 to 255, or None where a signal ended the process."""
    signal: int | None
    """The number of the signal that ended the process, else None."""
    stdout: bytes
    """What was kept of standard output (`Limits.kept_output_bytes`)."""
    stderr: bytes
    stdout_length: int
    """The true length of standard output in bytes."""
    stderr_length: int
    duration_s: float
    timed_out: bool
    """Whether the deadline ended it."""
    detail: str | None = None
    """The limit that was hit (`limit:output`, `limit:tree`, ...) or `hang`; None where it ended by itself."""
    tree: FileTree = field(default_factory=FileTree)
    """The task directory after everything that the command started was gone."""
    report: bytes = b""
    """What a driver left in its report, `MAX_REPORT_BYTES` at most. The command could have written it too: it can
    make a verdict worse or finer, never a pass."""
    aux_directory: str = ""
    """Where the auxiliary files lay, as the command saw it: error messages name a script by its path."""


def execution_environment(home: str, path: str = DEFAULT_PATH) -> dict[str, str]:
    """Return the whole environment of a command: nothing of the harness's own environment is in it.

    `home` is the task directory as the command sees it. The three GIT_CONFIG variables say
    `safe.directory = *`, so that git works where the directory's owner is another user (git-config(1)).
    """
    return {
        "PATH": path,
        "HOME": home,
        "LC_ALL": "C",
        "LANG": "C",
        "TERM": "dumb",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "safe.directory",
        "GIT_CONFIG_VALUE_0": "*",
    }


def whole_environment(invocation: Invocation, home: str, applets: str) -> dict[str, str]:
    """Return the environment of an invocation's process; `applets` is the directory of its applets."""
    environment = {**execution_environment(home), **invocation.env}
    if invocation.applets is not None:
        environment["PATH"] = f"{applets}:{environment['PATH']}"
    return environment

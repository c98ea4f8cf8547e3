"""`local`: a fresh directory and a session of one's own on this machine, and no protection whatever.

For oracle and naive, and for replies only when asked for by name: a command can read and change all that this
user can. What it holds: the directory, the environment, the limits, and that nothing outlives the command. The
parent of a command is a process that holds nothing of pytest's, and may be killed by it.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import NamedTuple

from pytest_quotebench.core.capture import capture_directory
from pytest_quotebench.core.errors import Broken
from pytest_quotebench.core.execution import REPORT, Applets, AuxPath, Execution, Invocation, whole_environment
from pytest_quotebench.core.limits import Limits
from pytest_quotebench.core.text import to_bytes
from pytest_quotebench.core.tree import File, FileTree
from pytest_quotebench.processes.applets import AppletDirectory
from pytest_quotebench.processes.broker.place import auxiliary_tree, brokered
from pytest_quotebench.processes.directory import lay_out
from pytest_quotebench.processes.ending import read_report, to_execution
from pytest_quotebench.processes.keeping import Commands
from pytest_quotebench.processes.private import make_private_directory, remove_stale_directories
from pytest_quotebench.processes.removal import remove_directory

STRENGTH = 0
"""It holds nothing."""

BROKERS = True
"""A broker's socket can be bound for an item."""

_OPEN_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def refusal() -> str | None:
    """Return why this machine cannot run commands this way, or None."""
    return None if os.name == "posix" else "the local sandbox needs a POSIX system"


@contextmanager
def open_sandbox() -> Iterator[LocalSandbox]:
    """Open a sandbox with a private directory of its own, which is gone at the end.

    What could not be removed is told by a RuntimeWarning with its path. Raises Broken where the directory for
    temporary files cannot be used.
    """
    with closing(LocalSandbox()) as sandbox:
        yield sandbox


class _Place(NamedTuple):
    """A directory by its path, and open."""

    path: str
    directory: int


class LocalSandbox:
    """Runs one command after the other, each in a fresh directory below a private one."""

    name = "local"

    def __init__(self) -> None:
        remove_stale_directories()
        self._roots = [make_private_directory()]
        self._numbers = count(1)
        self._commands = Commands()
        self._applets: dict[Applets, AppletDirectory] = {}

    def run(self, tree: FileTree, invocation: Invocation, limits: Limits) -> Execution:
        """Run `invocation` in a fresh directory that holds `tree`, as the protocol says.

        Raises Broken with the details of `lay_out` and `run_to_end`, `unsupported` for a terminal, and `local`
        where this machine refuses something (no space, no descriptors).
        """
        if invocation.tty:
            raise Broken("unsupported", "the local sandbox gives no terminal")
        try:
            with self._fresh_directory() as place:
                return self._run_in(place, tree, invocation, limits)
        except OSError as error:
            raise Broken("local", f"the local sandbox failed: {error}") from error

    def close(self) -> None:
        """End everything and remove it; warn of what cannot be removed."""
        self._commands.close()
        for root in (*self._roots, *(root for laid in self._applets.values() for root in laid.roots)):
            try:
                root.remove()
            except OSError as error:
                warnings.warn(f"could not remove {root.path}: {error}", RuntimeWarning, stacklevel=2)

    def _run_in(self, place: _Place, tree: FileTree, invocation: Invocation, limits: Limits) -> Execution:
        home, aux = f"{place.path}/task", f"{place.path}/aux"
        reports = {REPORT: File(b"", 0o644)} if invocation.reports else {}
        files = auxiliary_tree(invocation, place.path).with_entries(reports)
        with ExitStack() as held:
            auxiliary = held.enter_context(_laid_out(files, "aux", place.directory, 0o555)) if files else None
            task = held.enter_context(_laid_out(tree, "task", place.directory, 0o755))
            if invocation.broker is not None:
                held.enter_context(brokered(invocation.broker, place.directory))
            ended = self._commands.run_to_end(
                [_argument(argument, aux) for argument in invocation.argv],
                env=whole_environment(invocation, home, self._applets_path(invocation.applets)),
                cwd=home,
                stdin=invocation.stdin,
                limits=limits,
            )
            after = capture_directory(task, limits.tree)
            report = read_report(auxiliary, REPORT) if invocation.reports and auxiliary is not None else b""
        return to_execution(ended, after, aux_directory=aux if files else "", report=report)

    def _applets_path(self, applets: Applets | None) -> str:
        if applets is None:
            return ""
        return self._applets.setdefault(applets, AppletDirectory(applets)).path()

    @contextmanager
    def _fresh_directory(self) -> Iterator[_Place]:
        """Hold a new directory. What cannot be removed of it is tried again at the close."""
        number = str(next(self._numbers))
        place = self._root()
        with _opened(str(place), None) as root:
            os.mkdir(number, 0o700, dir_fd=root)
            try:
                with _opened(number, root) as directory:
                    yield _Place(f"{place}/{number}", directory)
            finally:
                with suppress(OSError):
                    remove_directory(root, number)

    def _root(self) -> Path:
        """Return the directory to work below: a new one where a command has damaged the last one."""
        try:
            with _opened(str(self._roots[-1].path), None):
                pass
        except OSError:
            self._roots.append(make_private_directory())
        return self._roots[-1].path


@contextmanager
def _laid_out(tree: FileTree, name: str, parent: int, mode: int) -> Iterator[int]:
    """Write `tree` and hold its directory open: a command may move it away and put a link in its place."""
    os.mkdir(name, 0o700, dir_fd=parent)
    with _opened(name, parent) as directory:
        lay_out(tree, directory)
        os.fchmod(directory, mode)
        yield directory


@contextmanager
def _opened(path: str, parent: int | None) -> Iterator[int]:
    descriptor = os.open(path, _OPEN_DIRECTORY, dir_fd=parent)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _argument(argument: bytes | AuxPath, aux: str) -> bytes:
    return argument if isinstance(argument, bytes) else to_bytes(f"{aux}/{argument.name}")

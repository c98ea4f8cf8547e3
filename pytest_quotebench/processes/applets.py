"""Sets of applets in a private directory of this machine, for commands that could change it: `local`'s."""

from __future__ import annotations

import os
from pathlib import Path

from pytest_quotebench.core.execution import Applets
from pytest_quotebench.core.tree import File
from pytest_quotebench.processes.directory import lay_out
from pytest_quotebench.processes.private import PrivateDirectory, make_private_directory

_OPEN_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC

_Mark = tuple[tuple[int, int], ...]
"""Inode and time of the last change (which no call can set) of a directory and of the files in it; links cannot
be changed without it."""


class AppletDirectory:
    """One set, laid out when it is asked for; laid out anew where a command has changed it."""

    def __init__(self, applets: Applets) -> None:
        self._applets = applets
        self.roots: list[PrivateDirectory] = []
        """The private directories that hold it, the one in use last: whoever asked for it removes them."""
        self._mark: _Mark = ()

    def path(self) -> str:
        """Return the path of the directory. Raises Broken and OSError where it cannot be made."""
        if not self.roots or _mark(self._place(), self._applets) != self._mark:
            self.roots.append(make_private_directory())
            _fill(self._place(), self._applets)
            self._mark = _mark(self._place(), self._applets)
        return str(self._place())

    def _place(self) -> Path:
        return self.roots[-1].path / self._applets.directory


def _fill(path: Path, applets: Applets) -> None:
    path.mkdir(0o700)
    directory = os.open(path, _OPEN_DIRECTORY)
    try:
        lay_out(applets.tree, directory)
        os.fchmod(directory, 0o555)
    finally:
        os.close(directory)


def _mark(directory: Path, applets: Applets) -> _Mark:
    """Return the mark of a directory, or an empty one where something of it is not there."""
    files = (directory / name for name, entry in applets.tree.items() if isinstance(entry, File))
    try:
        found = [path.lstat() for path in (directory, *files)]
    except OSError:
        return ()
    return tuple((status.st_ino, status.st_ctime_ns) for status in found)

"""Private directories below the one for temporary files, and the removal of those whose process is gone.

A directory is held by a lock on itself, which the kernel releases however its process ends: what nobody holds
and is older than a minute was left by a run that was killed.
"""

from __future__ import annotations

import fcntl
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from pytest_quotebench.core.errors import Broken
from pytest_quotebench.processes.removal import remove_directory

_PREFIX = "qb-run-"
_STALE_S = 60
_OPEN_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class PrivateDirectory(NamedTuple):
    """A directory of mode 0700, and the descriptor by whose lock it is held."""

    path: Path
    lock: int

    def remove(self) -> None:
        """Remove it with all that it holds. Raises OSError, naming what is left, where that fails."""
        try:
            _remove(self.path)
        finally:
            os.close(self.lock)


def make_private_directory() -> PrivateDirectory:
    """Make a directory, outside every git repository: a command must never find one above its own directory.

    Raises Broken (`temporary-directory`) where that cannot be.
    """
    try:
        path = Path(tempfile.mkdtemp(prefix=_PREFIX)).resolve()
    except OSError as error:
        raise Broken("temporary-directory", f"cannot make a directory for temporary files: {error}") from error
    repository = next((parent for parent in path.parents if (parent / ".git").exists()), None)
    if repository is not None:
        path.rmdir()
        message = f"temporary files would lie in the git repository {repository}: set TMPDIR to a place outside it"
        raise Broken("temporary-directory", message)
    return PrivateDirectory(path, _locked(path))


def remove_stale_directories() -> None:
    """Remove what killed runs of this user left behind, and nothing of a run that lives."""
    with suppress(OSError), os.scandir(tempfile.gettempdir()) as found:
        for entry in found:
            if entry.name.startswith(_PREFIX) and _is_stale(entry):
                with suppress(OSError), _held(Path(entry.path)):
                    _remove(Path(entry.path))


def _is_stale(entry: os.DirEntry[str]) -> bool:
    try:
        status = entry.stat(follow_symlinks=False)
    except OSError:
        return False
    is_ours = entry.is_dir(follow_symlinks=False) and status.st_uid == os.geteuid()
    return is_ours and time.time() - status.st_mtime > _STALE_S


@contextmanager
def _held(path: Path) -> Iterator[None]:
    """Hold the lock of a directory. Raises OSError where another process holds it."""
    descriptor = os.open(path, _OPEN_DIRECTORY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(descriptor)


def _locked(path: Path) -> int:
    descriptor = os.open(path, _OPEN_DIRECTORY)
    with suppress(OSError):  # a file system without locks: then nothing there is ever taken for stale
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return descriptor


def _remove(path: Path) -> None:
    parent = os.open(path.parent, _OPEN_DIRECTORY)
    try:
        remove_directory(parent, path.name)
    finally:
        os.close(parent)

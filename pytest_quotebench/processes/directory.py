"""Laying out a FileTree in a directory."""

from __future__ import annotations

import os

from pytest_quotebench.core.errors import Broken
from pytest_quotebench.core.text import to_bytes
from pytest_quotebench.core.tree import Directory, Entry, File, FileTree, Symlink

_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def lay_out(tree: FileTree, directory: int) -> None:
    """Write every entry of `tree` below the open, empty directory, with its exact mode whatever the umask is.

    Nothing but this process may be at work there yet. Raises Broken (`layout`) for an entry that cannot be
    made: a FIFO, socket or device, or a name that the file system does not take.
    """
    path = ""
    try:
        for path, entry in tree.items():
            _create(to_bytes(path), entry, directory)
        _close_directories(tree, directory)
    except OSError as error:
        raise Broken("layout", f"cannot create {path!r} of the fixture: {error.strerror}") from error


def _create(path: bytes, entry: Entry, directory: int) -> None:
    match entry:
        case File(data, mode):
            _write(path, data, mode, directory)
        case Directory():
            os.mkdir(path, dir_fd=directory)
            os.chmod(path, 0o700, dir_fd=directory)  # the umask may have closed it to its owner
        case Symlink(target):
            os.symlink(to_bytes(target), path, dir_fd=directory)
        case _:
            raise Broken("layout", f"a fixture cannot hold a {entry.kind}")


def _write(path: bytes, data: bytes, mode: int, directory: int) -> None:
    descriptor = os.open(path, _CREATE, 0o600, dir_fd=directory)
    try:
        written = os.write(descriptor, data) if data else 0
        while written < len(data):
            written += os.write(descriptor, data[written:])
        os.fchmod(descriptor, mode)
    finally:
        os.close(descriptor)


def _close_directories(tree: FileTree, directory: int) -> None:
    """Set the directories' modes, the deepest first: one may be closed to its owner."""
    found = [(path, entry.mode) for path, entry in tree.items() if isinstance(entry, Directory)]
    for path, mode in reversed(found):
        os.chmod(to_bytes(path), mode, dir_fd=directory)

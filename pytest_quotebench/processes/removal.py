"""Removing a directory whatever a command left in it.

Depth is unlimited and neither recursion nor a descriptor per level is needed: a subdirectory that is not empty is
moved up to the top before it is emptied. No link is followed and no mount point is entered: only a directory of
which rmdir(2) itself says that it is not empty is opened, and of a mount point it says EBUSY.
"""

from __future__ import annotations

import fcntl
import os
import stat
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from errno import EACCES, EEXIST, ENOTEMPTY
from functools import partial
from itertools import count

from pytest_quotebench.core.capture import OPEN_SAFELY, open_regardless

_OWNER = 0o700
_PASSES = 8
"""How often a directory that fills up again while it is emptied is tried: a living writer must not hold us."""


def remove_directory(parent: int, name: str) -> None:
    """Remove the directory `name` in the open directory `parent` with all that is in it.

    Raises OSError, which names what could not be removed (a mount point, somebody else's file).
    """
    if _is_removed(parent, name):
        return
    with _opened(parent, name) as directory:
        _empty(directory)
    os.rmdir(name, dir_fd=parent)


def _empty(top: int) -> None:
    """Remove all that is in the open directory `top`."""
    fresh = (f"{os.urandom(8).hex()}-{number}" for number in count())
    pending = _remove_entries(top)
    passes = 0
    while pending:
        name = pending.pop()
        with _opened(top, name) as child:
            for deeper in _remove_entries(child):
                moved = next(fresh)
                _insist(partial(os.rename, deeper, moved, src_dir_fd=child, dst_dir_fd=top), child, deeper)
                pending.append(moved)
        if not _is_removed(top, name):
            passes += 1
            if passes > _PASSES:
                raise OSError(ENOTEMPTY, "something still writes into it", name)
            pending.append(name)


def _remove_entries(directory: int) -> list[str]:
    """Remove what is no directory and every empty directory; return the names of the others."""
    kept = []
    with os.scandir(directory) as listing:
        for found in listing:
            if found.is_dir(follow_symlinks=False):
                if not _is_removed(directory, found.name):
                    kept.append(found.name)
            else:
                _remove_file(directory, found.name)
    return kept


def _remove_file(directory: int, name: str) -> None:
    with suppress(FileNotFoundError):
        _insist(partial(os.unlink, name, dir_fd=directory), directory, name)


def _is_removed(directory: int, name: str) -> bool:
    """Remove an empty directory; return False where it is not empty."""
    try:
        _insist(partial(os.rmdir, name, dir_fd=directory), directory, name)
    except FileNotFoundError:
        return True
    except OSError as error:
        if error.errno in (ENOTEMPTY, EEXIST):
            return False
        raise
    return True


def _insist(operation: Callable[[], None], directory: int, name: str) -> None:
    """Do it; where that is forbidden, take away what forbids it and do it again."""
    try:
        operation()
    except PermissionError:
        _permit(directory, name)
        operation()


def _permit(directory: int, name: str) -> None:
    """Make `directory` and the entry changeable: modes (of directories alone) and inode flags."""
    with suppress(PermissionError):
        os.fchmod(directory, _OWNER)
    _clear_flags(directory)
    kind = os.stat(name, dir_fd=directory, follow_symlinks=False).st_mode
    if stat.S_ISDIR(kind):
        with _opened(directory, name) as child:
            _clear_flags(child)
    elif stat.S_ISREG(kind):
        with suppress(OSError):
            descriptor = os.open(name, OPEN_SAFELY, dir_fd=directory)
            _clear_flags(descriptor)
            os.close(descriptor)


@contextmanager
def _opened(parent: int, name: str) -> Iterator[int]:
    """Open a directory and make sure that its owner may change it."""
    opened = open_regardless(parent, name, OPEN_SAFELY | os.O_DIRECTORY, _OWNER)
    if opened is None:
        raise PermissionError(EACCES, "cannot be opened to be emptied", name)
    try:
        if os.fstat(opened.descriptor).st_mode & _OWNER != _OWNER:
            with suppress(PermissionError):
                os.fchmod(opened.descriptor, _OWNER)
        yield opened.descriptor
    finally:
        os.close(opened.descriptor)


_LONG = struct.calcsize("l")
_GET_FLAGS = 2 << 30 | _LONG << 16 | ord("f") << 8 | 1
_SET_FLAGS = 1 << 30 | _LONG << 16 | ord("f") << 8 | 2
"""FS_IOC_GETFLAGS and FS_IOC_SETFLAGS of linux/fs.h, as most architectures number them."""
_IMMUTABLE_OR_APPEND_ONLY = 0x10 | 0x20


def _clear_flags(descriptor: int) -> None:
    """Clear the flags of chattr(1) that forbid removal, where there are such flags and we may."""
    with suppress(OSError):
        flags = struct.unpack("I", fcntl.ioctl(descriptor, _GET_FLAGS, bytes(4)))[0]
        if flags & _IMMUTABLE_OR_APPEND_ONLY:
            fcntl.ioctl(descriptor, _SET_FLAGS, struct.pack("I", flags & ~_IMMUTABLE_OR_APPEND_ONLY))

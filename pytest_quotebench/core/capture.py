"""Reading a directory into a FileTree, without trusting anything that lies in it.

Every step is relative to an open directory and refuses links. The type of an entry is known before it is
opened, only regular files and directories are opened at all, and the opened thing is looked at again: what
became a FIFO or a device in between is neither waited for nor read.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from errno import ELOOP, ENOENT, ENXIO
from typing import NamedTuple

from pytest_quotebench.core.limits import TreeLimits
from pytest_quotebench.core.text import to_text
from pytest_quotebench.core.tree import Directory, Entry, File, FileTree, Special, Symlink

PATH_BYTES = 4095
"""The longest path the kernel takes in one call (PATH_MAX less its NUL, limits.h); a longer one is a limit hit."""

OPEN_SAFELY = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
"""Never through a link, never waiting for the other end of a FIFO, never taking a terminal."""

_PERMISSIONS = 0o7777
_READ, _READ_AND_SEARCH = 0o400, 0o500
_KINDS = {
    stat.S_IFIFO: "fifo",
    stat.S_IFSOCK: "socket",
    stat.S_IFCHR: "char-device",
    stat.S_IFBLK: "block-device",
}
_UNREADABLE = Special("unreadable")


class Capture(NamedTuple):
    """What was read, and whether that is everything: a capture that meets a limit stops there."""

    tree: FileTree
    limit: str | None = None
    """A verdict's detail: `limit:file-size` where one file is too large, `limit:tree` for anything else."""

    @property
    def complete(self) -> bool:
        """Whether no limit stopped it."""
        return self.limit is None

    def unless(self, is_full: bool) -> Capture:  # noqa: FBT001 -- reads as a sentence
        """Return the same, stopped by `limit:tree` where the directory's file system is full."""
        return self._replace(limit=self.limit or ("limit:tree" if is_full else None))


class _LimitReached(Exception):
    """The capture would go beyond a limit, whose detail is the message."""


class _Level(NamedTuple):
    """An open directory on the way down, the path before its entries, and what is still to be entered."""

    directory: int
    prefix: bytes
    pending: list[str]


def capture_directory(directory: int, limits: TreeLimits | None = None) -> Capture:
    """Return what lies below the open directory `directory`.

    Files that the owner may not read are read all the same, and the tree tells the permissions that were found;
    directories that were closed to their owner are left open. What belongs to somebody else and cannot be read
    is `Special("unreadable")`. A directory that has been removed is empty. Raises OSError where reading itself
    fails (EIO, EMFILE).
    """
    reading = _Reading(limits or TreeLimits())
    try:
        limit = reading.read(directory)
    finally:
        reading.close()
    return Capture(FileTree(reading.entries), limit)


class _Reading:
    """One walk, depth first, with an explicit stack: nesting is the attacker's choice, recursion is not."""

    def __init__(self, limits: TreeLimits) -> None:
        self.entries: dict[str, Entry] = {}
        self._limits = limits
        self._bytes = 0
        self._levels: list[_Level] = []

    def read(self, directory: int) -> str | None:
        """Read everything; return the limit that stopped it, if one did."""
        try:
            self._enter(_made_searchable(os.dup(directory)), b"")
            while self._levels:
                self._step(self._levels[-1])
        except _LimitReached as reached:
            return str(reached)
        return None

    def close(self) -> None:
        """Close what is still open."""
        for level in self._levels:
            os.close(level.directory)
        self._levels.clear()

    def _step(self, level: _Level) -> None:
        if not level.pending:
            os.close(self._levels.pop().directory)
            return
        name = level.pending.pop()
        path = level.prefix + os.fsencode(name)
        child = _open_directory(level.directory, name)
        if child is None:
            self.entries[to_text(path)] = _UNREADABLE
        else:
            self._enter(child, path + b"/")

    def _enter(self, directory: int, prefix: bytes) -> None:
        level = _Level(directory, prefix, [])
        self._levels.append(level)
        # A removed directory cannot be listed (ENOENT), and has nothing in it.
        with suppress(FileNotFoundError), os.scandir(directory) as listing:
            for found in listing:
                self._add(level, found)

    def _add(self, level: _Level, found: os.DirEntry[str]) -> None:
        path = level.prefix + os.fsencode(found.name)
        limits = self._limits
        if len(self.entries) >= limits.entries or len(self._levels) > limits.depth or len(path) > PATH_BYTES:
            raise _LimitReached("limit:tree")
        try:
            self.entries[to_text(path)] = self._entry(level, found)
        except PermissionError:
            self.entries[to_text(path)] = _UNREADABLE
        except FileNotFoundError:
            return

    def _entry(self, level: _Level, found: os.DirEntry[str]) -> Entry:
        status = found.stat(follow_symlinks=False)
        if stat.S_ISREG(status.st_mode):
            return self._file(level.directory, found.name)
        if stat.S_ISDIR(status.st_mode):
            level.pending.append(found.name)
            return Directory(status.st_mode & _PERMISSIONS)
        if stat.S_ISLNK(status.st_mode):
            return Symlink(to_text(os.readlink(os.fsencode(found.name), dir_fd=level.directory)))
        return _special(status)

    def _file(self, directory: int, name: str) -> Entry:
        opened = open_regardless(directory, name, OPEN_SAFELY, _READ)
        if opened is None:
            return _UNREADABLE
        descriptor, mode = opened
        try:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                return _special(status)
            self._count(status.st_size)
            return File(_contents(descriptor, status.st_size), (mode or status.st_mode) & _PERMISSIONS)
        finally:
            os.close(descriptor)
            if mode is not None:
                _restore(directory, name, mode)

    def _count(self, size: int) -> None:
        self._bytes += size
        if size > self._limits.file_bytes:
            raise _LimitReached("limit:file-size")
        if self._bytes > self._limits.total_bytes:
            raise _LimitReached("limit:tree")


class Opened(NamedTuple):
    """A descriptor, and the mode that had to be widened to get it; None where it was open already."""

    descriptor: int
    former_mode: int | None


def open_regardless(directory: int, name: str, flags: int, wanted: int) -> Opened | None:
    """Open `name` in `directory`; where its mode forbids that, give its owner the permission `wanted` first.

    Returns None where it cannot be opened: it is somebody else's, or is not any more what it was.
    """
    try:
        return Opened(os.open(name, flags, dir_fd=directory), None)
    except PermissionError:
        pass
    except OSError as error:
        if error.errno in (ELOOP, ENOENT, ENXIO):
            return None
        raise
    try:
        mode = os.stat(name, dir_fd=directory, follow_symlinks=False).st_mode
        change_mode(directory, name, stat.S_IMODE(mode) | wanted)
        return Opened(os.open(name, flags, dir_fd=directory), mode)
    except (PermissionError, FileNotFoundError):
        return None


def change_mode(directory: int, name: str, mode: int) -> None:
    """Set the permission bits of a file or directory in `directory`, never through a link.

    Linux has no such call before fchmodat2 (6.6): there it goes through a descriptor that only names the
    entry (O_PATH, open(2)) and its link in /proc.
    """
    if not hasattr(os, "O_PATH"):
        os.chmod(name, mode, dir_fd=directory, follow_symlinks=False)  # fchmodat(2) of macOS
        return
    handle = os.open(name, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=directory)
    try:
        if not stat.S_ISLNK(os.fstat(handle).st_mode):
            os.chmod(f"/proc/self/fd/{handle}", mode)  # noqa: PTH101 -- no Path can make it clearer
    finally:
        os.close(handle)


def _open_directory(directory: int, name: str) -> int | None:
    opened = open_regardless(directory, name, OPEN_SAFELY | os.O_DIRECTORY, _READ_AND_SEARCH)
    if opened is None:
        return None
    return _made_searchable(opened.descriptor)


def _made_searchable(directory: int) -> int:
    mode = os.fstat(directory).st_mode
    if mode & _READ_AND_SEARCH != _READ_AND_SEARCH:
        with suppress(PermissionError):
            os.fchmod(directory, stat.S_IMODE(mode) | _READ_AND_SEARCH)
    return directory


def _restore(directory: int, name: str, mode: int) -> None:
    """Give a file its mode back: it may be a hard link to one that is not ours to change."""
    with suppress(OSError):
        change_mode(directory, name, stat.S_IMODE(mode))


def _contents(descriptor: int, size: int) -> bytes:
    data = os.read(descriptor, size) if size else b""
    while len(data) < size and (more := os.read(descriptor, size - len(data))):
        data += more
    return data


def _special(status: os.stat_result) -> Special:
    return Special(_KINDS.get(stat.S_IFMT(status.st_mode), "unknown"))

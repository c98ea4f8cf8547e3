"""Appending JSON lines: a line is there whole or not at all, however many processes append."""

from __future__ import annotations

import errno
import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

from pytest_quotebench.store.private import open_for_appending, regular_target, writing

_LINE_END = b"\n"


class JsonLines:
    """An open file of JSON lines.

    Each line is one `write` on a descriptor with O_APPEND, under an exclusive flock(2) that dies with its
    process. A process that is killed inside a large write leaves a torn line; the next line then starts on its
    own. All methods raise Broken, with the path, where the system refuses.
    """

    def __init__(self, path: Path, *, fsync: bool = True) -> None:
        """Open or create the file. `fsync`: bring every line to the disk before `append` returns."""
        self._path = path
        self._fsync = fsync
        target = regular_target(path)
        with writing(path):
            self._descriptor = open_for_appending(target)

    def __enter__(self) -> Self:
        """Return the open file."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Close the file."""
        self.close()

    def append(self, line: str) -> None:
        """Append one line, given without its line break. Raises ValueError where there is one in it."""
        data = line.encode("utf-8")
        if _LINE_END in data:
            raise ValueError("a record must be one line")
        with writing(self._path):
            with _locked(self._descriptor):
                _append(self._descriptor, data + _LINE_END)
            if self._fsync:
                os.fsync(self._descriptor)

    def close(self) -> None:
        """Bring everything to the disk and close."""
        with writing(self._path):
            try:
                os.fsync(self._descriptor)
            finally:
                os.close(self._descriptor)


def _append(descriptor: int, data: bytes) -> None:
    size = os.fstat(descriptor).st_size
    torn = size > 0 and os.pread(descriptor, 1, size - 1) != _LINE_END
    whole = _LINE_END + data if torn else data
    written = os.write(descriptor, whole)
    if written < len(whole):
        os.ftruncate(descriptor, size)
        raise OSError(errno.ENOSPC, f"{os.strerror(errno.ENOSPC)} ({written} of {len(whole)} bytes fitted)")


@contextmanager
def _locked(descriptor: int) -> Iterator[None]:
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    try:
        yield
    finally:
        fcntl.flock(descriptor, fcntl.LOCK_UN)

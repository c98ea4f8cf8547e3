"""Replacing a whole file: afterwards there is the old one or the new one, never a half."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Iterable
from pathlib import Path

from pytest_quotebench.store.private import FILE_MODE, make_directory, regular_target, writing

_NAME_IN_TEMPORARY = 40


def replace_file(path: Path, content: bytes | Iterable[bytes]) -> None:
    """Write `content` beside the file, bring it to the disk, and rename it over the file; mode 0600.

    Raises Broken where that fails: the old file then stays as it was and nothing is left beside it. Raises
    BadInput where something other than a regular file is at `path`.
    """
    target = regular_target(path)
    with writing(path):
        make_directory(target.parent)
        descriptor, name = tempfile.mkstemp(
            dir=target.parent, prefix=f".{target.name[:_NAME_IN_TEMPORARY]}.", suffix=".tmp"
        )
        temporary = Path(name)
        try:
            _fill(descriptor, (content,) if isinstance(content, bytes) else content)
            temporary.replace(target)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
        _sync_directory(target.parent)


def _fill(descriptor: int, chunks: Iterable[bytes]) -> None:
    with os.fdopen(descriptor, "wb") as file:
        os.fchmod(descriptor, FILE_MODE)
        file.writelines(chunks)
        file.flush()
        os.fsync(descriptor)


def _sync_directory(directory: Path) -> None:
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        # Some network and FUSE file systems cannot sync a directory (fsync(2): EINVAL); the rename stands.
        if error.errno not in (errno.EINVAL, errno.EBADF):
            raise
    finally:
        os.close(descriptor)

"""Files and directories that only their owner can read, and failures that name what could not be written."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pytest_quotebench.core.errors import BadInput, Broken
from pytest_quotebench.core.text import visible

FILE_MODE = 0o600
DIRECTORY_MODE = 0o700


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn a failure of the system (disk full, no permission) into Broken with the path and the reason."""
    try:
        yield
    except OSError as error:
        raise Broken("write", f"cannot write {visible(str(path))}: {error.strerror or error}") from error


def regular_target(path: Path) -> Path:
    """Return where `path` leads, links resolved. Raises BadInput where something but a regular file is there.

    A device such as /dev/null must never be replaced by a file, nor a link by what it stands for.
    """
    target = Path(os.path.realpath(path))
    with writing(path):
        if os.path.lexists(target) and not target.is_file():
            raise BadInput(
                f"{visible(str(path))} is not a regular file: name one, or a path where there is nothing"
            )
    return target


def make_directory(path: Path) -> None:
    """Make a directory and all that are missing above it, mode 0700 whatever the umask."""
    missing = [directory for directory in (path, *path.parents) if not directory.exists()]
    for directory in reversed(missing):
        try:
            directory.mkdir(DIRECTORY_MODE)
        except FileExistsError:
            continue
        directory.chmod(DIRECTORY_MODE)


def open_for_appending(path: Path) -> int:
    """Open a file for appending; a new one gets mode 0600 whatever the umask. Raises OSError."""
    flags = os.O_RDWR | os.O_APPEND | os.O_CLOEXEC
    make_directory(path.parent)
    try:
        descriptor = os.open(path, flags | os.O_CREAT | os.O_EXCL, FILE_MODE)
    except FileExistsError:
        return os.open(path, flags)
    os.fchmod(descriptor, FILE_MODE)
    return descriptor

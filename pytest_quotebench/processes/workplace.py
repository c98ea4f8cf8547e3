"""A fresh private directory with a tree laid out in it, for work that is done by this process's own user."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from pytest_quotebench.core.capture import Capture, capture_directory
from pytest_quotebench.core.limits import TreeLimits
from pytest_quotebench.core.tree import FileTree
from pytest_quotebench.processes.directory import lay_out
from pytest_quotebench.processes.private import make_private_directory

_OPEN_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class Workplace(NamedTuple):
    """A directory by path and open. The one above it is private too, so that `$PWD` with a suffix stays inside."""

    path: Path
    directory: int

    def capture(self, limits: TreeLimits | None = None) -> Capture:
        """Return what is in it now, wherever its name leads by now."""
        return capture_directory(self.directory, limits)


@contextmanager
def workplace(tree: FileTree) -> Iterator[Workplace]:
    """Hold a new directory that contains `tree`; at the end it is gone.

    What cannot be removed is left where it is, below the directory for temporary files. Raises Broken
    (`temporary-directory`, `layout`) where it cannot be made.
    """
    root = make_private_directory()
    try:
        task = root.path / "task"
        task.mkdir(0o755)
        directory = os.open(task, _OPEN_DIRECTORY)
        try:
            lay_out(tree, directory)
            os.fchmod(directory, 0o755)
            yield Workplace(task, directory)
        finally:
            os.close(directory)
    finally:
        with suppress(OSError):
            root.remove()

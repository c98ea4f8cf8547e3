"""Sandboxes: where a command runs. The sandbox owns the directory; nobody else ever sees it.

One file each; the file's name is the option's value. Each file defines `refusal()`, which tries whether this
machine grants the sandbox and returns None or the reason it does not, and `open_sandbox()`, a context manager
that yields an object of the protocol below.
"""

from __future__ import annotations

from typing import Protocol

from pytest_quotebench.core.execution import Execution, Invocation
from pytest_quotebench.core.limits import Limits
from pytest_quotebench.core.tree import FileTree


class Sandbox(Protocol):
    """A place that lays out a tree, runs one process on it and gives back what is left."""

    @property
    def name(self) -> str:
        """The option's value: `local`, `namespace`, ..."""
        ...

    def run(self, tree: FileTree, invocation: Invocation, limits: Limits) -> Execution:
        """Run `invocation` in a fresh directory that holds `tree`, and capture the directory afterwards.

        The end is the end of the first process or the deadline, never the end of a pipe. Everything the command
        started is gone before the capture. Raises Broken where the sandbox itself failed; whatever the command
        did, a limit hit included, is told by the Execution.
        """
        ...

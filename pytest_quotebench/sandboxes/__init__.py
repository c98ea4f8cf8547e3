"""Sandboxes: where a command runs. The sandbox owns the directory; nobody else ever sees it.

One file each; the file's name is the option's value. Each file is a `Provider`: it defines `STRENGTH`, `refusal`
and `open_sandbox` at module level.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Protocol

from pytest_quotebench.core.errors import Broken
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

        Its applets, where it has any, stand before all else in its PATH.
        The end is the end of the first process or the deadline, never the end of a pipe. Everything the command
        started is gone before the capture. Raises Broken where the sandbox itself failed; whatever the command
        did, a limit hit included, is told by the Execution.
        """
        ...


def refusal_when_tried(opening: AbstractContextManager[Sandbox]) -> str | None:
    """Try it: run one command in the sandbox that `opening` opens; return what was refused, or None."""
    try:
        with opening as sandbox:
            ended = sandbox.run(FileTree(), Invocation(argv=(b"bash", b"-c", b"exit 7")), Limits(wall_s=10))
    except Broken as broken:
        return str(broken)
    return None if ended.exit_status == 7 else f"a command that must end with status 7 ended with {ended}"


class Provider(Protocol):
    """What a sandbox's file offers."""

    @property
    def STRENGTH(self) -> int:  # noqa: N802
        """`auto` takes the strongest that is granted; 0 holds nothing, and runs replies only when named."""
        ...

    def refusal(self) -> str | None:
        """Try whether this machine grants the sandbox; return None, or what refused and what to do."""
        ...

    def open_sandbox(self, **options: str) -> AbstractContextManager[Sandbox]:
        """Return a context manager that yields the sandbox and, at its end, leaves nothing behind.

        `options` are those of this sandbox alone (`mode` of `docker`); most have none.
        """
        ...

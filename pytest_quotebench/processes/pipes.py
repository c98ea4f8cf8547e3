"""The pipes between this process and a command: its ends for the command, ours in a Watch."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from pytest_quotebench.core.limits import Limits
from pytest_quotebench.processes.watching import Watch


class Pipes:
    """A command's standard output, error and input (none where it is empty), and the watch on them."""

    def __init__(self, stdin: bytes, limits: Limits) -> None:
        """Make the pipes. Raises OSError."""
        ends: list[int] = []
        try:
            for _ in range(3 if stdin else 2):
                ends += os.pipe()
        except OSError:
            _close(ends)
            raise
        out, out_end, err, err_end, *input_ends = ends
        self._theirs = [out_end, err_end, *input_ends[:1]]
        self.watch = Watch(
            stdout=out, stderr=err, stdin=input_ends[1] if stdin else None, input=stdin, limits=limits
        )

    @property
    def theirs(self) -> tuple[int, ...]:
        """The command's ends: standard output, error, and input where it has one."""
        return tuple(self._theirs)

    def give_away(self, uid: int, gid: int) -> None:
        """Make a user their owner, who may then open `/dev/stdout` again (proc_pid_fd(5))."""
        for end in self._theirs:
            os.fchown(end, uid, gid)

    def close_theirs(self) -> None:
        """Close the command's ends here, once it has them."""
        _close(self._theirs)
        self._theirs.clear()


@contextmanager
def connected(stdin: bytes, limits: Limits) -> Iterator[Pipes]:
    """Hold the pipes of one command."""
    pipes = Pipes(stdin, limits)
    try:
        yield pipes
    finally:
        pipes.close_theirs()
        pipes.watch.close()


def _close(descriptors: list[int]) -> None:
    for descriptor in descriptors:
        with suppress(OSError):
            os.close(descriptor)

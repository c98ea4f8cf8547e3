"""Watching one running process: its end, its streams, its deadline, all at once."""

from __future__ import annotations

import os
import select
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from pytest_quotebench.core.limits import Limits
from pytest_quotebench.processes.output import KeptStream

_PIECE = 2**16
_DRAINED_PIECES = 32
"""A dead command's pipe holds 1 MiB at most (pipe(7)); more can only come from a stranger that was handed it."""
_FALLBACK_TICK_S = 0.005
"""How often the end is asked for where nothing tells it."""
_LONGEST_WAIT_S = 60.0
"""One wait of poll(2); its argument is an int of milliseconds."""


@dataclass(kw_only=True)
class Watch:
    """The parent's ends of a process's pipes, and what came through them."""

    stdout: int
    stderr: int
    stdin: int | None
    """Where the standard input is written to; None where the process has none."""
    input: bytes
    limits: Limits
    kept: dict[int, KeptStream] = field(init=False)
    timed_out: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        limit = self.limits.kept_output_bytes
        self.kept = {self.stdout: KeptStream(limit), self.stderr: KeptStream(limit)}
        self._open = set(self.kept)
        self._unsent = memoryview(self.input)
        self._poll = select.poll()
        for stream in self._open:
            os.set_blocking(stream, False)
            self._poll.register(stream, select.POLLIN)
        if self.stdin is not None:
            os.set_blocking(self.stdin, False)
            self._poll.register(self.stdin, select.POLLOUT)

    @property
    def is_over_output_limit(self) -> bool:
        """Whether more came out than the limits allow."""
        return sum(stream.length for stream in self.kept.values()) > self.limits.output_bytes

    def until_end(self, has_ended: Callable[[], bool], wakes: int | None) -> None:
        """Return when `has_ended` says so, the deadline has passed, or the output is too much.

        `wakes` is a descriptor that becomes readable at the end, such as a pidfd; without one `has_ended` is
        asked again and again. That a pipe is held open or was closed changes nothing: a background child may
        keep it, and a process may close it and go on.
        """
        deadline = time.monotonic() + self.limits.wall_s
        tick = _FALLBACK_TICK_S
        if wakes is not None:
            tick = _LONGEST_WAIT_S
            self._poll.register(wakes, select.POLLIN)
        while not self.is_over_output_limit:
            left = deadline - time.monotonic()
            self._serve(self._poll.poll(1000 * max(0.0, min(left, tick))))
            if has_ended():
                return
            if left <= 0:
                self.timed_out = True
                return

    def drain(self) -> None:
        """Take what is still in the pipes, without waiting."""
        for stream in tuple(self._open):
            for _ in range(_DRAINED_PIECES):
                if stream not in self._open or not _is_readable(stream):
                    break
                self._read(stream)

    def close(self) -> None:
        """Close this side of the pipes."""
        for stream in (*self.kept, self.stdin):
            if stream is not None:
                os.close(stream)
        self.stdin = None

    def _serve(self, events: list[tuple[int, int]]) -> None:
        for descriptor, _ in events:
            if descriptor in self._open:
                self._read(descriptor)
            elif descriptor == self.stdin:
                self._write(descriptor)

    def _read(self, stream: int) -> None:
        try:
            data = os.read(stream, _PIECE)
        except BlockingIOError:
            return  # the command may open its pipe for reading too (proc_pid_fd(5)), and be quicker
        self.kept[stream].add(data)
        if not data:
            self._open.discard(stream)
            self._poll.unregister(stream)

    def _write(self, stdin: int) -> None:
        try:
            self._unsent = self._unsent[os.write(stdin, self._unsent) :]
        except BlockingIOError:
            return
        except BrokenPipeError:
            self._unsent = self._unsent[:0]
        if not self._unsent:
            self._poll.unregister(stdin)
            os.close(stdin)
            self.stdin = None


def _is_readable(stream: int) -> bool:
    poll = select.poll()
    poll.register(stream, select.POLLIN)
    return bool(poll.poll(0))

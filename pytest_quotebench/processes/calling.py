"""Calling a function that somebody else wrote, sync or async, and giving up on it at a deadline."""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from types import TracebackType
from typing import Any, NamedTuple, Self

from pytest_quotebench.core.errors import BadInput

Run = Callable[[bytes, Path], Any]
"""`run(command, cwd)` returns an exit status and output (text, bytes or None), or a coroutine of these."""

_PAIR = 2
_JOIN_S = 1.0
_END = None


class Answer(NamedTuple):
    """What a call gave back."""

    exit_status: int
    output: bytes


class GaveUpError(Exception):
    """The call did not return before its deadline. It goes on in its thread: nothing can end it."""


@dataclass(frozen=True)
class _Finished:
    value: Any = None
    error: BaseException | None = None


class Caller:
    """Calls `run` in one thread of its own: in the same event loop every time, and free of a running one.

    A call that is given up costs its thread; the next call gets a new one.
    """

    def __init__(self, run: Run) -> None:
        """Take the function; nothing is started before the first call."""
        self._run = run
        self._worker: _Worker | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def call(self, command: bytes, cwd: Path, deadline_s: float) -> Answer:
        """Return what `run` gives. Raises what it raises, GaveUpError at the deadline, BadInput for no pair."""
        worker = self._worker = self._worker or _Worker(self._run)
        try:
            finished = worker.call(command, cwd, deadline_s)
        except Empty:
            worker.end(wait_s=0)
            self._worker = None
            raise GaveUpError(f"no answer within {deadline_s:.1f} s") from None
        if finished.error is not None:
            raise finished.error
        return _answer(finished.value)

    def close(self) -> None:
        """End the thread when what it does ends."""
        if self._worker is not None:
            self._worker.end(wait_s=_JOIN_S)
            self._worker = None


class _Worker:
    """One thread, which no exit of the interpreter waits for."""

    def __init__(self, run: Run) -> None:
        self._calls: SimpleQueue[tuple[bytes, Path] | None] = SimpleQueue()
        self._finished: SimpleQueue[_Finished] = SimpleQueue()
        self._run = run
        self._thread = threading.Thread(target=self._serve, name="quotebench-path", daemon=True)
        self._thread.start()

    def call(self, command: bytes, cwd: Path, deadline_s: float) -> _Finished:
        self._calls.put((command, cwd))
        return self._finished.get(timeout=deadline_s)

    def end(self, *, wait_s: float) -> None:
        self._calls.put(_END)
        self._thread.join(wait_s)

    def _serve(self) -> None:
        with asyncio.Runner() as runner:
            while (call := self._calls.get()) is not _END:
                self._finished.put(self._one(runner, *call))

    def _one(self, runner: asyncio.Runner, command: bytes, cwd: Path) -> _Finished:
        try:
            value = self._run(command, cwd)
            if inspect.isawaitable(value):
                value = runner.run(_awaited(value))
        except BaseException as error:  # noqa: BLE001 -- it is raised again in the caller's thread
            return _Finished(error=error)
        return _Finished(value)


async def _awaited(value: Awaitable[Any]) -> Any:
    return await value


def _answer(value: Any) -> Answer:
    if not isinstance(value, tuple) or len(value) != _PAIR or not isinstance(value[0], int):
        raise BadInput(
            f"the path must return (exit status, output), with a whole number first; it gave {value!r:.200}"
        )
    status, output = value
    if isinstance(output, str):
        return Answer(status, output.encode("utf-8", "surrogateescape"))
    return Answer(status, bytes(output or b""))

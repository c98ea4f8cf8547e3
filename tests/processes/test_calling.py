"""Calling somebody's function, sync or async, with a deadline."""

from __future__ import annotations

import asyncio
import threading
import time
from functools import partial
from pathlib import Path

import pytest

from pytest_quotebench.core.errors import BadInput
from pytest_quotebench.processes.calling import Answer, Caller, GaveUpError

HERE = Path("here")


async def answering(command: bytes, cwd: Path) -> tuple[int, bytes]:
    await asyncio.sleep(0)
    return len(command), str(cwd).encode()


@pytest.mark.parametrize("run", [answering, partial(answering), lambda c, d: (len(c), str(d))])
def test_functions_and_coroutines_answer_alike(run: object) -> None:
    """Whatever kind of callable it is; text is turned into bytes."""
    with Caller(run) as caller:  # type: ignore[arg-type]
        assert caller.call(b"abc", HERE, 5) == Answer(3, b"here")


def test_all_calls_share_one_thread_and_one_event_loop() -> None:
    """A session that was opened in the first call can be used in the second."""
    seen = set()

    async def run(command: bytes, cwd: Path) -> tuple[int, None]:
        seen.add((threading.get_ident(), id(asyncio.get_running_loop())))
        return 0, None

    with Caller(run) as caller:
        assert [caller.call(b"", HERE, 5) for _ in range(3)] == [Answer(0, b"")] * 3

    assert len(seen) == 1
    assert threading.get_ident() not in {thread for thread, _ in seen}


def test_a_call_that_takes_too_long_is_given_up_and_the_next_one_answers() -> None:
    """It costs its thread."""

    def sleeping(command: bytes, cwd: Path) -> tuple[int, None]:
        time.sleep(float(command))
        return 0, None

    with Caller(sleeping) as caller:
        with pytest.raises(GaveUpError, match=r"no answer within 0\.1 s"):
            caller.call(b"2", HERE, 0.1)
        assert caller.call(b"0", HERE, 5) == Answer(0, b"")


def test_what_it_raises_is_raised() -> None:
    """In the caller's thread, also what is no Exception."""

    def run(command: bytes, cwd: Path) -> object:
        raise KeyboardInterrupt if command else ZeroDivisionError

    with Caller(run) as caller:
        with pytest.raises(ZeroDivisionError):
            caller.call(b"", HERE, 5)
        with pytest.raises(KeyboardInterrupt):
            caller.call(b"x", HERE, 5)


@pytest.mark.parametrize("value", [None, 0, (0,), ("0", b""), (0, b"", b"")])
def test_anything_but_a_pair_is_bad_input(value: object) -> None:
    """The message shows it."""
    with Caller(lambda command, cwd: value) as caller, pytest.raises(BadInput, match="exit status, output"):
        caller.call(b"", HERE, 5)


def test_a_closed_caller_leaves_no_thread() -> None:
    """Its event loop is closed with it."""
    before = threading.active_count()
    with Caller(answering) as caller:
        caller.call(b"", HERE, 5)

    assert threading.active_count() == before

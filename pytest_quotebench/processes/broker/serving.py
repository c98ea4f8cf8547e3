"""Taking the calls of one item: a few at a time, each in a thread, and none when the item is over."""

from __future__ import annotations

import select
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from pytest_quotebench.core.errors import Broken
from pytest_quotebench.processes.broker.wire import Conversation, Malformed, read_request

Answer = Callable[[list[bytes], Conversation], None]
"""Does what the words of a call ask for, and sends its end. It returns soon when the connection is shut down."""

MOST_CALLS = 4
"""Calls at one time; others wait for their turn."""
_PATIENCE_S = 10.0
"""How long a call may take to be over once its connection is shut down."""


@contextmanager
def serving(listener: socket.socket, answer: Answer) -> Iterator[None]:
    """Serve a listening socket; at the end it is closed, and every call over.

    Raises Broken then: what a call raised, or `broker` for one that is not over.
    """
    desk = _Desk(listener, answer)
    try:
        yield
    finally:
        desk.close()


class _Desk:
    def __init__(self, listener: socket.socket, answer: Answer) -> None:
        self._listener = listener
        self._answer = answer
        self._closing = threading.Event()
        self._free = threading.Semaphore(MOST_CALLS)
        self._wakes, self._wake = socket.socketpair()
        self._calls: dict[threading.Thread, socket.socket] = {}
        self._failures: list[Exception] = []
        self._thread = threading.Thread(target=self._take_calls, name="quotebench-broker", daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._closing.set()
        self._wake.close()
        self._free.release()
        self._thread.join(_PATIENCE_S)
        self._listener.close()
        self._wakes.close()
        for connection in self._calls.values():
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        for thread in self._calls:
            thread.join(_PATIENCE_S)
        if any(thread.is_alive() for thread in (self._thread, *self._calls)):
            raise Broken("broker", f"a call was not over {_PATIENCE_S:g} s after its item")
        for failure in self._failures:
            raise failure if isinstance(failure, Broken) else Broken("broker", repr(failure)) from failure

    def _take_calls(self) -> None:
        poll = select.poll()
        for end in (self._listener, self._wakes):
            poll.register(end, select.POLLIN)
        while True:
            self._free.acquire()
            poll.poll()
            if self._closing.is_set():
                return
            try:
                connection, _ = self._listener.accept()
            except OSError:  # who called has gone again
                self._free.release()
                continue
            thread = threading.Thread(target=self._serve, args=(connection,), name="quotebench-call", daemon=True)
            self._calls = {call: end for call, end in self._calls.items() if call.is_alive()}
            self._calls[thread] = connection
            thread.start()

    def _serve(self, connection: socket.socket) -> None:
        try:
            _converse(connection, self._answer)
        except Exception as error:  # noqa: BLE001 -- it is raised where the item is
            self._failures.append(error)
        finally:
            connection.close()
            self._free.release()


def _converse(connection: socket.socket, answer: Answer) -> None:
    """Answer one call. Whatever the one who called does, it is their call alone that comes to nothing."""
    with suppress(OSError):
        try:
            words = read_request(connection)
        except Malformed as error:
            Conversation(connection).refuse(f"broker: {error}", 1)
        else:
            answer(words, Conversation(connection))

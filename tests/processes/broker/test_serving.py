"""Calls to a broker: served a few at a time, bounded, and over when the item is; all else comes to nothing."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest

from pytest_quotebench.core.errors import Broken
from pytest_quotebench.processes.broker import serving as broker_serving
from pytest_quotebench.processes.broker.serving import MOST_CALLS, Answer, serving
from pytest_quotebench.processes.broker.wire import ERROR, MOST_BYTES, OUTPUT, Conversation


@contextmanager
def desk(directory: Path, answer: Answer) -> Iterator[str]:
    path = f"{directory}/broker"
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen(16)
    with serving(listener, answer):
        yield path


def echo(words: list[bytes], conversation: Conversation) -> None:
    conversation.say(OUTPUT, b"|".join(words))
    conversation.say(ERROR, b"e")
    conversation.end(7)


def wait_for_input(_: list[bytes], conversation: Conversation) -> None:
    conversation.say(OUTPUT, b"begun")
    conversation.input()
    conversation.end(0)


def connected(path: str) -> socket.socket:
    connection = socket.socket(socket.AF_UNIX)
    connection.settimeout(20)
    connection.connect(path)
    return connection


def request(*words: bytes) -> bytes:
    body = b"".join(word + b"\0" for word in words)
    return len(body).to_bytes(4, "big") + body


def said(connection: socket.socket) -> bytes:
    data = b""
    with suppress(ConnectionResetError):  # what was not read of a request, so close(2) tells
        while piece := connection.recv(2**16):
            data += piece
    return data


def call(path: str, data: bytes, *, shut: bool = True) -> bytes:
    with connected(path) as connection:
        connection.sendall(data)
        if shut:
            connection.shutdown(socket.SHUT_WR)
        return said(connection)


def frame(kind: bytes, data: bytes) -> bytes:
    return kind + len(data).to_bytes(4, "big") + data


def test_a_call_hands_over_its_words_and_gets_output_and_a_status(tmp_path: Path) -> None:
    with desk(tmp_path, echo) as path:
        answered = call(path, request(b"exec", b"", b"\xff\n"))

    assert answered == frame(OUTPUT, b"exec||\xff\n") + frame(ERROR, b"e") + frame(b"x", b"\x07")


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", b"unfinished"),
        (b"\0\0", b"unfinished"),
        (b"\0\0\0\x05ab\0", b"unfinished"),
        (b"\0\0\0\0", b"no words"),
        (b"\0\0\0\x02ab", b"no words"),
        ((MOST_BYTES + 1).to_bytes(4, "big"), b"too long"),
        (b"\xff" * 64, b"too long"),
        (b"GET / HTTP/1.1\r\n\r\n", b"too long"),
        (b'{"Cmd":["sh"]}', b"too long"),
    ],
)
def test_what_is_no_request_is_refused_and_reaches_nobody(tmp_path: Path, data: bytes, why: bytes) -> None:
    reached: list[list[bytes]] = []
    with desk(tmp_path, lambda words, _: reached.append(words)) as path:
        answered = call(path, data)

    assert why in answered
    assert answered.endswith(frame(b"x", b"\x01"))
    assert reached == []


def test_a_caller_that_says_nothing_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pytest_quotebench.processes.broker.wire._REQUEST_S", 0.1)
    with desk(tmp_path, echo) as path:
        answered = call(path, b"\0\0", shut=False)

    assert answered == b""


def test_calls_wait_for_their_turn(tmp_path: Path) -> None:
    """Never more than a few at a time, and all of them in the end."""
    at_work: list[int] = []
    counter, most = threading.Lock(), [0]

    def answer(words: list[bytes], conversation: Conversation) -> None:
        with counter:
            at_work.append(1)
            most[0] = max(most[0], len(at_work))
        time.sleep(0.05)
        with counter:
            at_work.pop()
        conversation.end(int(words[0]))

    with desk(tmp_path, answer) as path:
        callers = [connected(path) for _ in range(12)]
        for number, caller in enumerate(callers):
            caller.sendall(request(b"%d" % number))
        answers = [said(caller) for caller in callers]
        for caller in callers:
            caller.close()

    assert answers == [frame(b"x", bytes([number])) for number in range(12)]
    assert most[0] <= MOST_CALLS


def test_the_end_of_an_item_ends_calls_that_go_on_and_those_that_wait(tmp_path: Path) -> None:
    before = threading.active_count()
    with ExitStack() as held:
        with desk(tmp_path, wait_for_input) as path:
            callers = [held.enter_context(connected(path)) for _ in range(MOST_CALLS + 2)]
            for caller in callers:
                caller.sendall(request(b"x"))
            begun = frame(OUTPUT, b"begun")
            assert [caller.recv(len(begun)) for caller in callers[:MOST_CALLS]] == [begun] * MOST_CALLS
            started = time.monotonic()
        assert time.monotonic() - started < 5
        with socket.socket(socket.AF_UNIX) as late, pytest.raises(ConnectionRefusedError):
            late.connect(path)

    assert threading.active_count() == before


def test_a_caller_that_does_not_read_holds_up_nobody_but_itself(tmp_path: Path) -> None:
    def flood(words: list[bytes], conversation: Conversation) -> None:
        while words == [b"flood"]:
            conversation.say(OUTPUT, bytes(2**20))
        conversation.end(0)

    with desk(tmp_path, flood) as path, connected(path) as idle:
        idle.sendall(request(b"flood"))
        idle.recv(1)
        assert call(path, request(b"other")) == frame(b"x", b"\0")
        started = time.monotonic()

    assert time.monotonic() - started < 5


def test_what_fails_in_a_call_is_raised_where_the_item_is(tmp_path: Path) -> None:
    def fail(words: list[bytes], _: Conversation) -> None:
        raise Broken("docker", "gone") if words == [b"a"] else ValueError("wrong")

    with pytest.raises(Broken, match="gone"), desk(tmp_path, fail) as path:
        assert call(path, request(b"a")) == b""
    with pytest.raises(Broken, match="wrong"), desk(tmp_path / "..", fail) as path:
        call(path, request(b"b"))


def test_a_call_that_is_never_over_is_broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(broker_serving, "_PATIENCE_S", 0.1)
    release = threading.Event()

    def stay(_: list[bytes], conversation: Conversation) -> None:
        conversation.say(OUTPUT, b"s")
        release.wait(20)

    def leave_it_at_work(held: ExitStack) -> None:
        with desk(tmp_path, stay) as path:
            caller = held.enter_context(connected(path))
            caller.sendall(request(b"x"))
            caller.recv(1)

    with ExitStack() as held:
        held.callback(release.set)
        with pytest.raises(Broken, match="not over"):
            leave_it_at_work(held)

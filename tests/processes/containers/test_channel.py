"""One connection that carries two streams, as the engine frames them."""

from __future__ import annotations

import socket
import struct
import time
from collections.abc import Iterator

import pytest

from pytest_quotebench.processes.containers.channel import Channel, Silent


@pytest.fixture
def ends() -> Iterator[tuple[Channel, socket.socket]]:
    ours, theirs = socket.socketpair()
    channel = Channel(ours)
    channel.expect(0.2)
    with theirs:
        yield channel, theirs
    channel.close()


def framed(stream: int, data: bytes) -> bytes:
    return struct.pack(">BxxxI", stream, len(data)) + data


def test_frames_are_joined_and_standard_error_is_kept_aside(ends: tuple[Channel, socket.socket]) -> None:
    channel, theirs = ends
    theirs.sendall(framed(1, b"ab") + framed(2, b"oh no\n") + framed(1, b"") + framed(1, b"cdef"))
    assert channel.read(3) == b"abc"
    assert channel.read(3) == b"def"
    theirs.close()
    with pytest.raises(Silent, match="the container has ended; it said: oh no"):
        channel.read(1)


def test_silence_ends_at_the_deadline_however_slowly_it_drips(ends: tuple[Channel, socket.socket]) -> None:
    channel, theirs = ends
    theirs.sendall(framed(1, b"abcdef")[:10])
    start = time.monotonic()
    with pytest.raises(Silent, match="does not answer"):
        channel.read(6)
    assert 0.1 < time.monotonic() - start < 2


def test_an_end_within_a_frame_is_an_end(ends: tuple[Channel, socket.socket]) -> None:
    channel, theirs = ends
    theirs.sendall(framed(1, b"abc")[:5])
    theirs.close()
    with pytest.raises(Silent, match="the container has ended"):
        channel.read(3)


def test_writing_to_who_does_not_read_ends_too(ends: tuple[Channel, socket.socket]) -> None:
    channel, _ = ends
    with pytest.raises(Silent, match="does not answer"):
        channel.send([bytes(2**24)])

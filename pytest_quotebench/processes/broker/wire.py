"""What a stub and the broker say: one request, then the call's input; frames of output, and a status at the end.

A request is its length in four bytes and the words, each with a NUL behind it; what follows it is raw. A frame is
a byte for its kind, its length in four bytes, and the data.
"""

from __future__ import annotations

import select
import socket
import struct
import time

OUTPUT, ERROR = b"o", b"e"
"""Kinds of frames: for standard output and for standard error."""
_STATUS = b"x"

MOST_BYTES = 2**21
"""Of all words together: as many as Linux takes for a program with an ordinary stack limit (execve(2))."""
_REQUEST_S = 5.0
"""How long a stub may take to say what it wants, once it has called."""
_LENGTH = struct.Struct(">I")
_HEADER = struct.Struct(">cI")
_PIECE = 2**16


class Malformed(Exception):
    """A request that is none."""


def read_request(connection: socket.socket) -> list[bytes]:
    """Return the words of a request. Raises Malformed, and OSError."""
    deadline = time.monotonic() + _REQUEST_S
    length = int(_LENGTH.unpack(_exactly(connection, _LENGTH.size, deadline))[0])
    if length > MOST_BYTES:
        raise Malformed("the argument list is too long")
    body = _exactly(connection, length, deadline)
    if not body.endswith(b"\0"):
        raise Malformed("no words")
    return body[:-1].split(b"\0")


def _exactly(connection: socket.socket, size: int, deadline: float) -> bytes:
    data = bytearray()
    while len(data) < size:
        connection.settimeout(max(0.001, deadline - time.monotonic()))
        piece = connection.recv(min(size - len(data), _PIECE))
        if not piece:
            raise Malformed("an unfinished request")
        data += piece
    return bytes(data)


class Conversation:
    """The broker's end of one call, once the request has been read."""

    def __init__(self, connection: socket.socket) -> None:
        """Take the connection; it is the caller's to close."""
        self.connection = connection
        connection.settimeout(None)

    def say(self, kind: bytes, data: bytes) -> None:
        """Send output. Raises OSError where the stub is gone; waits for one that does not read."""
        for start in range(0, len(data), _PIECE):
            piece = data[start : start + _PIECE]
            self.connection.sendall(_HEADER.pack(kind, len(piece)) + piece)

    def end(self, status: int) -> None:
        """Send the exit status, 0 to 255."""
        self.connection.sendall(_HEADER.pack(_STATUS, 1) + bytes([status]))

    def refuse(self, message: str, status: int) -> None:
        """Send a message for standard error, and a status."""
        self.say(ERROR, f"{message}\n".encode("utf-8", "surrogateescape"))
        self.end(status)

    def input(self) -> bytes:
        """Return what came of the call's input, empty at its end. To be called when there is something."""
        return self.connection.recv(_PIECE)


def is_gone(events: int) -> bool:
    """Tell whether these events of poll(2) mean that the stub is there no more: not only its input has ended."""
    return bool(events & (select.POLLHUP | select.POLLERR | select.POLLNVAL))

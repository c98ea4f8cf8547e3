"""Messages between pytest's side and the helper's, each with the descriptors that go with it."""

from __future__ import annotations

import array
import marshal
import socket
import struct
from collections.abc import Sequence
from typing import NamedTuple

from pytest_quotebench.processes.users import User

PARAMETERS = b"P"
"""To the helper, once: what it is to set up (marshalled `Parameters`)."""
AUXILIARY = b"A"
"""From the zygote, once: a descriptor of the directory for auxiliary files; the marshalled `Cgroup`."""
READY = b"R"
"""From an init: descriptors of its task directory, of its /tmp and of itself."""
START = b"X"
"""To an init: the marshalled arguments, environment and code, which is None but for a driver (`script`);
descriptors of its standard streams."""
STATUS = b"S"
"""From an init, its last word: a packed `STATUS_BODY`."""
FAILED = b"E"
"""From anyone before an item has started: an errno and what was being done."""

STATUS_BODY = struct.Struct("=iid")
"""The wait status, the errno where the command could not be started, and CPU seconds used."""

_HEADER = struct.Struct("=cI")
_MOST_DESCRIPTORS = 8


class Message(NamedTuple):
    """What came, and the descriptors with it, which are the receiver's to close."""

    kind: bytes
    body: bytes
    descriptors: tuple[int, ...]


class Parameters(NamedTuple):
    """What a helper sets up once, in bytes and counts."""

    user: User
    """Who items run as, outside."""
    directory_bytes: int
    directory_entries: int
    memory_bytes: int
    processes: int
    cpu_s: int
    file_bytes: int

    def packed(self) -> bytes:
        """Return them as the body of a message."""
        return marshal.dumps((tuple(self.user), *self[1:]))

    @classmethod
    def unpacked(cls, body: bytes) -> Parameters:
        """Return what was packed, by the process that started this one."""
        user, *others = marshal.loads(body)  # noqa: S302 -- no item has run yet
        return cls(User(*user), *others)


def send(channel: socket.socket, kind: bytes, body: bytes = b"", descriptors: Sequence[int] = ()) -> None:
    """Send one message. Raises OSError where the other side is gone."""
    rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", descriptors))] if descriptors else []
    header = _HEADER.pack(kind, len(body))
    channel.sendmsg([header], rights)
    if body:
        channel.sendall(body)


def receive(channel: socket.socket) -> Message | None:
    """Return the next message, or None where the other side is gone. Raises TimeoutError and OSError."""
    room = socket.CMSG_SPACE(4 * _MOST_DESCRIPTORS)
    try:
        header, ancillary, _, _ = channel.recvmsg(_HEADER.size, room, socket.MSG_CMSG_CLOEXEC)
    except ConnectionResetError:
        return None
    if len(header) < _HEADER.size:
        return None
    descriptors = array.array("i")
    for _, _, data in ancillary:
        descriptors.frombytes(data[: len(data) - len(data) % 4])
    kind, length = _HEADER.unpack(header)
    body = _exactly(channel, length)
    return None if body is None else Message(kind, body, tuple(descriptors))


def _exactly(channel: socket.socket, length: int) -> bytes | None:
    body = bytearray()
    while len(body) < length:
        piece = channel.recv(min(length - len(body), 2**20))
        if not piece:
            return None
        body += piece
    return bytes(body)

"""The host's end of a container's standard streams: one attached connection that carries all three."""

from __future__ import annotations

import select
import socket
import struct
import time
from collections.abc import Iterable
from typing import Any

_HEADER = struct.Struct(">BxxxI")
"""Docker's frame of an attached stream: which stream, and how many bytes follow (Engine API, ContainerAttach)."""
_STDERR = 2
_KEPT_OF_STDERR = 2000


class Silent(Exception):
    """The container has ended or does not answer; the message is for people."""


class Channel:
    """A stream to the agent and one from it; what the agent wrote to its standard error is kept aside."""

    def __init__(self, attached: Any) -> None:
        """Take what `attach_socket` of the docker package gives: a socket, or a file object around one."""
        self._attached = attached
        self._connection: socket.socket = getattr(attached, "_sock", attached)
        self._deadline = 0.0
        self._left = 0
        self._stderr = b""

    def expect(self, seconds: float) -> None:
        """Allow so long from now for everything up to the next call."""
        self._deadline = time.monotonic() + seconds

    def send(self, parts: Iterable[bytes]) -> None:
        """Write. Raises Silent."""
        try:
            for part in parts:
                self._connection.settimeout(self._time_left())
                self._connection.sendall(part)
        except OSError as error:
            raise Silent(self._why(error)) from error

    def read(self, size: int) -> bytes:
        """Return exactly `size` bytes of the agent's standard output. Raises Silent."""
        data = bytearray()
        while len(data) < size:
            if not self._left:
                self._next_frame()
            else:
                piece = self._receive(min(self._left, size - len(data)))
                self._left -= len(piece)
                data += piece
        return bytes(data)

    def is_quiet(self) -> bool:
        """Tell whether nothing has come that was not read: neither a word nor the end."""
        return not (self._left or select.select([self._connection], [], [], 0)[0])

    def close(self) -> None:
        """Close the connection: the agent's input ends, and so does the agent."""
        # The response that was upgraded to this connection holds it open too, and must go before it does.
        for end in (getattr(self._attached, "_response", None), self._attached, self._connection):
            if end is not None:
                end.close()

    def _next_frame(self) -> None:
        header = self._exactly(_HEADER.size)
        stream, length = _HEADER.unpack(header)
        if stream == _STDERR:
            self._stderr = (self._stderr + self._exactly(length))[-_KEPT_OF_STDERR:]
        else:
            self._left = length

    def _exactly(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            data += self._receive(size - len(data))
        return data

    def _receive(self, size: int) -> bytes:
        try:
            self._connection.settimeout(self._time_left())
            piece = self._connection.recv(min(size, 2**20))
        except OSError as error:
            raise Silent(self._why(error)) from error
        if not piece:
            raise Silent(self._why(None))
        return piece

    def _time_left(self) -> float:
        return max(0.001, self._deadline - time.monotonic())

    def _why(self, error: OSError | None) -> str:
        said = f"; it said: {self._stderr.decode(errors='replace').strip()}" if self._stderr else ""
        if isinstance(error, TimeoutError):
            return f"the container does not answer{said}"
        return f"the container has ended{f' ({error})' if error else ''}{said}"

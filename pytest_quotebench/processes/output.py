"""Keeping a stream of any length in bounded memory."""

from __future__ import annotations


class KeptStream:
    """The first and the last half of `limit` bytes of a stream, and its true length."""

    def __init__(self, limit: int) -> None:
        self.length = 0
        self._half = limit // 2
        self._limit = limit
        self._head = bytearray()
        self._tail = bytearray()

    def add(self, data: bytes) -> None:
        """Take the next piece of the stream."""
        self.length += len(data)
        room = self._limit - len(self._head)
        self._head += data[:room]
        self._tail += data[room:] if room > 0 else data
        if len(self._tail) > 2 * self._limit:
            del self._tail[: -self._half]

    def value(self) -> bytes:
        """Return what was kept; where bytes are missing, a line in the middle says how many."""
        if self.length <= self._limit:
            return bytes(self._head)
        last = bytes(self._head + self._tail)[-self._half :] if self._half else b""
        missing = self.length - self._half - len(last)
        return bytes(self._head[: self._half]) + b"\n[... %d bytes are missing ...]\n" % missing + last

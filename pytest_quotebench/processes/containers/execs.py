"""One more process in a container, as `docker exec` starts it by the engine's API, and what it says."""

from __future__ import annotations

import re
import socket
import ssl
import struct
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_quotebench.core.errors import Broken
from pytest_quotebench.core.text import to_text
from pytest_quotebench.processes.containers.engine import explained

if TYPE_CHECKING:
    from docker import DockerClient

_NO_UTF8 = re.compile("[\\udc80-\\udcff]")
_HEADER = struct.Struct(">BxxxI")
"""Docker's frame of an attached stream: which stream, and how many bytes follow (Engine API, ContainerAttach)."""
_PIECE = 2**16
_PATIENCE_S = 10.0
"""How long the engine may take to start a process, and to tell how one has ended."""
_PAUSE_S = 0.005


class Output(NamedTuple):
    """A piece of what the process wrote."""

    is_error: bool
    data: bytes


class Place(NamedTuple):
    """Where a process runs, as whom, and with what added to the container's environment."""

    container: str
    user: str
    directory: str
    environment: Mapping[str, str]


class ContainerExec:
    """A process in a container that somebody else keeps."""

    def __init__(self, client: DockerClient, place: Place, words: Sequence[bytes]) -> None:
        """Start it. Raises Broken (`docker`)."""
        self._api: Any = client.api
        with explained("the engine starts no process in the container"):
            created = self._api.exec_create(
                place.container,
                [in_json(to_text(word)) for word in words],
                user=place.user,
                workdir=place.directory,
                environment=dict(place.environment),
            )
            self._id = created["Id"]
            self._attached = self._api.exec_start(self._id, socket=True)
        self._connection: socket.socket = getattr(self._attached, "_sock", self._attached)
        self._connection.settimeout(_PATIENCE_S)
        self._received = b""
        self._has_ended = False

    def fileno(self) -> int:
        """Return what becomes readable when there is output, or its end."""
        return self._connection.fileno()

    def read(self) -> list[Output] | None:
        """Return the output that is there, or None at its end; waits for some. Raises OSError."""
        piece = self._connection.recv(_PIECE)
        if not piece:
            return None
        self._received += piece
        if isinstance(self._connection, ssl.SSLSocket) and self._connection.pending():
            self._received += self._connection.recv(self._connection.pending())
        return list(self._frames())

    def exit_status(self) -> int:
        """Return how it ended, once its output has. Raises Broken (`docker`)."""
        told = self._told("ExitCode")
        self._has_ended = True
        return int(told["ExitCode"] or 0)

    def close(self) -> None:
        """Let go of it. Whether it goes on is not ours to say, but it has started: nothing is still to come."""
        try:
            if not self._has_ended:
                self._told("Pid", "ExitCode")
        finally:
            # The response that was upgraded to this connection holds it open too, and must go before it does.
            for end in (getattr(self._attached, "_response", None), self._attached, self._connection):
                if end is not None:
                    end.close()

    def _frames(self) -> Iterator[Output]:
        while len(self._received) >= _HEADER.size:
            stream, length = _HEADER.unpack_from(self._received)
            end = _HEADER.size + length
            if len(self._received) < end:
                return
            data, self._received = self._received[_HEADER.size : end], self._received[end:]
            yield Output(stream == 2, data)

    def _told(self, *facts: str) -> dict[str, Any]:
        """Return what the engine tells of it, once one of these facts is known."""
        deadline = time.monotonic() + _PATIENCE_S
        while True:
            with explained("the engine does not tell of a process that it started"):
                told: dict[str, Any] = self._api.exec_inspect(self._id)
            if any(told.get(fact) not in (None, 0) or _has_ended(told) for fact in facts):
                return told
            if time.monotonic() > deadline:
                raise Broken("docker", f"the engine has not said in {_PATIENCE_S:g} s what became of a process")
            time.sleep(_PAUSE_S)


def in_json(word: str) -> str:
    """Return a word as Docker's own client sends it: JSON has no bytes, each that is no UTF-8 becomes U+FFFD."""
    return _NO_UTF8.sub("\ufffd", word)


def _has_ended(told: Mapping[str, Any]) -> bool:
    return not told.get("Running") and told.get("ExitCode") is not None

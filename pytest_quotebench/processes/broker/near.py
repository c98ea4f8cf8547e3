"""The process inside the sandbox that calls a broker: a command line in which `docker` or `ssh` is the stub."""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import cache
from pathlib import Path
from socket import socket

from pytest_quotebench.core.execution import AuxPath, Broker, Invocation
from pytest_quotebench.core.tree import File
from pytest_quotebench.processes.broker.serving import serving

NEEDS = ("bash", "python3")
"""What the sandbox must hold."""

_STARTS_ITSELF = b"""#!/bin/sh
''''exec python3 -I -S "$0" "$@" # '''
"""
"""Sh to the kernel, which finds no python3 by PATH; to Python a comment and a string."""
_INSIDE = Path(__file__).parent / "inside"


def calling(verb: str, argv: tuple[bytes, ...], broker: Broker) -> Invocation:
    """Return the process `argv` that finds `verb` first in its PATH, where that is a stub which calls `broker`."""
    files = {"near.sh": File(_source("near.sh")), verb: File(_STARTS_ITSELF + _source("stub.py"), 0o755)}
    return Invocation(argv=(b"bash", AuxPath("near.sh"), *argv), aux_files=files, broker=broker)


@cache
def _source(name: str) -> bytes:
    return (_INSIDE / name).read_bytes()


def no_far_end(listener: socket) -> AbstractContextManager[None]:
    """Refuse every call: a plan that runs by itself has nobody at the far end."""
    return serving(listener, lambda _, conversation: conversation.refuse("broker: there is no far end", 125))

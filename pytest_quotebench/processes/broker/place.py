"""Where a broker's socket lies: bound by a sandbox in a directory that it holds open, as the item's user."""

from __future__ import annotations

import ctypes
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager

from pytest_quotebench.core.errors import Broken
from pytest_quotebench.core.execution import BROKER, Broker, Invocation
from pytest_quotebench.core.tree import FileTree, Symlink
from pytest_quotebench.processes.users import User

_WAITING_CALLS = 16


def auxiliary_tree(invocation: Invocation, place: str) -> FileTree:
    """Return the auxiliary files; with a broker, a link to its socket in the directory `place` among them."""
    files = FileTree(invocation.aux_files)
    return files if invocation.broker is None else files.with_entries({BROKER: Symlink(f"{place}/{BROKER}")})


@contextmanager
def brokered(broker: Broker, directory: int, user: User | None = None) -> Iterator[None]:
    """Bind a socket called `BROKER` in an open directory, owned by `user`, and have the broker serve it.

    The directory may lie in other namespaces: a socket with a name is found by its inode (unix(7)). Raises Broken
    (`broker`).
    """
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        with _files_of(user):
            # A path to a socket must be short, and this directory's own may be long or out of reach.
            listener.bind(f"/proc/self/fd/{directory}/{BROKER}")
        listener.listen(_WAITING_CALLS)
    except OSError as error:
        listener.close()
        raise Broken("broker", f"the broker's socket cannot be bound: {error}") from error
    with listener, broker(listener):
        yield


@contextmanager
def _files_of(user: User | None) -> Iterator[None]:
    """Be that user to the file system, in this thread alone (setfsuid(2))."""
    if user is None or not user.is_somebody_else:
        yield
        return
    library = ctypes.CDLL(None)
    library.setfsgid(user.gid)
    library.setfsuid(user.uid)
    try:
        yield
    finally:
        library.setfsuid(os.geteuid())
        library.setfsgid(os.getegid())

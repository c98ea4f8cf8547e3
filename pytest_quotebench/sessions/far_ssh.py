"""ssh to a real host, by the broker: what `ssh` and `ssh-argv` become where a host is named.

The local shell is in the sandbox, and its `ssh` is a stub. A broker outside runs this machine's client, with its
user's configuration and keys, and hands it what ssh(1) would send: the words behind the host, joined by spaces.
One connection carries all items of a process. A fresh directory there holds the fixture (mktemp(1), tar(1)); the
text that the remote login shell gets begins with a line `cd DIRECTORY || exit`, so that it parses the command as
ever, one line later. The environment is the host's own: HOME is the user's there.

The host holds nothing: a reply runs as that user, sees all that the user sees, and can change it. Naming a host is
the permission. See `processes.broker.host` for what is ended after an item, and what is not.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial
from socket import socket

from pytest_quotebench.core.command_line import argument
from pytest_quotebench.core.errors import Broken
from pytest_quotebench.core.execution import Execution, Invocation
from pytest_quotebench.core.limits import Limits
from pytest_quotebench.core.text import visible
from pytest_quotebench.core.tree import FileTree
from pytest_quotebench.processes.broker.ends import Near, both_ends
from pytest_quotebench.processes.broker.host import FAILED, Host
from pytest_quotebench.processes.broker.near import NEEDS, calling, no_far_end
from pytest_quotebench.processes.broker.serving import serving
from pytest_quotebench.processes.broker.wire import Conversation

_HOST = re.compile(r"(?:ssh://)?[A-Za-z0-9_.][A-Za-z0-9_.@:\[\]-]*/?")


def host_name(text: str) -> str:
    """Return the name of a host as ssh(1) takes it. Raises ValueError that says what is allowed."""
    if not _HOST.fullmatch(text):
        raise ValueError("HOST, USER@HOST or ssh://USER@HOST:PORT, as ssh_config(5) knows it")
    return text


class FarSsh:
    """One of the paths over ssh, to a host that was named; which one says what stands before the command."""

    needs: tuple[str, ...] = NEEDS

    def __init__(self, host: str, words: tuple[str, ...], *, pasted: bool) -> None:
        """Take the host, and the words between `ssh` and the command: `pasted` in quotes, or a word itself."""
        self.versions: Mapping[str, str] = {"ssh-host": host}
        self._name = host
        self._words = words
        self._pasted = pasted
        self._host: Host | None = None
        self._failure: Broken | None = None

    def plan(self, command: str) -> Invocation:
        """Return the process in the sandbox. Raises TransportError like `argument`."""
        line = " ".join(("ssh", *self._words))
        if self._pasted:
            return calling("ssh", (b"bash", b"-c", argument(f'{line} "{command}"')), no_far_end)
        return calling("ssh", (*line.encode().split(), argument(command)), no_far_end)

    def refusal(self) -> str | None:
        """Return why there is no client here, or None; that the host answers is seen by the first item."""
        return None if shutil.which("ssh") else "the program ssh is not installed"

    def carry(self, near: Near, tree: FileTree, command: str, limits: Limits) -> Execution:
        """Run the local shell while a directory on the host is held for what it calls. Raises Broken (`ssh`)."""
        planned = self.plan(command)
        host = self._connected()
        is_sound = False
        try:
            directory = host.hold(tree)
            execution = near(FileTree(), replace(planned, broker=partial(self._served, host, directory)), limits)
            left = host.release(directory, limits.tree)
            is_sound = True
        finally:
            if not is_sound:
                self.close()
        return both_ends(execution, left.tree, left.limit)

    def close(self) -> None:
        """Leave the host."""
        host, self._host, self._failure = self._host, None, None
        if host is not None:
            host.close()

    def _connected(self) -> Host:
        """Return the connection. A host that could not be reached is not tried again for every item."""
        if self._failure is not None:
            raise self._failure
        if self._host is None:
            try:
                self._host = Host(self._name)
            except Broken as broken:
                self._failure = broken
                raise
        return self._host

    def _served(self, host: Host, directory: str, listener: socket) -> AbstractContextManager[None]:
        return serving(listener, partial(self._answer, host, directory))

    def _answer(self, host: Host, directory: str, words: list[bytes], conversation: Conversation) -> None:
        start = len(self._words)
        if words[:start] != [word.encode() for word in self._words] or len(words) == start:
            allowed = " ".join(("ssh", *self._words, "COMMAND"))
            asked = visible(b" ".join(words[:4]), 100)
            conversation.refuse(f"ssh: {asked!r} is not done here, only {allowed!r}", FAILED)
        elif self._pasted and words[start].startswith(b"-"):
            # ssh(1) would take it for an option of its own, and some of them run programs on this side.
            conversation.refuse(f"ssh: the option {visible(words[start], 100)!r} is not handed on", FAILED)
        else:
            host.answer(directory, words[start:], conversation)

"""What a broker does for `docker exec`: start the words behind one prefix in one container, as one user."""

from __future__ import annotations

import select
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pytest_quotebench.core.errors import Broken
from pytest_quotebench.core.execution import execution_environment
from pytest_quotebench.core.text import visible
from pytest_quotebench.processes.broker.wire import ERROR, OUTPUT, Conversation, is_gone
from pytest_quotebench.processes.containers.execs import ContainerExec, Place
from pytest_quotebench.processes.containers.places import TASK

if TYPE_CHECKING:
    from docker import DockerClient

_REFUSED, _FAILED = 1, 126
"""Exit statuses of docker: it did nothing, and the engine could not start the program."""


class ContainerBroker:
    """Answers calls of the stub `docker` while one user's directory in a container is held."""

    def __init__(self, client: DockerClient, container: str, uid: int, prefix: Sequence[bytes]) -> None:
        """Take the container's id, the user, and the words that a call begins with: `exec`, a name, a shell."""
        self._client = client
        self._place = Place(container, f"{uid}:{uid}", TASK, execution_environment(TASK))
        self._prefix = tuple(prefix)
        self._engine = threading.Lock()

    def answer(self, words: list[bytes], conversation: Conversation) -> None:
        """Start what is behind the prefix, without input; copy what it says, and how it ends."""
        if tuple(words[: len(self._prefix)]) != self._prefix:
            conversation.refuse(self._refusal(words), _REFUSED)
            return
        try:
            running = self._start(words[2:])
        except Broken as broken:
            conversation.refuse(f"Error response from daemon: {broken}", _FAILED)
            return
        try:
            if _copied(running, conversation):
                conversation.end(running.exit_status() & 0xFF)
        finally:
            running.close()

    def _start(self, words: Sequence[bytes]) -> ContainerExec:
        with self._engine:  # the package docker does not say that it may be used by two threads
            return ContainerExec(self._client, self._place, words)

    def _refusal(self, words: list[bytes]) -> str:
        if words[:1] == [b"exec"] and len(words) > 1 and words[1] != self._prefix[1]:
            return f"Error response from daemon: No such container: {visible(words[1], 100)}"
        asked, allowed = visible(b" ".join(words[:4]), 100), b" ".join(self._prefix).decode()
        return f"docker: {asked!r} is not done here, only {allowed!r} with its arguments"


def _copied(running: ContainerExec, conversation: Conversation) -> bool:
    """Copy all output; return whether the stub was there until its end."""
    poll = select.poll()
    poll.register(running, select.POLLIN)
    poll.register(conversation.connection, 0)
    while True:
        events = dict(poll.poll())
        if is_gone(events.get(conversation.connection.fileno(), 0)):
            return False
        output = running.read()
        if output is None:
            return True
        for is_error, data in output:
            conversation.say(ERROR if is_error else OUTPUT, data)

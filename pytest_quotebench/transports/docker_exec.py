r"""`docker-exec`: pasted unescaped between double quotes: `bash -c` runs `docker exec box sh -c "COMMAND"`.

Real: the engine and its exec. Emulated: the client, which is a stub in the sandbox; a broker outside has the
engine start what stands behind `exec box` and nothing else, as the engine's own client does: the words as JSON, in
which every byte that is no UTF-8 becomes U+FFFD (client 20.10 and 28.2), no standard input (no `-i`), output as it
comes. The engine's socket is not in the sandbox. Any other call is refused, as by an engine without that box.

The container is one of the docker sandbox's: its image (or the one that QB_DOCKER_IMAGE names: `sh` is dash or
busybox, as the image has it, and python3 must be there), no network, a read-only root, no new privileges, limits
of memory, processes and one CPU. It is started with the first item. Each item has a directory and an ordinary
user of its own there, and the environment of the raw path; CPU time has no limit but the deadline.

The local shell stands in a sandbox, in another directory, as an agent's does outside of its container. That one
is empty at first, so that an unquoted `*` finds nothing; what is left there (a redirection that broke out of the
quotes) is an extra entry `[local shell]/...`, which makes a goal that is reached `environment-invalid`. PATH
begins with the stub's directory there.

End event: the local shell's exit. The stub's is that of the client: the end of the output, then the exit status. A
child that keeps the output open holds it for 2 s after its parent (engine 20.10). In the end all is killed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from socket import socket

from pytest_quotebench.core.command_line import argument
from pytest_quotebench.core.errors import Broken
from pytest_quotebench.core.escaping import inside_double_quotes
from pytest_quotebench.core.execution import Execution, Invocation
from pytest_quotebench.core.layers import NOT_OBSERVABLE, Layer
from pytest_quotebench.core.limits import Limits
from pytest_quotebench.core.shell_model import parse_first_command
from pytest_quotebench.core.spawning import bash_word, never_started, shell_layers, word_layers
from pytest_quotebench.core.tree import FileTree
from pytest_quotebench.processes.broker.container import ContainerBroker
from pytest_quotebench.processes.broker.ends import Near, both_ends
from pytest_quotebench.processes.broker.near import NEEDS, calling, no_far_end
from pytest_quotebench.processes.broker.serving import serving
from pytest_quotebench.processes.containers.containers import Container, Shape, remove_stale
from pytest_quotebench.processes.containers.engine import QUICK_S, connected, explained
from pytest_quotebench.processes.containers.execs import in_json
from pytest_quotebench.processes.containers.images import ensure_image, image_refusal
from pytest_quotebench.processes.containers.kept import ContainerKeeper
from pytest_quotebench.transports import BrokeredTransport

_PREFIX = ("exec", "box", "sh", "-c")
_SHELL = "sh -c, in the container"


class _DockerExec:
    needs: tuple[str, ...] = NEEDS

    def __init__(self) -> None:
        self._held = ExitStack()
        self._far: _Far | None = None
        self._failure: Broken | None = None

    @property
    def versions(self) -> Mapping[str, str]:
        """The image's digest, once it is known."""
        return {} if self._far is None else {"container": self._far.image}

    def plan(self, command: str) -> Invocation:
        return calling("docker", (b"bash", b"-c", argument(_line(command))), no_far_end)

    def layers(self, command: str) -> tuple[Layer, ...]:
        source = _line(command)
        parsed = parse_first_command(source)
        outside = (Layer("bash -c, outside the quotes", parsed.rest),) if parsed.rest else ()
        if parsed.words is None:
            reached = never_started(_SHELL, parsed.reason) if parsed.never_runs else Layer(_SHELL, NOT_OBSERVABLE)
            return Layer("bash -c", source), *outside, reached
        return Layer("bash -c", source), *outside, *_inside(parsed.words)

    def matched(self, command: str) -> str:
        """Raises ValueError for what is no UTF-8: the client does not deliver it."""
        if in_json(command) != command:
            raise ValueError("the engine's client delivers no byte that is not UTF-8")
        return inside_double_quotes(bash_word(command))

    def refusal(self) -> str | None:
        try:
            with connected(QUICK_S) as client:
                return image_refusal(client)
        except Broken as broken:
            return str(broken)

    def carry(self, near: Near, tree: FileTree, command: str, limits: Limits) -> Execution:
        planned = self.plan(command)
        return self._engine().carry(near, tree, planned, limits)

    def close(self) -> None:
        self._far = self._failure = None
        self._held.close()

    def _engine(self) -> _Far:
        """Return the far end. One that cannot be had is not tried again for every item."""
        if self._failure is not None:
            raise self._failure
        if self._far is None:
            try:
                self._far = self._held.enter_context(_far_end())
            except Broken as broken:
                self._failure = broken
                raise
        return self._far


class _Far(ContainerKeeper):
    """The engine's side, and the container that is kept."""

    @property
    def image(self) -> str:
        """Its digest."""
        return self._image

    def carry(self, near: Near, tree: FileTree, planned: Invocation, limits: Limits) -> Execution:
        """Run the local shell while a directory in the container is held for what it calls."""
        container = self._ready(Shape.of(limits))
        is_sound = False
        try:
            broker = partial(self._served, container, container.hold(tree, limits))
            execution = near(FileTree(), replace(planned, broker=broker), limits)
            left = container.release(limits)
            is_sound = True
        finally:
            if not is_sound:
                self.close()
        return both_ends(execution, left.tree, left.limit)

    def _served(self, container: Container, uid: int, listener: socket) -> AbstractContextManager[None]:
        broker = ContainerBroker(self._client, container.id, uid, [word.encode() for word in _PREFIX])
        return serving(listener, broker.answer)


@contextmanager
def _far_end() -> Iterator[_Far]:
    """Hold a connection to the engine, and at the end nothing. Raises Broken (`docker`)."""
    with connected() as client:
        image = ensure_image(client)
        with explained("the engine does not list its containers"):
            remove_stale(client)
        far = _Far(client, image)
        try:
            yield far
        finally:
            far.close()


def _line(command: str) -> str:
    return f'docker {" ".join(_PREFIX)} "{command}"'


def _inside(words: tuple[str, ...]) -> Iterator[Layer]:
    """Yield what docker's client and the container's shell receive."""
    start = len(_PREFIX) + 1
    if words[:start] != ("docker", *_PREFIX) or len(words) <= start:
        yield Layer(_SHELL, NOT_OBSERVABLE)
        return
    sent = tuple(in_json(word) for word in words[start:])
    yield word_layers("docker exec box", ("sh", "-c", *sent))[0]
    yield from shell_layers(_SHELL, sent[0], is_bash=False)


TRANSPORT: BrokeredTransport = _DockerExec()

"""`docker`: containers without network and with a read-only root, by any engine that speaks Docker's API.

Two modes. `shared`, the default: one container for all items, whose first process runs them one after another,
each as a user of its own, and leaves nothing of it to the next. `fresh`: a container for each item. The image is
built of the project's Dockerfile, or named by QB_DOCKER_IMAGE. What an item shares with everybody is the kernel.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Literal

from pytest_quotebench.core.errors import Broken
from pytest_quotebench.core.execution import (
    MAX_REPORT_BYTES,
    REPORT,
    AuxPath,
    Execution,
    Invocation,
    whole_environment,
)
from pytest_quotebench.core.limits import Limits
from pytest_quotebench.core.text import to_text
from pytest_quotebench.core.tree import File, FileTree
from pytest_quotebench.processes.containers.containers import Shape, remove_stale
from pytest_quotebench.processes.containers.engine import QUICK_S, connected, explained
from pytest_quotebench.processes.containers.images import ensure_image, image_refusal
from pytest_quotebench.processes.containers.kept import ContainerKeeper
from pytest_quotebench.processes.containers.messages import (
    Frame,
    Head,
    Parts,
    Unreadable,
    checked,
    packed,
    tree_of,
    tree_rows,
)
from pytest_quotebench.processes.containers.places import APPLETS, AUX, TASK

if TYPE_CHECKING:
    from docker import DockerClient

Mode = Literal["shared", "fresh"]

STRENGTH = 10
"""Weaker than bubblewrap: in a shared container an item is alone, but not in namespaces of its own."""

_NOTE_BYTES = 100
"""The line in the middle of a stream that was cut."""


def refusal() -> str | None:
    """Return why no container can be had, and what to do, or None; builds and fetches nothing."""
    try:
        with connected(QUICK_S) as client:
            return image_refusal(client)
    except Broken as broken:
        return str(broken)


@contextmanager
def open_sandbox(mode: Mode = "shared") -> Iterator[DockerSandbox]:
    """Open a sandbox: see to the image, remove the containers of runs that are no more.

    Its container is started with the first item, and gone at the end. Raises Broken (`docker`).
    """
    with connected() as client:
        image = ensure_image(client)
        with explained("the engine does not list its containers"):
            remove_stale(client)
        sandbox = DockerSandbox(client, image, mode)
        try:
            yield sandbox
        finally:
            sandbox.close()


class DockerSandbox(ContainerKeeper):
    """Runs one command after the other in containers."""

    name = "docker"

    def __init__(self, client: DockerClient, image: str, mode: Mode) -> None:
        self.versions: Mapping[str, str] = {"image": image}
        """The image's digest, for the results."""
        super().__init__(client, image)
        self._mode = mode

    def run(self, tree: FileTree, invocation: Invocation, limits: Limits) -> Execution:
        """Run `invocation` in a fresh directory that holds `tree`, as the protocol says.

        Raises Broken: `docker` where the engine or the container failed (the next item gets a new one), `layout`,
        `spawn:<errno name>`, and `unsupported` for a terminal or a broker.
        """
        if invocation.tty:
            raise Broken("unsupported", "the docker sandbox gives no terminal")
        if invocation.broker is not None:
            raise Broken("unsupported", "the docker sandbox holds no broker's socket: name another one")
        container = self._ready(Shape.of(limits))
        is_sound = False
        try:
            if invocation.applets is not None:
                container.keep(invocation.applets)
            answer = container.ask(
                _request(tree, invocation, limits), seconds=limits.wall_s, body_bytes=_most(limits)
            )
            execution = _execution(answer, AUX if invocation.aux_files else "")
            is_sound = True
        except Unreadable as error:
            raise Broken("docker", f"the agent in the container is not to be understood: {error}") from error
        finally:
            if self._mode == "fresh" or not is_sound:
                self.close()
        if isinstance(execution, Broken):
            raise execution
        return execution


def _most(limits: Limits) -> int:
    return limits.tree.total_bytes + 2 * (limits.kept_output_bytes + _NOTE_BYTES) + MAX_REPORT_BYTES


def _request(tree: FileTree, invocation: Invocation, limits: Limits) -> list[bytes]:
    rows, contents = tree_rows(tree)
    report = {REPORT: File(b"")} if invocation.reports else {}
    aux_rows, aux_contents = tree_rows(FileTree({**invocation.aux_files, **report}))
    applets = invocation.applets.directory if invocation.applets is not None else ""
    head: Head = {
        "limits": asdict(limits),
        "argv": [_argument(argument) for argument in invocation.argv],
        "env": whole_environment(invocation, TASK, f"{APPLETS}/{applets}"),
        "stdin": len(invocation.stdin),
        "tree": rows,
        "aux": aux_rows,
    }
    return packed(head, [*contents, *aux_contents, invocation.stdin])


def _argument(argument: bytes | AuxPath) -> str:
    return to_text(argument) if isinstance(argument, bytes) else f"{AUX}/{argument.name}"


def _execution(answer: Frame, aux_directory: str) -> Execution | Broken:
    """Read the agent's answer. Raises Unreadable."""
    try:
        return _read(answer.head, Parts(answer.body), aux_directory)
    except (KeyError, TypeError, ValueError) as error:
        raise Unreadable(f"an answer without {error!r:.100}") from error


def _read(head: Head, parts: Parts, aux_directory: str) -> Execution | Broken:
    if "broken" in head:
        detail, message = head["broken"]
        return Broken(checked(detail, str), checked(message, str))
    code = checked(head["code"], int)
    stdout, stderr, report = (parts.take(length) for length in head["parts"])
    stdout_length, stderr_length = (checked(length, int) for length in head["lengths"])
    timed_out = checked(head["timed_out"], bool)
    limit = head["detail"] or (None if timed_out else head["limit"])
    return Execution(
        exit_status=code if code >= 0 else None,
        signal=-code if code < 0 else None,
        stdout=stdout,
        stderr=stderr,
        stdout_length=stdout_length,
        stderr_length=stderr_length,
        duration_s=checked(head["duration_s"], float),
        timed_out=timed_out,
        detail=limit and checked(limit, str),
        tree=tree_of(head["tree"], parts),
        report=report,
        aux_directory=aux_directory,
    )

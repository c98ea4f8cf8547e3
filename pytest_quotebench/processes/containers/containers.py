"""A container with an agent in it: created, attached to, started, asked, removed."""

from __future__ import annotations

import secrets
from contextlib import suppress
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_quotebench.core.errors import Broken
from pytest_quotebench.core.execution import Applets
from pytest_quotebench.core.limits import Limits
from pytest_quotebench.core.tree import FileTree
from pytest_quotebench.processes.containers import ownership
from pytest_quotebench.processes.containers.channel import Channel, Silent
from pytest_quotebench.processes.containers.engine import explained
from pytest_quotebench.processes.containers.messages import (
    Frame,
    Head,
    Parts,
    Unreadable,
    checked,
    packed,
    receive,
    tree_of,
    tree_rows,
)
from pytest_quotebench.processes.containers.places import APPLETS, TMP, UIDS, VAR_TMP, WORK, WORK_MODE
from pytest_quotebench.processes.containers.program import MINIMUM_PYTHON, command, program

if TYPE_CHECKING:
    from docker import DockerClient

_CAPABILITIES = ("CHOWN", "KILL", "SETGID", "SETUID")
_PATIENCE_S = 20.0
"""How long an answer may take that needs no command to have run: the kill, the capture, the cleaning."""
_NEEDS = f"the image needs Python {MINIMUM_PYTHON} or newer as python3"
_NANO = 10**9
_CPUS = 1
_MOUNT = "rw,exec,nosuid,nodev"
_VAR_TMP_BYTES = 2**20
_APPLETS_BYTES = 4 * 2**20
_ULIMITS = {"core": 0, "memlock": 0, "nofile": 1024}
_PAGE = 4096
_SPARE_ENTRIES = 16
"""So that one entry too many can be made, and be seen by the capture."""
_AGENT_BYTES = 64 * 2**20
"""The memory of the agent, which is in the container too, beside the tree that it captures."""


class Shape(NamedTuple):
    """What is fixed when a container is created, in bytes and counts."""

    memory_bytes: int
    processes: int
    cpu_s: int
    file_bytes: int
    directory_bytes: int
    directory_entries: int

    @classmethod
    def of(cls, limits: Limits) -> Shape:
        """Return the shape of a container whose items have these limits."""
        return cls(
            memory_bytes=limits.memory_bytes + limits.tree.total_bytes + _AGENT_BYTES,
            processes=limits.processes + 1,
            cpu_s=limits.cpu_s,
            file_bytes=limits.tree.file_bytes,
            # Small files take whole pages of a tmpfs.
            # What lies in them counts as memory: both full must leave the agent its own.
            directory_bytes=min(limits.tree.total_bytes + limits.tree.entries * _PAGE, limits.memory_bytes // 2),
            directory_entries=limits.tree.entries + _SPARE_ENTRIES,
        )


class Released(NamedTuple):
    """What is left of an item whose directory was held."""

    tree: FileTree
    limit: str | None
    """The detail of the limit that was met, also when it was read."""


class Container:
    """One container and the connection to its agent."""

    def __init__(self, client: DockerClient, image: str, shape: Shape) -> None:
        """Create and start it. Raises Broken (`docker`)."""
        self.shape = shape
        self._channel: Channel | None = None
        self._applets: set[Applets] = set()
        with explained("the container cannot be started", _NEEDS):
            self._container = _created(client, image, shape)
            try:
                self._start(shape)
            except BaseException:
                self.close()
                raise

    def _start(self, shape: Shape) -> None:
        streams = {"stdin": 1, "stdout": 1, "stderr": 1, "stream": 1}
        self._channel = Channel(self._container.attach_socket(params=streams))
        settings = {"cpu_s": shape.cpu_s, "file_bytes": shape.file_bytes, "turn": secrets.randbelow(UIDS)}
        # Sent before there is anybody to read it, which the buffers between us have room for: the agent need not
        # wait until the engine says that it has been started.
        self._send([program(), *packed(settings)])
        self._container.start()

    def wait_until_ready(self) -> None:
        """Return when the last item is cleaned away and the next may come. Raises Broken (`docker`)."""
        assert self._channel is not None
        if self._receive(_PATIENCE_S, 0).head != {"ready": True} or not self._channel.is_quiet():
            raise Broken("docker", "the agent in the container is not ready")

    def keep(self, applets: Applets) -> None:
        """Have the agent lay applets out, once, before the next item; it ends where it cannot."""
        if applets not in self._applets:
            rows, contents = tree_rows(applets.tree)
            self._send(packed({"applets": applets.directory, "tree": rows}, contents))
            self._applets.add(applets)

    @property
    def id(self) -> str:
        """The engine's name of it."""
        return str(self._container.id)

    def hold(self, tree: FileTree, limits: Limits) -> int:
        """Lay a tree out as the next item's directory; return whose it is. Raises Broken (`docker`, `layout`)."""
        rows, contents = tree_rows(tree)
        head = {"held": True, "limits": asdict(limits), "tree": rows}
        answer = self.ask(packed(head, contents), seconds=0, body_bytes=0).head
        if type(answer.get("held")) is not int:
            raise _refused(answer)
        return int(answer["held"])

    def release(self, limits: Limits) -> Released:
        """End all that works in the held directory; return what it left. Raises Broken (`docker`, `survivor`)."""
        answer = self.ask(packed({"over": True}), seconds=0, body_bytes=limits.tree.total_bytes)
        try:
            tree = tree_of(answer.head["tree"], Parts(answer.body))
            limit = answer.head["limit"]
            return Released(tree, None if limit is None else checked(limit, str))
        except KeyError:
            raise _refused(answer.head) from None
        except Unreadable as error:
            raise _failed(error) from error

    def ask(self, request: list[bytes], *, seconds: float, body_bytes: int) -> Frame:
        """Let the agent run an item that takes at most so long, and answers with at most so much."""
        self._send(request)
        return self._receive(seconds + _PATIENCE_S, body_bytes)

    def _send(self, frame: list[bytes]) -> None:
        assert self._channel is not None
        try:
            self._channel.expect(_PATIENCE_S)
            self._channel.send(frame)
        except Silent as silent:
            raise _failed(silent) from silent

    def close(self) -> None:
        """Kill and remove it."""
        try:
            self._remove()
        finally:
            if self._channel is not None:
                self._channel.close()

    def _remove(self) -> None:
        from docker.errors import APIError, NotFound

        with explained(f"the container {self._container.short_id} cannot be removed"), suppress(NotFound):
            try:
                self._container.remove(force=True)
            except APIError as error:
                if error.status_code != 409:  # the engine is removing it already
                    raise
                self._container.wait(condition="removed", timeout=_PATIENCE_S)

    def _receive(self, seconds: float, body_bytes: int) -> Frame:
        assert self._channel is not None
        self._channel.expect(seconds)
        try:
            frame = receive(self._channel.read, body_bytes)
        except (Silent, Unreadable) as error:
            raise _failed(error) from error
        assert frame is not None
        return frame


def _created(client: DockerClient, image: str, shape: Shape) -> Any:
    from docker.errors import APIError

    entries = f",nr_inodes={shape.directory_entries}"
    try:
        return client.containers.create(image, **_options(shape, entries))
    except APIError as error:
        if "nr_inodes" not in str(error):
            raise
        return client.containers.create(image, **_options(shape, ""))  # podman limits a tmpfs in bytes alone


def remove_stale(client: DockerClient) -> None:
    """Remove the containers of runs that are no more; those that cannot be removed are left to the next."""
    found = client.api.containers(all=True, filters={"label": ownership.RUN})
    for container in found:
        with suppress(Broken), explained("a stale container cannot be removed"):
            labels, running = container["Labels"], container["State"] == "running"
            if ownership.is_stale(labels, running=running, created=container["Created"]):
                client.api.remove_container(container["Id"], force=True)


def _refused(answer: Head) -> Broken:
    """Return what the agent could not do."""
    match answer.get("broken"):
        case [str(detail), str(message)]:
            return Broken(detail, message)
    return Broken("docker", "the agent in the container is not to be understood")


def _failed(error: Exception) -> Broken:
    return Broken("docker", str(error))


def _options(shape: Shape, entries: str) -> dict[str, Any]:
    mounts = f"{_MOUNT},size={shape.directory_bytes}{entries}"
    return {
        "entrypoint": command(),
        "command": [],
        "user": "0:0",
        "hostname": "sandbox",
        "working_dir": "/",
        "stdin_open": True,
        "auto_remove": True,
        "labels": ownership.labels(),
        "log_config": {"Type": "none"},
        "network_mode": "none",
        "ipc_mode": "none",
        "read_only": True,
        "tmpfs": {
            WORK: f"{mounts},mode={WORK_MODE:04o}",
            TMP: f"{mounts},mode=1777",
            VAR_TMP: f"{_MOUNT},mode=1777,size={_VAR_TMP_BYTES}",
            APPLETS: f"{_MOUNT},mode=0755,size={_APPLETS_BYTES}",
        },
        "cap_drop": ["ALL"],
        "cap_add": list(_CAPABILITIES),
        "security_opt": ["no-new-privileges"],
        # No System V object and no message queue can be made: they would outlive their maker (sysvipc(7)).
        "sysctls": {
            "kernel.shmmni": "0",
            "kernel.msgmni": "0",
            "kernel.sem": "32000 1024000000 500 0",
            "fs.mqueue.queues_max": "0",
        },
        "mem_limit": shape.memory_bytes,
        "memswap_limit": shape.memory_bytes,
        "pids_limit": shape.processes,
        # What the agent starts sets its own; what the engine starts (`docker exec`) has these.
        "ulimits": [{"Name": name, "Soft": most, "Hard": most} for name, most in _ULIMITS.items()],
        "nano_cpus": _CPUS * _NANO,
    }

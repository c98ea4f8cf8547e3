"""A container with an agent in it: created, attached to, started, asked, removed."""

from __future__ import annotations

import secrets
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_quotebench.core.errors import Broken
from pytest_quotebench.processes.containers import ownership
from pytest_quotebench.processes.containers.channel import Channel, Silent
from pytest_quotebench.processes.containers.engine import explained
from pytest_quotebench.processes.containers.messages import Frame, Unreadable, packed, receive
from pytest_quotebench.processes.containers.places import TMP, UIDS, VAR_TMP, WORK, WORK_MODE
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


class Shape(NamedTuple):
    """What is fixed when a container is created, in bytes and counts."""

    memory_bytes: int
    processes: int
    cpu_s: int
    directory_bytes: int
    directory_entries: int


class Container:
    """One container and the connection to its agent."""

    def __init__(self, client: DockerClient, image: str, shape: Shape) -> None:
        """Create and start it. Raises Broken (`docker`)."""
        self.shape = shape
        self._channel: Channel | None = None
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
        self._container.start()
        settings = {"cpu_s": shape.cpu_s, "turn": secrets.randbelow(UIDS)}
        try:
            self._channel.expect(_PATIENCE_S)
            self._channel.send([program(), *packed(settings)])
        except Silent as silent:
            raise _failed(silent) from silent

    def wait_until_ready(self) -> None:
        """Return when the last item is cleaned away and the next may come. Raises Broken (`docker`)."""
        assert self._channel is not None
        if self._receive(_PATIENCE_S, 0).head != {"ready": True} or not self._channel.is_quiet():
            raise Broken("docker", "the agent in the container is not ready")

    def ask(self, request: list[bytes], *, seconds: float, body_bytes: int) -> Frame:
        """Let the agent run an item that takes at most so long, and answers with at most so much."""
        assert self._channel is not None
        try:
            self._channel.expect(_PATIENCE_S)
            self._channel.send(request)
        except Silent as silent:
            raise _failed(silent) from silent
        return self._receive(seconds + _PATIENCE_S, body_bytes)

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
        "nano_cpus": _CPUS * _NANO,
    }

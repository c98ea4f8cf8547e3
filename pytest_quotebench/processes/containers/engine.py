"""The engine: anything that speaks Docker's API, where DOCKER_HOST says or at the usual socket."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pytest_quotebench.core.errors import Broken

if TYPE_CHECKING:
    from docker import DockerClient

QUICK_S = 2.0
"""How long an engine may take to say that it is there."""
PATIENT_S = 60.0
_USUAL_HOST = "unix:///var/run/docker.sock"
_UNIX = "unix://"


@contextmanager
def connected(timeout_s: float = PATIENT_S) -> Iterator[DockerClient]:
    """Hold a connection to the engine. Raises Broken (`docker`) where there is none, with what to do."""
    try:
        import docker
    except ImportError as error:
        raise Broken("docker", f"the package docker cannot be imported ({error}): pip install docker") from error
    host = os.environ.get("DOCKER_HOST") or _USUAL_HOST
    with explained(f"no docker engine answers at {host}", "start one, or name another with DOCKER_HOST"):
        _knock(host)
        client = docker.from_env(timeout=timeout_s)
    # The package would keep a connection open for each path that it ever asked for.
    client.api.headers["Connection"] = "close"
    try:
        yield client
    finally:
        client.close()


def _knock(host: str) -> None:
    """Connect to a Unix socket: where that fails, the package would leave its own one open. Raises OSError."""
    if host.startswith(_UNIX):
        with socket.socket(socket.AF_UNIX) as probe:
            probe.settimeout(QUICK_S)
            probe.connect(host.removeprefix(_UNIX))


@contextmanager
def explained(what: str, remedy: str = "") -> Iterator[None]:
    """Turn the errors of the docker package into Broken (`docker`): what failed, why, and what to do."""
    from docker.errors import DockerException

    try:
        yield
    except (DockerException, OSError) as error:  # those of requests are OSErrors
        reason = getattr(error, "explanation", None) or error
        raise Broken("docker", f"{what}: {reason}{f'; {remedy}' if remedy else ''}") from error

"""The image: a ready one that is named, or one that is built of the project's Dockerfile at its first use."""

from __future__ import annotations

import fcntl
import hashlib
import io
import os
import re
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pytest_quotebench.core.errors import Broken
from pytest_quotebench.core.text import visible
from pytest_quotebench.processes.containers.engine import explained
from pytest_quotebench.processes.containers.program import MINIMUM_PYTHON

if TYPE_CHECKING:
    from docker import DockerClient

IMAGE, BASE = "QB_DOCKER_IMAGE", "QB_DOCKER_BASE"
"""Environment variables: an image that is ready, or the Debian to build one of."""

_REPOSITORY = "pytest-quotebench"
_DOCKERFILE = Path(__file__).parents[2] / "Dockerfile"
"""A link in a checkout, the file itself in the installed package."""
_ARGUMENT = re.compile(r"^ARG BASE=(\S+)", re.MULTILINE)
_WAY_OUT = (
    f"load that image (docker load, docker import), name another Debian with {BASE}, "
    f"or a ready image with bash, coreutils and Python {MINIMUM_PYTHON} or newer with {IMAGE}"
)
_BUILD_S = 600
_SILENT_S = 3.0


class Recipe(NamedTuple):
    """What the image is built of, and the name that says so."""

    dockerfile: bytes
    base: str
    tag: str


def image_refusal(client: DockerClient, environment: Mapping[str, str] = os.environ) -> str | None:
    """Return why there is no image and none can be built, or None; nothing is built or fetched."""
    ready = environment.get(IMAGE)
    if ready:
        return (
            None
            if _is_there(client, ready)
            else f"{IMAGE} names {ready!r}, which this engine has not: docker pull it"
        )
    recipe = _recipe(environment)
    if _is_there(client, recipe.tag) or _is_there(client, recipe.base) or _can_be_fetched(client, recipe.base):
        return None
    return f"the base image {recipe.base!r} is not here and cannot be fetched: {_WAY_OUT}"


def ensure_image(client: DockerClient, environment: Mapping[str, str] = os.environ) -> str:
    """Return the image's digest; build it where it is not there. Raises Broken (`docker`)."""
    name = environment.get(IMAGE)
    if not name:
        recipe = _recipe(environment)
        name = recipe.tag
        if not _is_there(client, name):
            with _alone(name):
                if not _is_there(client, name):
                    _build(client, recipe)
    with explained(f"the image {name!r} cannot be used", f"docker pull it, or leave {IMAGE} out"):
        return str(client.images.get(name).id)


def _recipe(environment: Mapping[str, str]) -> Recipe:
    dockerfile = _DOCKERFILE.read_bytes()
    default = _ARGUMENT.search(dockerfile.decode())
    base = environment.get(BASE) or (default[1] if default else "")
    digest = hashlib.sha256(dockerfile + b"\0" + base.encode()).hexdigest()
    return Recipe(dockerfile, base, f"{_REPOSITORY}:{digest[:16]}")


def _is_there(client: DockerClient, name: str) -> bool:
    from docker.errors import ImageNotFound

    with explained(f"the engine does not tell whether it has {name!r}"):
        try:
            client.images.get(name)
        except ImageNotFound:
            return False
        return True


def _can_be_fetched(client: DockerClient, name: str) -> bool:
    try:
        with explained("the registry does not answer"):
            client.images.get_registry_data(name)
    except Broken:
        return False
    return True


@contextmanager
def _alone(name: str) -> Iterator[None]:
    """Let one process of this user build at a time: under xdist they all start together."""
    path = f"{tempfile.gettempdir()}/qb-build-{os.getuid()}-{name.rpartition(':')[2]}"
    lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def _build(client: DockerClient, recipe: Recipe) -> None:
    """Build. The network is the engine's own: apt must reach its mirror, and an engine may have no bridge."""
    told = time.monotonic()
    with explained(f"the image cannot be built of {recipe.base!r}", _WAY_OUT):
        for event in client.api.build(
            fileobj=io.BytesIO(recipe.dockerfile),
            tag=recipe.tag,
            buildargs={"BASE": recipe.base},
            network_mode="host",
            rm=True,
            forcerm=True,
            decode=True,
            timeout=_BUILD_S,
        ):
            if "error" in event:
                raise OSError(visible(str(event["error"]), 500))
            if time.monotonic() - told > _SILENT_S and event.get("stream", "").startswith("Step"):
                sys.stderr.write(f"building the image {recipe.tag}: {visible(event['stream'].strip(), 100)}\n")

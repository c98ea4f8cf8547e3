"""Every userland that there is a file for, in sandboxes that are opened once per module."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module

import pytest

from pytest_quotebench.core.errors import BadInput
from pytest_quotebench.core.execution import Execution, Invocation
from pytest_quotebench.core.limits import Limits
from pytest_quotebench.core.tree import FileTree
from pytest_quotebench.registry import Registry, built_in, variant_names
from pytest_quotebench.sandboxes import Sandbox
from pytest_quotebench.userland_choice import InUserland, find_userland
from pytest_quotebench.userlands import Userland


def _opened(name: str) -> Iterator[Sandbox]:
    module = import_module(f"pytest_quotebench.sandboxes.{name}")
    if reason := module.refusal():
        pytest.skip(f"{name}: {reason}")
    with module.open_sandbox() as sandbox:
        yield sandbox


@pytest.fixture(scope="module", params=variant_names("sandboxes"))
def sandbox(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    yield from _opened(request.param)


@pytest.fixture(scope="module")
def namespace() -> Iterator[Sandbox]:
    yield from _opened("namespace")


@pytest.fixture(scope="session")
def userlands() -> Registry[Userland]:
    return Registry("userland", built_in("userlands", "USERLAND"))


@pytest.fixture(scope="session")
def inside(userlands: Registry[Userland]) -> Callable[[str, Sandbox], InUserland]:
    """`inside("busybox", sandbox)`: the sandbox with a userland; skips where it is not installed."""

    def inside(name: str, sandbox: Sandbox) -> InUserland:
        try:
            return InUserland(sandbox, find_userland(name, "a test", userlands[name], sandbox))
        except BadInput as error:
            pytest.skip(str(error))

    return inside


@pytest.fixture(scope="session")
def run() -> Callable[[Sandbox, str], Execution]:
    """`run(sandbox, "ls")`: a command in an empty directory."""

    def run(sandbox: Sandbox, command: str) -> Execution:
        return sandbox.run(FileTree(), Invocation(argv=(b"bash", b"-c", command.encode())), Limits(wall_s=10))

    return run

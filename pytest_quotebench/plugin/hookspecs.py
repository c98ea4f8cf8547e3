"""The hooks by which conftest files and other plugins add variants. The built-ins use the same door.

Each mapping goes from the option's value to a function without arguments, called at the first use.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:  # the specifications are imported at every start of pytest
    from pytest_quotebench.contracts import Contract
    from pytest_quotebench.core.task import Task
    from pytest_quotebench.models import Model
    from pytest_quotebench.processes.calling import Run
    from pytest_quotebench.sandboxes import Provider
    from pytest_quotebench.transports import Transport
    from pytest_quotebench.userlands import Userland


@pytest.hookspec
def pytest_quotebench_contracts() -> Mapping[str, Callable[[], Contract]]:  # type: ignore[empty-body]
    """Return contracts by name (`pytest_quotebench.contracts.Contract`)."""


@pytest.hookspec
def pytest_quotebench_transports() -> Mapping[str, Callable[[], Transport]]:  # type: ignore[empty-body]
    """Return transports by name (`pytest_quotebench.transports.Transport`)."""


@pytest.hookspec
def pytest_quotebench_sandboxes() -> Mapping[str, Callable[[], Provider]]:  # type: ignore[empty-body]
    """Return sandbox providers by name (`pytest_quotebench.sandboxes.Provider`)."""


@pytest.hookspec
def pytest_quotebench_userlands() -> Mapping[str, Callable[[], Userland]]:  # type: ignore[empty-body]
    """Return userlands by name (`pytest_quotebench.userlands.Userland`)."""


@pytest.hookspec
def pytest_quotebench_models() -> Mapping[str, Callable[[], Model]]:  # type: ignore[empty-body]
    """Return models by name (`pytest_quotebench.models.Model`)."""


@pytest.hookspec
def pytest_quotebench_tasks() -> Iterable[Task]:  # type: ignore[empty-body]
    """Return further tasks (`pytest_quotebench.core.task.Task`), with ids that no other task has."""


@pytest.hookspec
def pytest_quotebench_paths() -> Mapping[str, Run]:  # type: ignore[empty-body]
    """Return command paths of one's own by name: functions `run(command: bytes, cwd: Path)`, sync or async.

    Each returns (exit status, output), and is a transport that runs on this machine, under `local` only.
    """

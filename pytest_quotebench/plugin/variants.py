"""The built-in variants, registered through the same hooks as anybody's."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import pytest

import quotebench_tasks
from pytest_quotebench.core.errors import BadInput
from pytest_quotebench.core.task import Task
from pytest_quotebench.registry import Registry, built_in

KINDS = {
    "contract": ("contracts", "CONTRACT"),
    "transport": ("transports", "TRANSPORT"),
    "sandbox": ("sandboxes", ""),
    "model": ("models", "MODEL"),
}


class BuiltInVariants:
    """A plugin that offers what lies in the variant folders."""

    @pytest.hookimpl
    def pytest_quotebench_contracts(self) -> Mapping[str, Callable[[], Any]]:
        """Offer `contracts/`."""
        return built_in(*KINDS["contract"])

    @pytest.hookimpl
    def pytest_quotebench_transports(self) -> Mapping[str, Callable[[], Any]]:
        """Offer `transports/`."""
        return built_in(*KINDS["transport"])

    @pytest.hookimpl
    def pytest_quotebench_sandboxes(self) -> Mapping[str, Callable[[], Any]]:
        """Offer `sandboxes/`."""
        return built_in(*KINDS["sandbox"])

    @pytest.hookimpl
    def pytest_quotebench_models(self) -> Mapping[str, Callable[[], Any]]:
        """Offer `models/`."""
        return built_in(*KINDS["model"])

    @pytest.hookimpl
    def pytest_quotebench_tasks(self) -> Iterable[Task]:
        """Offer the 56 tasks of the core."""
        return quotebench_tasks.load_tasks()


def collect_registry(config: pytest.Config, kind: str) -> Registry[Any]:
    """Ask every plugin for its variants of one kind. Raises BadInput where two offer the same name."""
    hook = getattr(config.hook, f"pytest_quotebench_{KINDS[kind][0]}")
    loaders: dict[str, Callable[[], Any]] = {}
    for offered in hook():
        for name, loader in offered.items():
            if name in loaders:
                raise BadInput(f"two plugins offer the {kind} {name!r}. Rename one of them.")
            loaders[name] = loader
    return Registry(kind, loaders)


def collect_tasks(config: pytest.Config) -> tuple[Task, ...]:
    """Ask every plugin for its tasks. Raises BadInput where two tasks have the same id."""
    tasks: dict[str, Task] = {}
    for offered in config.hook.pytest_quotebench_tasks():
        for task in offered:
            if task.id in tasks:
                raise BadInput(f"two tasks have the id {task.id!r}. Rename one of them.")
            tasks[task.id] = task
    return tuple(tasks[task_id] for task_id in sorted(tasks))

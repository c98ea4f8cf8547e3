"""The built-in variants, registered through the same hooks as anybody's."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import partial
from typing import Any

import pytest

import quotebench_tasks
from pytest_quotebench.core.errors import BadInput
from pytest_quotebench.core.task import Task
from pytest_quotebench.core.text import visible
from pytest_quotebench.paths.function import FunctionPath
from pytest_quotebench.paths.template import TemplatePath, parse
from pytest_quotebench.registry import Registry, built_in

KINDS = {
    "contract": ("contracts", "CONTRACT"),
    "transport": ("transports", "TRANSPORT"),
    "sandbox": ("sandboxes", ""),
    "userland": ("userlands", "USERLAND"),
    "model": ("models", "MODEL"),
}

_OVER_SSH = ("ssh", "ssh-argv")
"""The transports that can be led to a real host."""

_NAME = re.compile(r"[a-z0-9][a-z0-9-]*")


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
    def pytest_quotebench_userlands(self) -> Mapping[str, Callable[[], Any]]:
        """Offer `userlands/`."""
        return built_in(*KINDS["userland"])

    @pytest.hookimpl
    def pytest_quotebench_models(self) -> Mapping[str, Callable[[], Any]]:
        """Offer `models/`."""
        return built_in(*KINDS["model"])

    @pytest.hookimpl
    def pytest_quotebench_tasks(self) -> Iterable[Task]:
        """Offer the 56 tasks of the core."""
        return quotebench_tasks.load_tasks()


def collect_registry(config: pytest.Config, kind: str) -> Registry[Any]:
    """Ask every plugin for its variants of one kind.

    Raises BadInput where two offer the same name, a name cannot stand in an item's name, or it is no mapping.
    """
    return Registry(kind, _offers(config, kind, f"pytest_quotebench_{KINDS[kind][0]}", {}))


def collect_transports(
    config: pytest.Config, commands: Iterable[str], source: str, ssh_host: str
) -> Registry[Any]:
    """Ask for transports, for command paths that are functions, and read those that were typed as `NAME=LINE`.

    Where a host is named, those that can lead there do.
    """
    loaders = _offers(config, "transport", "pytest_quotebench_transports", {})
    if ssh_host:
        loaders.update((name, partial(_at_host, loaders[name], ssh_host)) for name in _OVER_SSH)
    functions = _offers(config, "path", "pytest_quotebench_paths", loaders)
    loaders.update((name, partial(FunctionPath, name, run)) for name, run in functions.items())
    for text in commands:
        given = parse(text, source, loaders)
        loaders[given.name] = partial(TemplatePath, given.line)
    return Registry("transport", loaders)


def _at_host(load: Callable[[], Any], host: str) -> Any:
    return load().at_host(host)


def _offers(config: pytest.Config, kind: str, hook: str, taken: Collection[str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for offered in getattr(config.hook, hook)():
        if not isinstance(offered, Mapping):
            raise BadInput(
                f"{hook} returned {visible(repr(offered), 80)}. Return a mapping from name to function."
            )
        for name, loader in offered.items():
            _check_name(kind, name, {*taken, *found})
            found[name] = loader
    return found


def _check_name(kind: str, name: Any, taken: Collection[str]) -> None:
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise BadInput(f"a plugin offers the {kind} {visible(str(name), 80)!r}. Name it with a-z, 0-9 and -.")
    if name in taken:
        raise BadInput(f"two plugins offer the {kind} {name!r}. Rename one of them.")


def collect_tasks(config: pytest.Config) -> tuple[Task, ...]:
    """Ask every plugin for its tasks. Raises BadInput where two tasks have the same id."""
    tasks: dict[str, Task] = {}
    for offered in config.hook.pytest_quotebench_tasks():
        for task in offered:
            if task.id in tasks:
                raise BadInput(f"two tasks have the id {task.id!r}. Rename one of them.")
            tasks[task.id] = task
    return tuple(tasks[task_id] for task_id in sorted(tasks))

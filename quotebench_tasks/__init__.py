"""The 56 tasks of the QuoteBench core: 14 families, one module each, four tiers in each.

Payloads, file names and end states are facts of the published QuoteBench core (Li et al., Apache-2.0).
A family is a module here whose name begins neither with `_` nor with `test_`; it defines `TASKS`.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from pathlib import Path

from pytest_quotebench.core.errors import BadInput
from pytest_quotebench.core.task import Task

__all__ = ["families", "load_tasks"]

_NO_FAMILY = ("_", "test_")


def families() -> tuple[str, ...]:
    """Return the names of the families (`write-file`), sorted, from the file names: nothing is imported."""
    stems = (path.stem for path in Path(__file__).parent.glob("*.py"))
    return tuple(sorted(stem.replace("_", "-") for stem in stems if not stem.startswith(_NO_FAMILY)))


def load_tasks(families: Iterable[str] | None = None) -> tuple[Task, ...]:
    """Return the tasks of these families, or of all, sorted by id. No other family is imported.

    Raises BadInput for an unknown family, and where two tasks have one id.
    """
    return in_order(task for family in _known(families) for task in _tasks_of(family))


def in_order(tasks: Iterable[Task]) -> tuple[Task, ...]:
    """Return the tasks sorted by id. Raises BadInput where two of them have one id."""
    found: dict[str, Task] = {}
    for task in tasks:
        if task.id in found:
            raise BadInput(f"two tasks have the id {task.id!r}: an id names one task; rename one of them")
        found[task.id] = task
    return tuple(found[name] for name in sorted(found))


def _known(wanted: Iterable[str] | None) -> tuple[str, ...]:
    existing = families()
    if wanted is None:
        return existing
    chosen = tuple(dict.fromkeys(wanted))
    for family in chosen:
        if family not in existing:
            raise BadInput.unknown("task family", family, source="load_tasks", allowed=existing)
    return chosen


def _tasks_of(family: str) -> tuple[Task, ...]:
    module = import_module(f"{__name__}.{family.replace('-', '_')}")
    tasks: tuple[Task, ...] = module.TASKS
    return tasks

"""The mutation audit: does the judge reject what is nearly right, and accept what is right in another spelling?

From a task's reached final state small changes of many kinds are made, each of which must be rejected. One file
per group of kinds; it defines `mutations` and may define `equivalents`. A command that produces a change on a
real directory is in `commands`. Everything here is pure: the caller executes the commands.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import ModuleType

from pytest_quotebench.audit._change import CommandChange, Mutation
from pytest_quotebench.audit.commands import command_equivalents, command_mutations
from pytest_quotebench.core.judge import check_state, extra_entries
from pytest_quotebench.core.task import Task
from pytest_quotebench.core.tree import FileTree

__all__ = [
    "AuditReport",
    "CommandChange",
    "Mutation",
    "accepts",
    "audit",
    "command_equivalents",
    "command_mutations",
    "groups",
    "tree_equivalents",
    "tree_mutations",
]


@dataclass(frozen=True)
class AuditReport:
    """What became of the changes of one task's final state."""

    rejected: Counter[str]
    """How many were rejected, by kind."""
    survivors: tuple[str, ...]
    """The kinds of those that were accepted: each is a hole in the judge."""
    refused_equivalents: tuple[str, ...]
    """The kinds of the right states that were rejected."""


def groups() -> tuple[str, ...]:
    """Return the names of the groups of kinds, from the file names."""
    stems = (path.stem for path in Path(__file__).parent.glob("*.py"))
    return tuple(sorted(stem for stem in stems if not stem.startswith("_") and stem != "commands"))


def tree_mutations(task: Task, reached: FileTree) -> Iterator[Mutation]:
    """Give the changes of `reached`, the task's final state; each is another state and must be rejected."""
    for group in _modules():
        yield from group.mutations(task, reached)


def tree_equivalents(task: Task, reached: FileTree) -> Iterator[Mutation]:
    """Give the states that are as good as `reached`; each must be accepted."""
    for group in _modules():
        if hasattr(group, "equivalents"):
            yield from group.equivalents(task, reached)


def accepts(task: Task, tree: FileTree) -> bool:
    """Tell whether the judge takes `tree` for the goal reached, with nothing besides."""
    return check_state(task, tree) is None and not extra_entries(task, tree)


def audit(task: Task, reached: FileTree) -> AuditReport:
    """Try every change of a task's reached final state that is made on the tree."""
    rejected: Counter[str] = Counter()
    survivors = []
    for mutation in tree_mutations(task, reached):
        if accepts(task, mutation.tree):
            survivors.append(mutation.kind)
        else:
            rejected[mutation.kind] += 1
    refused = (same.kind for same in tree_equivalents(task, reached) if not accepts(task, same.tree))
    return AuditReport(rejected, tuple(survivors), tuple(refused))


def _modules() -> Iterator[ModuleType]:
    return (import_module(f"{__name__}.{name}") for name in groups())

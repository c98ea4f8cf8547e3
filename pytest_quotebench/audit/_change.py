"""The values of the audit: a changed final state, and a command that makes one."""

from __future__ import annotations

from typing import NamedTuple

from pytest_quotebench.core.task import Task
from pytest_quotebench.core.tree import Entry, File, FileTree


class Mutation(NamedTuple):
    """A final state that differs from the reached one in one small way, and the word for that way."""

    kind: str
    tree: FileTree


class CommandChange(NamedTuple):
    """A real command that leaves a state next to the reached one, and the word for what differs."""

    task: str
    """The task's id."""
    kind: str
    command: str


def targets(task: Task, reached: FileTree) -> tuple[str, ...]:
    """Return the paths of the regular files that the goal decides; what lies below .git is not among them."""
    named = task.goal.named(task.fixture.tree)
    return tuple(
        path for path in reached if path in named and is_file(reached, path) and not path.startswith(".git/")
    )


def is_file(tree: FileTree, path: str) -> bool:
    """Tell whether a regular file is at `path`."""
    return isinstance(tree.get(path), File)


def content(tree: FileTree, path: str) -> bytes:
    """Return the bytes of the regular file at `path`. Raises TypeError where there is none."""
    entry = tree[path]
    if not isinstance(entry, File):
        raise TypeError(f"{path!r} is not a regular file")
    return entry.data


def replaced(tree: FileTree, path: str, entry: Entry) -> FileTree:
    """Return the tree with `entry` in the place of whatever was at `path` and below it."""
    return tree.without(path).with_entries({path: entry})


def with_content(tree: FileTree, path: str, data: bytes) -> FileTree:
    """Return the tree in which the file at `path`, new or there before, holds `data`; its permissions stay."""
    entry = tree.get(path)
    return tree.with_entries({path: File(data, entry.mode) if isinstance(entry, File) else File(data)})

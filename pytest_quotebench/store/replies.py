"""Reading stored replies: from a file, or from all below a directory; what a record says counts, not its place."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import TypeVar

from pytest_quotebench.core.errors import BadInput
from pytest_quotebench.core.reply import CellKey, Reply
from pytest_quotebench.core.task import Task
from pytest_quotebench.core.text import visible
from pytest_quotebench.store.formats import Format, Source, commands, qb_reply, rollout, scoring
from pytest_quotebench.store.lines import Line, read_lines
from pytest_quotebench.store.problem import Problem

_FORMATS: tuple[Format, ...] = (qb_reply, rollout, scoring, commands)
"""Tried in this order; the keys that they look for exclude each other, except that a schema goes first."""
_ENDING = ".jsonl"
_LONGEST_NAME = 100
_Found = TypeVar("_Found")


@dataclass(frozen=True, kw_only=True)
class ReplyStore:
    """The replies that count, in the order of files and lines, and everything that is wrong with the rest."""

    replies: tuple[Reply, ...]
    problems: tuple[Problem, ...]
    conflicts: frozenset[CellKey] = frozenset()
    """Cells for which there is more than one reply; none of these is among `replies`."""


def read_replies(path: Path, tasks: Mapping[str, Task]) -> ReplyStore:
    """Read every reply in a file, or in all `*.jsonl` files below a directory.

    Args:
        path: links to files are followed, links to directories are not.
        tasks: the known tasks by every id that a record may use (`core.task.tasks_by_id`).

    Raises:
        BadInput: there is nothing at `path`, or something that is neither a file nor a directory.

    """
    found, problems = _divided(_read_all(path, tasks))
    by_key: dict[CellKey, list[Reply]] = {}
    for reply in found:
        by_key.setdefault(reply.key, []).append(reply)
    conflicts = {key: replies for key, replies in by_key.items() if len(replies) > 1}
    problems.extend(_conflict(key, replies) for key, replies in conflicts.items())
    return ReplyStore(
        replies=tuple(reply for reply in found if reply.key not in conflicts),
        problems=tuple(problems),
        conflicts=frozenset(conflicts),
    )


def _divided(items: Iterable[_Found | Problem]) -> tuple[list[_Found], list[Problem]]:
    found: list[_Found] = []
    problems: list[Problem] = []
    for item in items:
        if isinstance(item, Problem):
            problems.append(item)
        else:
            found.append(item)
    return found, problems


def _read_all(path: Path, tasks: Mapping[str, Task]) -> Iterator[Reply | Problem]:
    @cache
    def nearest(name: str) -> str:
        near = get_close_matches(name, tasks, n=1) if len(name) <= _LONGEST_NAME else []
        return f"; the nearest known one is {near[0]!r}" if near else ""

    for file in _files(path):
        if isinstance(file, Problem):
            yield file
            continue
        for item in read_lines(file):
            reply = _read(item, file.stem) if isinstance(item, Line) else item
            if isinstance(reply, Problem):
                yield reply
            elif reply.task in tasks:
                yield replace(reply, task=tasks[reply.task].id)
            else:
                unknown = f"unknown task '{visible(reply.task, 80)}'{nearest(reply.task)}"
                yield Problem(reply.origin, "error", unknown)


def _read(line: Line, stem: str) -> Reply | Problem:
    try:
        for layout in _FORMATS:
            if layout.recognises(line.record):
                return layout.read(line.record, Source(line.origin, stem))
    except BadInput as error:
        return Problem(line.origin, "error", str(error))
    return Problem(line.origin, "error", "not a reply: it has neither 'schema' nor 'schema_version' nor 'task_id'")


def _files(path: Path) -> Iterator[Path | Problem]:
    if path.is_dir():
        yield from _searched(path)
    elif path.is_file():
        yield path
    elif path.exists():
        raise BadInput(f"{visible(str(path))} is neither a file nor a directory: name a *{_ENDING} file")
    else:
        raise BadInput(
            f"there is no {visible(str(path))}: name a *{_ENDING} file, or a directory that holds such files"
        )


def _searched(directory: Path) -> Iterator[Path | Problem]:
    refused: list[OSError] = []
    names: list[Path] = []
    for folder, _, files in os.walk(directory, onerror=refused.append):
        names.extend(Path(folder, name) for name in files if name.endswith(_ENDING))
    for error in refused:
        yield Problem(visible(str(error.filename)), "error", f"cannot be searched: {error.strerror}")
    for name in sorted(names):
        yield name if name.is_file() else Problem(visible(str(name)), "warning", "not a regular file; skipped")
    if not names:
        yield Problem(visible(str(directory)), "warning", f"no *{_ENDING} file in it")


def _conflict(key: CellKey, replies: list[Reply]) -> Problem:
    first, *others = replies
    cell = f"{key.task}, {key.configuration}, {key.contract}, trial {key.trial}"
    places = ", ".join(reply.origin for reply in others)
    return Problem(
        first.origin, "error", f"more than one reply for {visible(cell)}: also at {places}; none of them counts"
    )

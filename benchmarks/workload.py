"""What is replayed: the first trial of a stored configuration, as a reply file and as plain cases."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from by_hand import Case

from pytest_quotebench.core.execution import AuxPath
from pytest_quotebench.core.task import Task
from pytest_quotebench.core.text import to_text
from pytest_quotebench.core.tree import Directory, File, FileTree
from pytest_quotebench.executing import execute
from pytest_quotebench.registry import built_in
from quotebench_tasks import load_tasks

CONFIGURATION = "unnamed-frontier"
CONTRACTS = ("raw", "disclosed")
TRANSPORTS = ("raw", "nested")

_REPLIES = Path(__file__).resolve().parents[1] / "replies" / CONFIGURATION


def read_replies() -> list[dict[str, Any]]:
    """Return the records of the first trial under both contracts."""
    lines = (line for name in CONTRACTS for line in (_REPLIES / f"{name}.jsonl").read_text("utf-8").splitlines())
    return [record for record in map(json.loads, lines) if record["trial"] == 0]


def write_replies(path: Path, records: list[dict[str, Any]], trials: int) -> None:
    """Write the records as so many trials: the same replies, that often."""
    lines = (json.dumps({**record, "trial": trial}) for trial in range(trials) for record in records)
    path.write_text("\n".join([*lines, ""]), encoding="ascii")


def plain_cases(records: list[dict[str, Any]], *, git_init: bool) -> list[Case]:
    """Return every reply along every transport, with what an oracle leaves as the expected state."""
    tasks = {task.id: task for task in load_tasks()}
    goals = {task_id: _expected(task) for task_id, task in tasks.items()}
    return [
        {"id": f"{record['task']}-{record['contract']}-{name}", "argv": argv}
        | _fixture(tasks[record["task"]], git_init=git_init)
        | goals[record["task"]]
        for record in records
        for name, argv in _arguments(record["reply"])
    ]


def _arguments(reply: str) -> Iterator[tuple[str, list[str]]]:
    loaders = built_in("transports", "TRANSPORT")
    for name in TRANSPORTS:
        argv = loaders[name]().plan(reply).argv
        assert not any(isinstance(argument, AuxPath) for argument in argv)
        yield name, [to_text(argument) for argument in argv]


def _fixture(task: Task, *, git_init: bool) -> Case:
    tree = task.fixture.tree
    in_git = {path for path in tree if path.partition("/")[0] == ".git"}
    makes_it = git_init and task.fixture.git_repository
    made = in_git if makes_it else set()
    return {
        "directories": [path for path, entry in tree.items() if isinstance(entry, Directory) and path not in made],
        "files": _files(tree, set(tree) - in_git),
        "repository": _files(tree, in_git),
        "git_init": makes_it,
    }


def _files(tree: FileTree, paths: set[str]) -> dict[str, tuple[str, int]]:
    return {
        path: (to_text(entry.data), entry.mode)
        for path, entry in tree.items()
        if path in paths and isinstance(entry, File)
    }


def _expected(task: Task) -> Case:
    after = execute(task.oracle, sandbox="local", files=task.fixture.tree).tree
    outside = {path for path in after if path.partition("/")[0] != ".git"}
    message = getattr(task.goal, "message", None)
    return {
        "expected": {path: content for path, (content, _) in _files(after, outside).items()},
        "message": None if message is None else message.rstrip("\n"),
    }

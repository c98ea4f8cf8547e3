"""The 56 tasks are the published core, to the letter."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_quotebench.core import programs
from pytest_quotebench.core.git_goal import GitGoal
from pytest_quotebench.core.goals import AllFilesGoal, FilesGoal, Goal, JsonGoal, LinesGoal
from pytest_quotebench.core.repository import EMPTY_REPOSITORY
from pytest_quotebench.core.task import Task
from pytest_quotebench.core.tree import File
from quotebench_tasks import load_tasks

Published = dict[str, dict[str, Any]]

DATA = Path(__file__).resolve().parents[2].parent / "shared" / "core" / "tasks.json"
FIELDS = (
    "id",
    "published_id",
    "family",
    "tier",
    "hazards",
    "instruction",
    "payloads",
    "goal",
    "allowed_new_files",
)


@pytest.fixture(scope="module")
def published() -> Published:
    if not DATA.exists():
        pytest.skip("the published data sheet lies beside the repository, and is not there")
    return {record["id"]: record for record in json.loads(DATA.read_text(encoding="utf-8"))}


def test_the_same_tasks_are_there(published: Published) -> None:
    assert [task.id for task in load_tasks()] == sorted(published)


@pytest.mark.parametrize("task", load_tasks(), ids=lambda task: task.id)
def test_every_field_is_the_published_one(task: Task, published: Published) -> None:
    record = published[task.id]
    record["goal"].pop("note", None)

    ours = {name: getattr(task, name) for name in FIELDS} | {"goal": plain_goal(task.goal)}

    assert json.loads(json.dumps(ours)) == {name: record[name] for name in FIELDS}


@pytest.mark.parametrize("task", load_tasks(), ids=lambda task: task.id)
def test_the_fixture_is_the_published_one(task: Task, published: Published) -> None:
    wanted = published[task.id]["fixture"]

    assert dict(task.fixture.files) == wanted["files"]
    assert dict(task.fixture.programs) == {name: program(of) for name, of in wanted["programs"].items()}
    assert list(task.fixture.directories) == wanted["dirs"]
    assert task.fixture.git_repository is wanted["git_repository"]
    assert all((path in task.fixture.tree) == wanted["git_repository"] for path in EMPTY_REPOSITORY)


def plain_goal(goal: Goal) -> dict[str, Any]:
    match goal:
        case FilesGoal(files):
            return {"files": files}
        case AllFilesGoal(files):
            return {"all_files": files}
        case LinesGoal(files):
            return {"lines": files}
        case JsonGoal(files):
            return {"json": files}
        case GitGoal(message, tracked, commits):
            return {"git": {"message": message, "tracked": tracked, "commits": commits}}
    raise AssertionError(f"the data sheet knows no goal like {goal!r}")


def program(record: dict[str, str]) -> File:
    match record:
        case {"kind": "record"}:
            return programs.record()
        case {"kind": "check_env"}:
            return programs.check_env()
        case {"kind": "remote", "token": token}:
            return programs.remote(token)
    raise AssertionError(f"unknown program {record!r}")

"""Two small tasks and a well-formed record: what the tests of the store start from."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pytest_quotebench.core.goals import FilesGoal
from pytest_quotebench.core.task import Fixture, Task, tasks_by_id

RECORD = {
    "schema": "qb-reply/1",
    "task": "write-file-t0",
    "model": "gpt-5.5",
    "effort": None,
    "contract": "raw",
    "trial": 0,
    "reply": "echo hello > out.txt",
}


def _task(tier: int, published_id: str) -> Task:
    return Task(
        id=f"write-file-t{tier}",
        published_id=published_id,
        family="write-file",
        tier=tier,
        hazards=("control",),
        instruction="Write it.",
        payloads=("hello",),
        fixture=Fixture(),
        goal=FilesGoal({"out.txt": "hello\n"}),
        allowed_new_files=("out.txt",),
        oracle="echo hello > out.txt",
        naive="echo hello > out.txt",
    )


@pytest.fixture(scope="session")
def tasks() -> dict[str, Task]:
    return tasks_by_id([_task(0, "write-file/t0-plain"), _task(3, "write-file/t3-gnarly")])


@pytest.fixture(scope="session")
def record() -> Callable[..., dict[str, Any]]:
    """A qb-reply/1 record with these fields replaced; `...` takes a field away."""

    def made(**changes: Any) -> dict[str, Any]:
        return {name: value for name, value in {**RECORD, **changes}.items() if value is not ...}

    return made


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Write a file of lines, each an object or exact bytes; text and objects get a line break."""

    def written(*lines: dict[str, Any] | bytes, name: str = "replies.jsonl") -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(
            b"".join(line if isinstance(line, bytes) else json.dumps(line).encode() + b"\n" for line in lines)
        )
        return path

    return written

"""A project that holds the suite and a few stored replies, run by pytester."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

SUITE = "from pytest_quotebench.suite import *"


@pytest.fixture
def suite(pytester: pytest.Pytester) -> pytest.Pytester:
    """A project whose one test module is the suite."""
    pytester.makepyfile(test_suite=SUITE)
    return pytester


@pytest.fixture
def store(suite: pytest.Pytester) -> Callable[..., Path]:
    """Write replies of the model `m` into the project: `store("raw", {"write-file-t0": "echo ..."})`."""

    def write(contract: str, replies: dict[str, str], *, model: str = "m", trial: int = 0) -> Path:
        path = suite.path / "replies" / model / f"{contract}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a") as file:
            for task, reply in replies.items():
                record = {
                    "schema": "qb-reply/1",
                    "task": task,
                    "model": model,
                    "effort": None,
                    "contract": contract,
                    "trial": trial,
                    "reply": reply,
                }
                file.write(json.dumps(record) + "\n")
        return path

    return write


@pytest.fixture
def verdicts(suite: pytest.Pytester) -> Callable[..., dict[str, Any]]:
    """Run the project and return the records of its results file by item name."""

    def run(*options: str) -> dict[str, Any]:
        path = suite.path / "results.jsonl"
        suite.runpytest_subprocess("--qb-sandbox=local", f"--qb-results={path}", *options)
        records = [json.loads(line) for line in path.read_text().splitlines()]
        path.unlink()
        return {
            "-".join((one["task"], one["contract"], one["transport"], one["model"], str(one["trial"]))): one
            for one in records
        }

    return run

"""A results file holds each case of one run once, and is read back whatever state it was left in."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pytest_quotebench.core.case import Case
from pytest_quotebench.core.errors import BadInput
from pytest_quotebench.core.execution import Execution
from pytest_quotebench.core.mismatch import Mismatch
from pytest_quotebench.core.reply import Configuration, Reply
from pytest_quotebench.core.result import Result, to_line
from pytest_quotebench.core.task import Task
from pytest_quotebench.core.text import to_text
from pytest_quotebench.core.verdict import Verdict, VerdictClass
from pytest_quotebench.store.results import ResultsWriter, read_results

ALL_BYTES = bytes(range(256))
Made = Callable[..., dict[str, Any]]


@pytest.fixture
def result(tasks: dict[str, Task]) -> Made:
    """The record of a case that left every byte there is, with these fields replaced; `...` takes one away."""

    def made(**changes: Any) -> dict[str, Any]:
        reply = Reply(
            task="write-file-t3",
            configuration=Configuration("../../x"),
            contract="raw",
            trial=changes.get("trial", 0),
            text="\u2028\ud83d",
        )
        execution = Execution(
            exit_status=0, signal=None, stdout=ALL_BYTES, stderr="\u2028\u2029".encode(),
            stdout_length=256, stderr_length=6, duration_s=0.1, timed_out=False,
        )  # fmt: skip
        mismatch = Mismatch(to_text(b"\xff\n\x1b"), b"hello\n", ALL_BYTES)
        record = Result(
            case=Case(task=tasks["write-file-t3"], reply=reply, transport="raw"),
            verdict=Verdict(VerdictClass.SILENT_WRONG, mismatch=mismatch),
            execution=execution,
            command="true",
        ).to_record()
        return {name: value for name, value in {**record, **changes}.items() if value is not ...}

    return made


def test_hostile_bytes_are_one_line_of_ascii_and_come_back(result: Made, tmp_path: Path) -> None:
    """ST07: every byte in output, file and file name."""
    path = tmp_path / "results.jsonl"
    with ResultsWriter(path) as writer:
        writer.append("a", to_line(result()))

    raw = path.read_bytes()
    (record,) = read_results(path).records
    assert raw.isascii()
    assert len(raw.splitlines()) == 1
    assert base64.b64decode(record["stdout"]["base64"]) == ALL_BYTES
    assert base64.b64decode(record["mismatch"]["path"]["base64"]) == b"\xff\n\x1b"
    assert record["stderr"] == "\u2028\u2029"


def test_only_the_named_file_is_written_whatever_a_record_is_called(result: Made, tmp_path: Path) -> None:
    """ST10."""
    with ResultsWriter(tmp_path / "run" / "results.jsonl") as writer:
        for number, name in enumerate(("../../x", "/etc/x", "CON", "x" * 300, "🦊", "a\nb")):
            writer.append(number, to_line(result(task=name, model=name)))

    assert [path.name for path in tmp_path.rglob("*")] == ["run", "results.jsonl"]


def test_an_earlier_run_stays_until_the_first_record_replaces_it(result: Made, tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    path.write_text("earlier\n")
    with ResultsWriter(path) as writer:
        assert path.read_text() == "earlier\n"
        writer.append("a", to_line(result()))
        assert path.read_text() == to_line(result()) + "\n"


def test_a_run_without_a_record_leaves_an_earlier_file_alone(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    path.write_text("earlier\n")
    ResultsWriter(path).close()

    assert path.read_text() == "earlier\n"


def test_of_a_case_recorded_twice_the_last_record_is_kept(tmp_path: Path) -> None:
    """ST05."""
    path = tmp_path / "results.jsonl"
    with ResultsWriter(path) as writer:
        for key, line in (("a", "1"), ("b", "2"), ("a", "3"), ("c", "4"), ("a", "5")):
            writer.append(key, line)
        assert path.read_text() == "1\n2\n3\n4\n5\n"

    assert path.read_text() == "2\n4\n5\n"
    assert [entry.name for entry in tmp_path.iterdir()] == ["results.jsonl"]


def test_a_run_that_never_closed_its_file_is_read_with_each_case_once(result: Made, tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    lines = [
        to_line(result(verdict="broken")),
        to_line(result(trial=1)),
        to_line(result()),
        to_line(result())[:50],
    ]
    path.write_text("\n".join(lines))

    store = read_results(path)

    assert [(tally.trial, tally.verdict) for tally in store.tallies] == [(1, "silent-wrong"), (0, "silent-wrong")]
    assert [(problem.severity, problem.message) for problem in store.problems] == [
        ("warning", "this case was recorded before; the last record counts"),
        ("warning", "the last line is torn (it has no line break and does not parse); skipped"),
    ]


def test_an_older_record_is_read_and_a_newer_one_refused(result: Made, tmp_path: Path) -> None:
    """ST08 for results."""
    path = tmp_path / "results.jsonl"
    older = result(schema="qb-result/0", hazards=..., cleanup=..., usage=..., sandbox=..., userland=..., later="x")
    path.write_text(f"{json.dumps(older)}\n{json.dumps(result(schema='qb-result/2', trial=1))}\n")

    store = read_results(path)

    assert [(tally.trial, tally.hazards, tally.cleanup) for tally in store.tallies] == [(0, (), ())]
    assert [problem.message for problem in store.problems] == [
        "schema 'qb-result/2' is newer than this version of pytest-quotebench reads (qb-result/1): update it"
    ]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"task": ...}, "field 'task' is missing"),
        ({"verdict": ...}, "field 'verdict' is missing"),
        ({"verdict": "passs"}, "verdict 'passs' is none that this version knows"),
        ({"tier": "0"}, "field 'tier' must be a whole number from 0, not \"0\""),
        ({"hazards": "dollar"}, "field 'hazards' must be a list of texts, not \"dollar\""),
        ({"cleanup": [1]}, "field 'cleanup' must be a list of texts, not a list"),
        ({"userland": []}, "field 'userland' must be text, not a list"),
        ({"usage": []}, "field 'usage' must be an object or null, not a list"),
    ],
)
def test_a_wrong_record_names_its_field(
    changes: dict[str, Any], message: str, result: Made, tmp_path: Path
) -> None:
    path = tmp_path / "results.jsonl"
    path.write_text(f"{json.dumps(result(**changes))}\n{json.dumps(result(trial=1))}\n")

    store = read_results(path)

    assert [problem.message for problem in store.problems] == [message]
    assert [tally.trial for tally in store.tallies] == [1]


def test_a_path_without_a_results_file_is_bad_input(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"there is no results file .*gone"):
        read_results(tmp_path / "gone")
    with pytest.raises(BadInput, match="is not a regular file"):
        ResultsWriter(tmp_path)

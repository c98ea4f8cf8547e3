"""Results files: one record per executed case, written as the run goes and read back tolerantly."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from pytest_quotebench.core.errors import BadInput
from pytest_quotebench.core.result import Tally
from pytest_quotebench.core.text import visible
from pytest_quotebench.core.verdict import VerdictClass
from pytest_quotebench.store import fields
from pytest_quotebench.store.atomic import replace_file
from pytest_quotebench.store.jsonl import JsonLines
from pytest_quotebench.store.lines import read_lines
from pytest_quotebench.store.private import regular_target
from pytest_quotebench.store.problem import Problem

_ADDED_LATER: Mapping[str, Any] = {
    "hazards": (), "detail": None, "cleanup": (), "marker_leakage": False, "dialect": None,
    "prompt_current": None, "sandbox": "", "userland": "", "usage": None,
}  # fmt: skip
"""What a record of an older version may lack, and what it then stands for."""


class ResultsWriter:
    """The results file of one run, written by one process.

    What an earlier run left stays until this run's first record replaces it. A case that was recorded more than
    once (an item that xdist ran again, a rerun) keeps only its last record when the file is closed.
    """

    def __init__(self, path: Path) -> None:
        """Raises BadInput where something other than a regular file is at `path`; writes nothing yet."""
        regular_target(path)
        self._path = path
        self._file: JsonLines | None = None
        self._last: dict[Hashable, int] = {}
        self._count = 0

    def __enter__(self) -> Self:
        """Return the writer."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Close the file."""
        self.close()

    def append(self, record_key: Hashable, line: str) -> None:
        """Write one record, made by `core.result.to_line`. Raises Broken, with the path, where that fails.

        `record_key` says what is recorded; the same key again supersedes the earlier record.
        """
        if self._file is None:
            replace_file(self._path, f"{line}\n".encode())
            self._file = JsonLines(self._path, fsync=False)
        else:
            self._file.append(line)
        self._last[record_key] = self._count
        self._count += 1

    def close(self) -> None:
        """Bring the file to the disk and drop superseded records, atomically. Raises Broken where that fails."""
        if self._file is None:
            return
        self._file.close()
        self._file = None
        if len(self._last) < self._count:
            replace_file(self._path, self._kept())

    def _kept(self) -> Iterator[bytes]:
        superseded = set(range(self._count)).difference(self._last.values())
        with self._path.open("rb") as file:
            yield from (line for index, line in enumerate(file) if index not in superseded)


@dataclass(frozen=True, kw_only=True)
class ResultStore:
    """The records of a results file, each case once, and what is wrong with the rest."""

    records: tuple[Mapping[str, Any], ...]
    tallies: tuple[Tally, ...]
    """The same records as the summary counts them, in the same order."""
    problems: tuple[Problem, ...]


def read_results(path: Path) -> ResultStore:
    """Read a results file; of a case that is recorded more than once the last record counts.

    Records of older versions are read, newer ones are refused as errors. Raises BadInput where there is no file.
    """
    if not path.is_file():
        raise BadInput(f"there is no results file {visible(str(path))}: --qb-results writes one")
    problems: list[Problem] = []
    found: dict[Hashable, tuple[Mapping[str, Any], Tally]] = {}
    for item in read_lines(path):
        if isinstance(item, Problem):
            problems.append(item)
            continue
        record = {**_ADDED_LATER, **item.record}
        try:
            tally = _tally(record)
        except BadInput as error:
            problems.append(Problem(item.origin, "error", str(error)))
            continue
        key = (tally.task, tally.configuration, tally.cell, tally.trial, tally.sandbox, record["userland"])
        if found.pop(key, None) is not None:
            problems.append(
                Problem(item.origin, "warning", "this case was recorded before; the last record counts")
            )
        found[key] = (record, tally)
    records, tallies = zip(*found.values(), strict=True) if found else ((), ())
    return ResultStore(records=records, tallies=tallies, problems=tuple(problems))


def _tally(record: Mapping[str, Any]) -> Tally:
    _check(record)
    return Tally.from_record(record)


def _check(record: Mapping[str, Any]) -> None:
    fields.check_schema(record, "schema", "qb-result/", 1)
    for name in ("task", "family", "model", "contract", "transport"):
        fields.word(record, name)
    for name in ("effort", "detail", "dialect"):
        fields.optional_word(record, name)
    for name in ("sandbox", "userland"):
        fields.text(record, name)
    for name in ("tier", "trial"):
        fields.number(record, name)
    for name in ("hazards", "cleanup"):
        fields.words(record, name)
    fields.usage(fields.optional_object(record, "usage"))
    if fields.word(record, "verdict") not in {kind.value for kind in VerdictClass}:
        raise BadInput(f"verdict {visible(record['verdict'], 40)!r} is none that this version knows")

"""The report in text and as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from pytest_quotebench.core.reply import Configuration
from pytest_quotebench.core.text import visible
from pytest_quotebench.lossless.carrying import Fate
from pytest_quotebench.lossless.hazards import TITLES
from pytest_quotebench.lossless.probes import HAZARDS
from pytest_quotebench.paths.measuring import RAW, Report
from pytest_quotebench.versions import harness_versions

SCHEMA = "qb-paths/1"
_SIGNS = {Fate.INTACT: ".", Fate.CHANGED: "X", Fate.REFUSED: "R", Fate.HANG: "H"}
_WORST_FIRST = (Fate.CHANGED, Fate.HANG, Fate.REFUSED, Fate.INTACT)
"""A changed command has done something; a hang and a refusal have only done nothing."""
_LEGEND = ". intact   X changed   R refused   H hang; a small letter where it is so for some of the probes only"


def lines(report: Report) -> Iterator[str]:
    """Yield the matrix of hazards against paths, then each path's counts and damage, then what was left out."""
    names = list(report.paths)
    yield f"classes of hazard (down) against paths (across, numbered below), in the sandbox {report.sandbox}"
    yield _LEGEND
    yield ""
    width = max(map(len, HAZARDS))
    yield " ".join([" " * width, *(f"{number:>2}" for number in range(1, len(names) + 1))])
    for hazard in HAZARDS:
        signs = (sign(report.paths[name].hazards[hazard]) for name in names)
        yield " ".join([hazard.ljust(width), *(f"{one:>2}" for one in signs)])
    yield ""
    yield from _path_lines(report)
    if report.left_out:
        yield ""
        yield "left out"
        yield from (f"  {name}: {visible(reason, 300)}" for name, reason in report.left_out.items())


def sign(counted: Counter[Fate]) -> str:
    """Return the sign of the worst fate; small where some probes fared better."""
    worst = next(fate for fate in _WORST_FIRST if counted[fate])
    return _SIGNS[worst] if not counted[Fate.INTACT] or worst is Fate.INTACT else _SIGNS[worst].lower()


def _path_lines(report: Report) -> Iterator[str]:
    configurations = list(report.paths[RAW].replies)
    header = ["   path", *Fate, *(visible(str(one), 30) for one in configurations)]
    rows = [header, *(_row(report, name, number) for number, name in enumerate(report.paths, 1))]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))
        yield "  ".join([row[0].ljust(widths[0]), *cells]).rstrip()
    yield "probes by fate; replies passed/total under the raw contract, with damage to raw in percentage points"


def _row(report: Report, name: str, number: int) -> list[str]:
    measured = report.paths[name]
    counts = [str(measured.fates[fate]) for fate in Fate]
    replies = [_replies_text(report, name, one) for one in report.paths[RAW].replies]
    return [f"{number:>2} {name}", *counts, *replies]


def _replies_text(report: Report, name: str, configuration: Configuration) -> str:
    fared = report.paths[name].replies[configuration]
    damage = report.damage_pp(name, configuration)
    broken = f" ({fared.broken} broken)" if fared.broken else ""
    return f"{fared.passed}/{fared.total} {'-' if damage is None else f'{damage + 0.0:+.1f}'}{broken}"


def to_json(report: Report) -> dict[str, Any]:
    """Return the report as plain JSON values, of the schema `qb-paths/1`."""
    return {
        "schema": SCHEMA,
        "sandbox": report.sandbox,
        "versions": harness_versions(),
        "hazards": {hazard: TITLES[hazard] for hazard in HAZARDS},
        "paths": {name: _path_json(report, name) for name in report.paths},
        "left_out": dict(report.left_out),
    }


def _path_json(report: Report, name: str) -> Mapping[str, Any]:
    measured = report.paths[name]
    return {
        "hazards": {hazard: _counts(counted) for hazard, counted in measured.hazards.items()},
        "fates": _counts(measured.fates),
        "replies": {
            str(one): {
                "passed": fared.passed,
                "total": fared.total,
                "broken": fared.broken,
                "damage_pp": report.damage_pp(name, one),
            }
            for one, fared in measured.replies.items()
        },
    }


def _counts(counted: Counter[Fate]) -> dict[str, int]:
    return {str(fate): counted[fate] for fate in Fate}

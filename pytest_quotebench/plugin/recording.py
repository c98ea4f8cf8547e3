"""From a finished phase of an item to what its report carries."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from pytest_quotebench.core.case import Case
from pytest_quotebench.core.errors import Broken
from pytest_quotebench.core.judge import judge
from pytest_quotebench.core.result import Result, to_line
from pytest_quotebench.core.text import has_surrogate, visible, visible_block
from pytest_quotebench.plugin.keys import GATE, GATE_ATTRIBUTE, RESULT, RESULT_ATTRIBUTE

Scalar = str | int


class Payload(NamedTuple):
    """A report's attribute, its ASCII JSON, and the few scalars that go into JUnit XML."""

    attribute: str
    line: str
    properties: tuple[tuple[str, Scalar], ...]


def payload_of(item: pytest.Item, call: pytest.CallInfo[None]) -> Payload | None:
    """Return what the report of this phase carries, and drop it from the item.

    An item of ours that ended without a result, by whatever exception, is a broken case.
    """
    counted = item.stash.get(GATE, None)
    if counted is not None:
        del item.stash[GATE]
        return Payload(GATE_ATTRIBUTE, to_line(counted), ())
    result = item.stash.get(RESULT, None) or _broken(item, call)
    if result is None:
        return None
    if RESULT in item.stash:
        del item.stash[RESULT]
    return Payload(RESULT_ATTRIBUTE, to_line(result.to_record()), _properties(result))


def make_safe(report: pytest.TestReport) -> None:
    """Take out of a report what execnet cannot carry: one lone surrogate, and xdist loses the item.

    Only exact str, int, float, bool and None pass as property values; everything else becomes text.
    """
    report.sections = [(_safe(name), _safe(content)) for name, content in report.sections]
    report.user_properties[:] = [(_safe(name), _safe_value(value)) for name, value in report.user_properties]
    if isinstance(report.longrepr, tuple):
        path, line, reason = report.longrepr
        report.longrepr = (_safe(path), line, _safe(reason))
    elif report.longrepr is not None and has_surrogate(text := str(report.longrepr)):
        report.longrepr = visible_block(text)


def case_of(item: pytest.Item) -> Case | None:
    """Return the case that an item was parametrized with, or None."""
    callspec = getattr(item, "callspec", None)
    case = callspec.params.get("qb_case") if callspec is not None else None
    return case if isinstance(case, Case) else None


def broken_result(case: Case, detail: str, reason: str) -> Result:
    """Return the record of a case that the harness could not run."""
    verdict = judge(case.task, Broken(detail, reason))
    return Result(case=case, verdict=verdict, execution=None, command=case.reply.text, userland=case.userland)


def _broken(item: pytest.Item, call: pytest.CallInfo[None]) -> Result | None:
    case = case_of(item)
    if case is None or call.excinfo is None or call.when == "teardown":
        return None
    if call.excinfo.errisinstance((pytest.skip.Exception, pytest.xfail.Exception)):
        return None
    return broken_result(case, "internal", visible(call.excinfo.exconly(tryshort=True), 500))


def _properties(result: Result) -> tuple[tuple[str, Scalar], ...]:
    case, verdict = result.case, result.verdict
    return (
        ("qb_task", case.task.id),
        ("qb_configuration", visible(str(case.reply.configuration), 200)),
        ("qb_cell", case.cell),
        ("qb_trial", case.reply.trial),
        ("qb_verdict", verdict.kind.value),
        ("qb_detail", visible(verdict.detail or "", 100)),
    )


def _safe(text: str) -> str:
    return visible_block(text) if has_surrogate(text) else str(text)


def _safe_value(value: Any) -> Any:
    return value if type(value) in {int, float, bool, type(None)} else _safe(str(value))

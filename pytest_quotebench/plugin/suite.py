"""The test functions: what `from pytest_quotebench.suite import *` brings into a test module."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_quotebench.core.case import Case
from pytest_quotebench.core.task import Task
from pytest_quotebench.explain import explain
from pytest_quotebench.gate import audit_task, escaping_complaint, naive_complaint, oracle_complaint
from pytest_quotebench.plugin.keys import GATE, RESULT
from pytest_quotebench.replay import Bench, Replayed, conclude

__all__ = ["test_escaping", "test_mutations", "test_naive", "test_oracle", "test_replay"]


def test_replay(request: pytest.FixtureRequest, qb_execution: Replayed) -> None:
    """The reply reaches the task's exact final state."""
    result = conclude(qb_execution)
    request.node.stash[RESULT] = result
    if not result.verdict.passed:
        pytest.fail(explain(result, request.config.get_verbosity()), pytrace=False)


@pytest.mark.validate
def test_oracle(request: pytest.FixtureRequest, qb_gate: Case, qb_bench: Bench) -> None:
    """The oracle passes on its contract's matched transport."""
    _conclude(request, oracle_complaint(qb_gate, qb_bench))


@pytest.mark.validate
def test_escaping(request: pytest.FixtureRequest, qb_gate: tuple[Case, Case], qb_bench: Bench) -> None:
    """A reply that is escaped at the point of interpolation gets the verdict of the raw path."""
    raw, escaped = qb_gate
    _conclude(request, escaping_complaint(raw, escaped, qb_bench))


@pytest.mark.validate
def test_naive(request: pytest.FixtureRequest, qb_gate: Case, qb_bench: Bench) -> None:
    """The naive command passes a benign control and fails a hostile task."""
    _conclude(request, naive_complaint(qb_gate, qb_bench), control=qb_gate.task.is_control)


@pytest.mark.validate
def test_mutations(request: pytest.FixtureRequest, qb_gate: Task, qb_bench: Bench) -> None:
    """Every small change of the reached final state is rejected, and the same state spelled otherwise passes."""
    count = audit_task(qb_gate, qb_bench)
    _conclude(request, "\n".join(count.wrong) or None, **count.to_json())


def _conclude(request: pytest.FixtureRequest, complaint: str | None, **counted: Any) -> None:
    request.node.stash[GATE] = {"check": request.node.originalname, "passed": complaint is None, **counted}
    if complaint is not None:
        pytest.fail(complaint, pytrace=False)

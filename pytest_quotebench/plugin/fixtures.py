"""The fixtures of a replayed item. Each can be overridden in a root `conftest.py` or beside the suite.

This module is imported at every start of pytest: what only a running item needs is imported where it is used.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pytest_quotebench.core.case import Case
    from pytest_quotebench.lossless.outcome import Coverage
    from pytest_quotebench.processes.calling import Run
    from pytest_quotebench.replay import Bench, Replayed
    from pytest_quotebench.sandboxes import Sandbox


@pytest.fixture(scope="session")
def qb_sandbox(pytestconfig: pytest.Config) -> Iterator[Sandbox]:
    """Where commands run: one sandbox for each pytest process, a fresh directory for each item."""
    from pytest_quotebench.plugin.run import current_run

    with current_run(pytestconfig).open_sandbox() as sandbox:
        yield sandbox


@pytest.fixture
def qb_bench(pytestconfig: pytest.Config, qb_sandbox: Sandbox) -> Bench:
    """Contracts, transports, limits and the sandbox, as `pytest_quotebench.replay.replay` takes them.

    Where several userlands are named it is that of the first.

    Made anew for each item, so that a `qb_sandbox` of any scope can be overridden beside any suite.
    """
    from pytest_quotebench.plugin.run import current_run

    run = current_run(pytestconfig)
    return run.bench(qb_sandbox, run.wanted.userlands[0])


@pytest.fixture
def qb_case(request: pytest.FixtureRequest) -> Case:
    """The case of this item: task, reply, contract and transport."""
    case: Case = request.param
    return case


@pytest.fixture
def qb_gate(request: pytest.FixtureRequest) -> Any:
    """What an item of the gate checks."""
    return request.param


@pytest.fixture
def qb_execution(request: pytest.FixtureRequest, qb_case: Case, qb_sandbox: Sandbox) -> Replayed:
    """What became of the case. A harness that could not do its part is an error in set-up, not a failure."""
    from pytest_quotebench.core.errors import Broken
    from pytest_quotebench.explain import explain
    from pytest_quotebench.plugin.keys import RESULT
    from pytest_quotebench.plugin.run import current_run
    from pytest_quotebench.replay import conclude, replay

    replayed = replay(qb_case, current_run(request.config).bench(qb_sandbox, qb_case.userland))
    if isinstance(replayed.outcome, Broken):
        request.node.stash[RESULT] = conclude(replayed)
        pytest.fail(explain(request.node.stash[RESULT]), pytrace=False)
    return replayed


class QuoteBench:
    """What the fixture `quotebench` offers to people's own suites."""

    def assert_lossless(self, run: Run, budget_s: float = 10) -> Coverage:
        """See `pytest_quotebench.lossless.check.assert_lossless`."""
        from pytest_quotebench.lossless.check import assert_lossless

        __tracebackhide__ = True
        return assert_lossless(run, budget_s)


@pytest.fixture(scope="session")
def quotebench() -> QuoteBench:
    """Checks of one's own command path: `quotebench.assert_lossless(run)`."""
    return QuoteBench()

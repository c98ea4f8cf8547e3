"""A lost item is an error: what was collected and has no record gets one, and the exit status says so."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

RIGHT = "echo hello world > out.txt"

KILLER = """
import os
from pytest_quotebench.transports.raw import TRANSPORT as RAW

class Killer:
    def plan(self, command):
        if "die" in command:
            os.kill(os.getpid(), 9)
        return RAW.plan(command)

    def layers(self, command):
        return RAW.layers(command)

    def matched(self, command):
        return command

def pytest_quotebench_transports():
    return {"killer": Killer}
"""


@pytest.fixture
def killer(suite: pytest.Pytester, store: Callable[..., Path]) -> pytest.Pytester:
    """A project in which one of ten replies kills the process that runs it."""
    suite.makeconftest(KILLER)
    store("raw", {f"write-file-t{tier}": RIGHT for tier in range(4)})
    store("raw", {f"grep-count-t{tier}": RIGHT for tier in range(4)})
    store("raw", {"sed-replace-t0": "die", "sed-replace-t1": RIGHT})
    return suite


def records(project: pytest.Pytester) -> dict[str, Any]:
    """Return the records of the results file by task."""
    lines = (project.path / "results.jsonl").read_text().splitlines()
    return {one["task"]: one for one in map(json.loads, lines)}


OPTIONS = ("--qb-sandbox=local", "--qb-transport=killer", "--qb-results=results.jsonl", "--tb=no")


@pytest.mark.parametrize("distribution", ["load", "loadfile"])
def test_a_killed_worker_is_one_crashed_case(killer: pytest.Pytester, distribution: str) -> None:
    """Every collected case has one record, the culprit is named, and the status is 3."""
    result = killer.runpytest_subprocess("-n2", f"--dist={distribution}", *OPTIONS)

    found = records(killer)
    assert result.ret == 3
    assert len(found) == 10
    assert (found["sed-replace-t0"]["verdict"], found["sed-replace-t0"]["detail"]) == ("broken", "crashed")
    assert [one["task"] for one in found.values() if one["verdict"] == "broken"] == ["sed-replace-t0"]


def test_without_a_restart_the_rest_is_not_run(killer: pytest.Pytester) -> None:
    """With --max-worker-restart=0 what no worker could run is recorded as such, never silently missing."""
    result = killer.runpytest_subprocess("-n1", "--max-worker-restart=0", *OPTIONS)

    found = records(killer)
    assert result.ret == 3
    assert len(found) == 10
    assert {one["detail"] for one in found.values() if one["verdict"] == "broken"} == {"crashed", "not-run"}


def test_a_run_that_was_asked_to_stop_records_the_rest_and_keeps_its_status(killer: pytest.Pytester) -> None:
    """After -x the cases that did not run are recorded, and the status is pytest's own."""
    result = killer.runpytest_subprocess("-x", "-k", "not sed-replace-t0", *OPTIONS)

    found = records(killer)
    assert result.ret == 1
    assert len(found) == 9
    assert sum(one["detail"] == "not-run" for one in found.values()) == 8


BROKEN_SANDBOX = """
import pytest
from pytest_quotebench.core.errors import Broken

class Gone:
    name = "gone"
    def run(self, tree, invocation, limits):
        {action}

@pytest.fixture(scope="session")
def qb_sandbox():
    return Gone()
"""


@pytest.mark.parametrize(
    ("action", "detail"),
    [("raise Broken('gone', 'the sandbox is gone')", "gone"), ("raise ZeroDivisionError('a bug')", "internal")],
)
def test_a_broken_harness_is_an_error_and_outside_every_rate(
    suite: pytest.Pytester, store: Callable[..., Path], action: str, detail: str
) -> None:
    """An overridden sandbox that fails: errors in set-up, verdict broken, no rate, status 3."""
    suite.makeconftest(BROKEN_SANDBOX.replace("{action}", action))
    store("raw", {"write-file-t0": RIGHT})

    result = suite.runpytest_subprocess(
        "--qb-sandbox=local", "--qb-transport=raw", "--qb-results=results.jsonl", "--qb-summary=summary.json"
    )

    result.assert_outcomes(errors=1)
    assert result.ret == 3
    assert (records(suite)["write-file-t0"]["verdict"], records(suite)["write-file-t0"]["detail"]) == (
        "broken",
        detail,
    )
    summary = json.loads((suite.path / "summary.json").read_text())
    assert summary["run"]["broken"] == 1
    assert "passed" not in str(summary["configurations"][0]["cells"]["raw/raw"])


def test_a_skipped_item_is_not_lost(suite: pytest.Pytester, store: Callable[..., Path]) -> None:
    """A skip that a user's conftest asks for is a skip."""
    store("raw", {"write-file-t0": RIGHT, "write-file-t1": RIGHT})
    suite.makeconftest(
        """
        import pytest

        def pytest_collection_modifyitems(items):
            items[0].add_marker(pytest.mark.skip(reason="not today"))
        """
    )

    result = suite.runpytest_subprocess("--qb-sandbox=local", "--qb-transport=raw")

    result.assert_outcomes(skipped=1, failed=1)
    assert result.ret == 1


def test_a_results_file_that_cannot_be_written_ends_the_run(suite: pytest.Pytester) -> None:
    """A full disk stops the session with status 3 and the path; whole records and an earlier summary stay."""
    (suite.path / "summary.json").write_text("old")
    suite.makeconftest(
        """
        import resource

        def pytest_runtestloop():
            resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, resource.RLIM_INFINITY))
        """
    )

    result = suite.runpytest_subprocess(
        *("--qb-model=oracle", "--qb-contract=raw", "--qb-transport=raw", "-q", "--tb=no"),
        *("--qb-results=results.jsonl", "--qb-summary=summary.json", "-p", "no:cacheprovider"),
    )

    assert result.ret == 3
    assert "cannot write" in result.stdout.str()
    assert "results.jsonl" in result.stdout.str()
    assert 1 < len(records(suite)) < 56
    assert (suite.path / "summary.json").read_text() == "old"


def test_a_run_of_which_nothing_was_recorded_is_reconciled_too(
    suite: pytest.Pytester, store: Callable[..., Path]
) -> None:
    """The only item kills the only worker: it has a record, there is a table, and the status is 3."""
    suite.makeconftest(KILLER)
    store("raw", {"sed-replace-t0": "die"})

    result = suite.runpytest_subprocess("-n1", "--max-worker-restart=0", *OPTIONS)

    assert result.ret == 3
    assert records(suite)["sed-replace-t0"]["detail"] == "crashed"


def test_items_that_somebody_swallows_are_lost(suite: pytest.Pytester) -> None:
    """Another plugin that runs nothing cannot turn a run into a success."""
    suite.makeconftest("def pytest_runtest_protocol(item, nextitem):\n    return True\n")

    result = suite.runpytest_subprocess(
        "--qb-model=oracle", "--qb-task=write-file-t0", "--qb-results=results.jsonl"
    )

    assert result.ret == 3
    assert {one["detail"] for one in records(suite).values()} == {"not-run"}


def test_dry_runs_lose_nothing(suite: pytest.Pytester) -> None:
    """--collect-only and --setup-plan run nothing, and nobody expects a record."""
    for option in ("--collect-only", "--setup-plan"):
        assert suite.runpytest_subprocess("--qb-model=oracle", "--qb-task=write-file-t0", option).ret == 0

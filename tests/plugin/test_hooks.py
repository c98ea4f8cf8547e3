"""Third parties register variants through the hooks; the built-ins come through the same door."""

from __future__ import annotations

import pytest

from pytest_quotebench.registry import variant_names

TASK = """
from dataclasses import replace
from quotebench_tasks import load_tasks

def pytest_quotebench_tasks():
    (task,) = [one for one in load_tasks() if one.id == "write-file-t0"]
    return [replace(task, id="mine-t0", published_id="mine/t0", family="mine"{change})]
"""


def test_help_lists_every_variant_by_its_file_name(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    """--help names the built-in contracts, transports and sandboxes."""
    monkeypatch.setenv("COLUMNS", "1000")  # argparse breaks a line after a hyphen too
    text = " ".join(pytester.runpytest("--help").stdout.str().split())

    for folder in ("contracts", "transports", "sandboxes"):
        assert all(name in text for name in variant_names(folder))


def test_a_transport_of_ones_own_is_an_options_value(suite: pytest.Pytester) -> None:
    """A transport from a conftest is selected, run and reported like any other."""
    suite.makeconftest(
        """
        from pytest_quotebench.transports.raw import TRANSPORT

        def pytest_quotebench_transports():
            return {"mine": lambda: TRANSPORT}
        """
    )

    result = suite.runpytest("--qb-model=oracle", "--qb-contract=raw", "--qb-transport=mine", "--qb-tier=0")

    result.assert_outcomes(passed=14)
    result.stdout.fnmatch_lines(["*raw *14/14 100.0"])


def test_a_name_that_is_taken_is_an_error(suite: pytest.Pytester) -> None:
    """Two plugins that offer the same transport are told apart by nobody."""
    suite.makeconftest("def pytest_quotebench_transports():\n    return {'raw': object}\n")

    suite.runpytest("--qb-model=oracle").stderr.fnmatch_lines(
        ["ERROR: two plugins offer the transport 'raw'. Rename one of them."]
    )


def test_more_tasks_join_the_core(suite: pytest.Pytester) -> None:
    """A task from a hook has items, and an id of its own; the gate covers it too."""
    suite.makeconftest(TASK.replace("{change}", ""))

    suite.runpytest(
        "--qb-model=oracle", "--qb-family=mine", "--qb-contract=raw", "--qb-transport=raw"
    ).assert_outcomes(passed=1)
    suite.runpytest("-m", "validate", "--qb-family=mine").assert_outcomes(passed=10)


def test_two_tasks_with_one_id_are_an_error(suite: pytest.Pytester) -> None:
    """An id that is taken is a usage error."""
    suite.makeconftest(TASK.replace("mine-t0", "write-file-t1").replace("{change}", ""))

    suite.runpytest("--qb-model=oracle").stderr.fnmatch_lines(
        ["ERROR: two tasks have the id 'write-file-t1'. Rename one of them."]
    )


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (', oracle="true"', "*the oracle of mine-t0 does not pass*"),
        (', naive="true"', "the naive command fails a benign control"),
        (', tier=1, naive="echo hello world > out.txt"', "the naive command passes a hostile task*"),
    ],
)
def test_the_gate_catches_a_wrong_task(suite: pytest.Pytester, change: str, complaint: str) -> None:
    """A wrong oracle, a control that naive fails, a hostile task that naive passes: the gate fails."""
    suite.makeconftest(TASK.replace("{change}", change))

    result = suite.runpytest("-m", "validate", "--qb-family=mine")

    assert result.ret in {1, 3}
    result.stdout.fnmatch_lines([complaint])


def test_the_gate_counts_what_it_checked(suite: pytest.Pytester) -> None:
    """The summary says how many of each check held, and how many states of each kind were judged."""
    result = suite.runpytest_subprocess("-m", "validate", "--qb-family=write-file", "-n2")

    result.stdout.fnmatch_lines(
        [
            "*24 of 24 *oracle passes its matched transport, task by contract",
            "*8 of 8 *escaped at the point of interpolation*",
            "*4 of 4 *naive passes controls and fails hostile tasks",
            "*4 of 4 *changed final states are judged right*",
            "mutation audit: * (task, kind) pairs on the tree, * 0 judged wrongly",
        ]
    )


@pytest.mark.parametrize(
    ("offered", "message"),
    [
        ("{'Bad Name!': object}", "a plugin offers the transport 'Bad Name!'. Name it with a-z, 0-9 and -."),
        ("['raw']", "pytest_quotebench_transports returned [[]'raw'[]]. Return a mapping from name to function."),
    ],
)
def test_what_a_hook_offers_is_checked(suite: pytest.Pytester, offered: str, message: str) -> None:
    """A name that cannot stand in an item's name, and a value that is no mapping, are usage errors."""
    suite.makeconftest(f"def pytest_quotebench_transports():\n    return {offered}\n")

    suite.runpytest("--qb-model=oracle").stderr.fnmatch_lines([f"ERROR: {message}"])


OVERRIDE = """
import pytest
from pytest_quotebench.core.errors import Broken
from pytest_quotebench.suite import *

class Gone:
    name = "gone"
    def run(self, tree, invocation, limits):
        raise Broken("gone", "gone")

@pytest.fixture(scope="{scope}")
def qb_sandbox():
    return Gone()
"""


@pytest.mark.parametrize("scope", ["session", "module", "function"])
@pytest.mark.parametrize("order", [("test_plain.py", "test_own.py"), ("test_own.py", "test_plain.py")])
def test_a_sandbox_overridden_beside_one_suite_is_that_suites_alone(
    pytester: pytest.Pytester, scope: str, order: tuple[str, str]
) -> None:
    """Whatever its scope, and in whichever order the modules run."""
    pytester.makepyfile(
        test_plain="from pytest_quotebench.suite import *", test_own=OVERRIDE.replace("{scope}", scope)
    )
    options = ("--qb-model=oracle", "--qb-task=write-file-t0", "--qb-contract=raw", "--qb-transport=raw")

    pytester.runpytest(*options, *order).assert_outcomes(passed=1, errors=1)


def test_the_suites_functions_may_go_by_other_names(pytester: pytest.Pytester) -> None:
    """A renamed import is collected, and its items are reconciled."""
    pytester.makepyfile("from pytest_quotebench.suite import test_replay as test_mine")

    result = pytester.runpytest("--qb-model=oracle", "--qb-task=write-file-t0", "--qb-contract=raw")

    result.assert_outcomes(passed=2)


def test_an_expected_failure_is_no_broken_harness(suite: pytest.Pytester) -> None:
    """`pytest.xfail` in an overridden fixture is pytest's own business."""
    suite.makeconftest(
        """
        import pytest

        @pytest.fixture
        def qb_case(qb_case):
            pytest.xfail("known")
        """
    )

    result = suite.runpytest("--qb-model=oracle", "--qb-task=write-file-t0", "--qb-contract=raw")

    result.assert_outcomes(xfailed=2)
    assert result.ret == 0

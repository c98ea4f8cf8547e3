"""--qb-userland: one or several in a run, in names, records, tables and errors."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Store = Callable[..., Path]

LOCAL = "--qb-sandbox=local"
RAW = ("--qb-contract=raw", "--qb-transport=raw")
GNU_ONLY = "sed --version | grep -q '(GNU sed)' && echo 'hello world' > out.txt"
"""Reaches write-file-t0 with GNU's sed alone."""
ANYWHERE = "echo 'hello world' > out.txt"

NOT_GNU = """
from pytest_quotebench.userlands import Userland

QUESTION = r'''
echo 'not-gnu 1.0'
printf 'sed\\t%s\\n' "$(command -v cat)"
'''

def pytest_quotebench_userlands():
    return {"not-gnu": lambda: Userland(question=QUESTION, install="")}
"""
"""A userland of a third party that is there on every machine: its sed is cat."""

needs_gnu = pytest.mark.skipif(shutil.which("apt-get") is None, reason="compares with GNU's programs")


@pytest.fixture
def project(suite: pytest.Pytester, store: Store) -> pytest.Pytester:
    """Two replies of `m`, one of which needs GNU's sed, and a userland that has none."""
    suite.makeconftest(NOT_GNU)
    store("raw", {"write-file-t0": GNU_ONLY, "env-passing-t0": "MSG=plainvalue ./check_env"})
    store("raw", {"write-file-t0": ANYWHERE}, trial=1)
    return suite


def collected(project: pytest.Pytester, *options: str) -> list[str]:
    lines = project.runpytest(*options, LOCAL, *RAW, "--collect-only", "-q").outlines
    return [line.partition("[")[2] for line in lines if "::" in line]


def records(project: pytest.Pytester) -> list[dict[str, Any]]:
    lines = (project.path / "results.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


@needs_gnu
@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_several_userlands_replay_the_same_replies_in_one_run(project: pytest.Pytester, workers: str) -> None:
    """Names, results, summary and table tell them apart, and the verdict that changes is named."""
    result = project.runpytest_subprocess(
        *(LOCAL, *RAW, "--qb-userland=gnu,not-gnu", "--qb-task=write-file-t0", workers, "-v"),
        *("--qb-results=results.jsonl", "--qb-summary=summary.json"),
    )

    result.assert_outcomes(passed=3, failed=1)
    result.stdout.fnmatch_lines_random(
        [
            "quotebench: userland gnu (sed (GNU sed)*)",
            "quotebench: userland not-gnu (not-gnu 1.0)",
            "*test_replay[[]write-file-t0-raw-raw-m-0[]]*",
            "*test_replay[[]write-file-t0-raw-raw-m-0-not-gnu[]]*",
            "quotebench: 4 cases, run in the sandbox local, userland gnu, not-gnu",
            "*= userlands =*",
            "  raw/raw  2/2 100.0  1/2 50.0",
            "not-gnu         m raw/raw: -50.0 pp: 1 pass to fail (write-file-t0)",
        ]
    )
    found = {(one["userland"], one["trial"]): one for one in records(project)}
    assert {key: one["verdict"] == "pass" for key, one in found.items()} == {
        ("gnu", 0): True,
        ("gnu", 1): True,
        ("not-gnu", 0): False,
        ("not-gnu", 1): True,
    }
    assert found["not-gnu", 0]["versions"]["userland"] == "not-gnu 1.0"
    assert found["not-gnu", 0]["reply_sha256"] == found["gnu", 0]["reply_sha256"]
    summary = json.loads((project.path / "summary.json").read_text())
    gnu, other = summary["configurations"]
    assert (gnu["userland"], gnu["cells"]["raw/raw"]) == ("gnu", {"passed": 2, "total": 2})
    assert (other["userland"], other["cells"]["raw/raw"]) == ("not-gnu", {"passed": 1, "total": 2})
    change = other["against_userland"]["cells"]["raw/raw"]
    assert change["pass_to_fail"] == [{"task": "write-file-t0", "trial": 0}]
    assert summary["run"]["options"]["userland"] == "gnu,not-gnu"


@needs_gnu
def test_without_the_option_names_are_as_ever_and_records_say_what_there_is(project: pytest.Pytester) -> None:
    """The default and `gnu` are the same items, where the sandbox has GNU's programs."""
    default, gnu = collected(project), collected(project, "--qb-userland=gnu")
    result = project.runpytest(LOCAL, *RAW, "--qb-results=results.jsonl")

    assert (
        default
        == gnu
        == ["env-passing-t0-raw-raw-m-0]", "write-file-t0-raw-raw-m-0]", "write-file-t0-raw-raw-m-1]"]
    )
    assert {one["userland"] for one in records(project)} == {"gnu"}
    result.stdout.no_fnmatch_line("*= userlands =*")


def test_k_takes_the_items_of_a_userland(project: pytest.Pytester) -> None:
    project.makeconftest(f"{NOT_GNU.rstrip()} | {{'mine': lambda: Userland(question=QUESTION, install='')}}")

    result = project.runpytest(*(LOCAL, *RAW, "--qb-userland=mine,not-gnu", "--qb-trials=0", "-k", "0-not-gnu"))

    result.assert_outcomes(passed=1, failed=1, deselected=2)


def test_an_unknown_userland_is_a_usage_error(project: pytest.Pytester) -> None:
    result = project.runpytest(LOCAL, "--qb-userland=busyboks")

    result.stderr.fnmatch_lines(["*unknown userland 'busyboks' (from --qb-userland on the command line)*busybox*"])
    assert result.ret == pytest.ExitCode.USAGE_ERROR


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_one_that_is_not_there_is_a_usage_error_before_anything_runs(
    project: pytest.Pytester, workers: str
) -> None:
    """It names where the value came from and what to install."""
    project.makeconftest(
        """
        from pytest_quotebench.userlands import of_one

        def pytest_quotebench_userlands():
            return {"absent": lambda: of_one("no-such-awk", ("awk",), "", install="Install the package A.")}
        """
    )
    project.makeini("[pytest]\nqb_userland = absent")

    result = project.runpytest_subprocess(LOCAL, workers)

    source = "from qb_userland in tox.ini"
    result.stderr.fnmatch_lines(
        [f"*the userland 'absent' ({source}) is not there in the sandbox 'local'. Install the package A.*"]
    )
    assert result.ret == pytest.ExitCode.USAGE_ERROR


def test_collecting_asks_for_nothing(project: pytest.Pytester) -> None:
    """--collect-only works where a userland is not installed."""
    project.makeconftest(
        """
        from pytest_quotebench.userlands import Userland

        def pytest_quotebench_userlands():
            return {"absent": lambda: Userland(question="touch asked; exit 1", install="")}
        """
    )

    result = project.runpytest("--collect-only", "-q", *RAW, "--qb-userland=absent")

    result.stdout.fnmatch_lines(["*write-file-t0-raw-raw-m-1-absent[]]"])
    assert result.ret == 0


def test_two_plugins_cannot_offer_one_name(project: pytest.Pytester) -> None:
    project.makeconftest("def pytest_quotebench_userlands():\n    return {'busybox': dict}")

    result = project.runpytest(LOCAL)

    result.stderr.fnmatch_lines(["*two plugins offer the userland 'busybox'*"])


def test_missing_cells_are_told_for_every_userland(project: pytest.Pytester) -> None:
    """env-passing-t0 has no reply of trial 1."""
    result = project.runpytest(
        *(LOCAL, *RAW, "--qb-userland=not-gnu", "--qb-task=write-file-t0,env-passing-t0", "--tb=no"),
        "--qb-summary=summary.json",
    )

    result.stdout.fnmatch_lines(["missing cells*1: no stored reply (env-passing-t0-raw-raw-m-1-not-gnu)"])
    assert json.loads((project.path / "summary.json").read_text())["run"]["missing"] == 1


def test_the_gate_runs_on_the_userland_that_is_named(project: pytest.Pytester) -> None:
    """sed that is cat replaces nothing: the oracles of sed-replace fail."""
    options = ("-m", "validate", LOCAL, "--qb-task=sed-replace-t0,write-file-t0", "-k", "test_oracle and -raw]")

    named = project.runpytest(*options, "--qb-userland=not-gnu", "--tb=no")
    own = project.runpytest(*options)

    named.assert_outcomes(passed=1, failed=1, deselected=own.parseoutcomes()["deselected"])
    assert own.parseoutcomes()["passed"] == 2


def test_the_gate_refuses_several(project: pytest.Pytester) -> None:
    result = project.runpytest("-m", "validate", LOCAL, "--qb-userland=not-gnu,mawk")

    result.stderr.fnmatch_lines(
        ["*the gate runs on one userland, not on not-gnu, mawk (from*). Name one of them.*"]
    )
    assert result.ret == pytest.ExitCode.USAGE_ERROR


def test_a_path_that_is_a_function_has_no_userland(project: pytest.Pytester) -> None:
    project.makeconftest(
        NOT_GNU
        + """
def run(command, cwd):
    raise AssertionError("run")

def pytest_quotebench_paths():
    return {"mine": run}
"""
    )

    result = project.runpytest(LOCAL, "--qb-transport=mine", "--qb-userland=not-gnu")

    result.stderr.fnmatch_lines(["*mine runs commands by itself, with programs of its own choice: no userland*"])
    assert result.ret == pytest.ExitCode.USAGE_ERROR


def test_a_typed_command_path_has_the_userland_first(project: pytest.Pytester) -> None:
    """It has this machine's PATH otherwise."""
    result = project.runpytest(
        *(LOCAL, "--qb-contract=raw", "--qb-transport-command=box=bash -c {sq}", "--qb-transport=box"),
        *("--qb-userland=not-gnu", "--qb-task=write-file-t0", "--tb=no", "-rN"),
    )

    result.assert_outcomes(passed=1, failed=1)


def test_a_sandbox_of_ones_own_that_heeds_no_userland_breaks_its_items(project: pytest.Pytester) -> None:
    """Never are results told of a userland that was not there."""
    project.makepyfile(
        test_suite="""
        from dataclasses import replace

        import pytest
        from pytest_quotebench.suite import *

        class Heedless:
            name = "heedless"

            def __init__(self, sandbox):
                self.sandbox = sandbox

            def run(self, tree, invocation, limits):
                return self.sandbox.run(tree, replace(invocation, applets=None), limits)

        @pytest.fixture(scope="session")
        def qb_sandbox(qb_sandbox):
            return Heedless(qb_sandbox)
        """
    )

    result = project.runpytest(LOCAL, *RAW, "--qb-userland=not-gnu", "--qb-results=results.jsonl")

    result.assert_outcomes(errors=3)
    result.stdout.fnmatch_lines(["*'heedless' does not put the userland 'not-gnu' first in PATH*"])
    assert {(one["verdict"], one["userland"]) for one in records(project)} == {("broken", "not-gnu")}
    assert result.ret == 3


def test_a_lost_item_keeps_its_userland(project: pytest.Pytester) -> None:
    """What killed its process is recorded under the userland that it was to run on."""
    project.makeconftest(
        NOT_GNU
        + """
import os
import pytest

@pytest.fixture
def qb_execution(qb_case, qb_execution):
    if qb_case.userland and qb_case.reply.trial == 1:
        os._exit(9)
    return qb_execution
"""
    )
    project.runpytest_subprocess(
        *(LOCAL, *RAW, "--qb-userland=gnu,not-gnu", "-n2", "--qb-results=results.jsonl", "--tb=no")
    )

    lost = [one for one in records(project) if one["verdict"] == "broken"]
    assert [(one["task"], one["trial"], one["userland"], one["detail"]) for one in lost] == [
        ("write-file-t0", 1, "not-gnu", "crashed")
    ]

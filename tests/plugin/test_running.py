"""A run behaves like any other pytest run, and its tables come at the end."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree as ET

import pytest

RIGHT = "echo hello world > out.txt"
NOISY = f"{RIGHT}; echo oops >&2"
WRONG = "echo 'hello  world' > out.txt; echo oops >&2"
LOCAL = "--qb-sandbox=local"


def test_a_passing_run_ends_with_status_0(suite: pytest.Pytester) -> None:
    """The oracle passes its matched cells."""
    result = suite.runpytest("--qb-model=oracle", "--qb-contract=raw", "--qb-transport=raw", "--qb-tier=3")

    result.assert_outcomes(passed=14)
    assert result.ret == 0


def test_a_failing_item_is_explained_in_ten_lines_without_a_traceback(
    suite: pytest.Pytester, store: Callable[..., object]
) -> None:
    """Verdict, mismatch with the first difference marked, layers and standard error; nothing of Python."""
    store("raw", {"write-file-t0": WRONG})

    result = suite.runpytest(LOCAL, "--qb-transport=nested", "-rN")

    assert result.ret == 1
    start = next(index for index, line in enumerate(result.outlines) if line.startswith("silent-wrong"))
    end = next(index for index, line in enumerate(result.outlines) if "run in the sandbox" in line)
    assert result.outlines[start:end] == [
        "silent-wrong: out.txt differs at byte 6",
        r"  expected  hello world\n",
        r"  got       hello  world\n",
        "                  ^",
        "  bash -c ← bash -c \"echo 'hello  world' > out.txt; echo oops >&2\"",
        "  inner bash -c ← echo 'hello  world' > out.txt; echo oops >&2",
        "  stderr    oops",
    ]


def test_verbose_shows_everything(suite: pytest.Pytester, store: Callable[..., object]) -> None:
    """With -v the reply, where it was read, how the command ended and all of its output are shown."""
    store("raw", {"write-file-t0": WRONG})

    output = suite.runpytest(LOCAL, "--qb-transport=raw", "-v").stdout.str()

    assert f"reply     {WRONG}" in output
    assert "raw.jsonl:1" in output
    assert "exit 0 after" in output


def test_the_tables_are_the_same_with_and_without_workers(
    suite: pytest.Pytester, store: Callable[..., object]
) -> None:
    """The summary reads reports only, so that -n 2 prints what one process prints."""
    store("raw", {"write-file-t0": RIGHT, "write-file-t1": RIGHT, "sed-replace-t0": "exit 3"})
    store("disclosed", {"write-file-t0": RIGHT})

    def tables(*options: str) -> list[str]:
        lines = suite.runpytest_subprocess(LOCAL, "--tb=no", "-rN", *options).outlines
        start = next(index for index, line in enumerate(lines) if "= crossover =" in line)
        return lines[start:-1]

    alone = tables()

    assert alone == tables("-n2")
    assert any("missing" in line for line in alone)


@pytest.mark.parametrize("order", ["given", "reversed"])
def test_verdicts_do_not_depend_on_order_workers_or_repetition(
    suite: pytest.Pytester, verdicts: Callable[..., dict[str, Any]], order: str
) -> None:
    """Item by item the same verdict: alone, twice, with -n2, in any order."""
    if order == "reversed":
        suite.makeconftest("def pytest_collection_modifyitems(items):\n    items.reverse()\n")
    options = ("--qb-model=naive", "--qb-family=write-file,grep-count,argv-passing")

    runs = [verdicts(*options), verdicts(*options), verdicts(*options, "-n2")]

    found = [{name: (one["verdict"], one["detail"]) for name, one in run.items()} for run in runs]
    assert len(found[0]) == 3 * 4 * 4
    assert found[0] == found[1] == found[2]


def test_results_hold_one_record_for_each_case(
    store: Callable[..., object], verdicts: Callable[..., dict[str, Any]]
) -> None:
    """A record has everything that the design's section 7 names."""
    store("raw", {"write-file-t0": f"```bash\n$ {NOISY}\n```"})

    (record,) = verdicts("--qb-transport=raw").values()

    assert record["schema"] == "qb-result/1"
    assert (record["verdict"], record["exit_status"], record["signal"]) == ("pass", 0, None)
    assert record["cleanup"] == ["fence", "prompt"]
    assert record["stderr"] == "oops\n"
    assert record["layers"] == [{"layer": "bash -c", "text": NOISY}]
    assert {"bash", "sed", "awk", "grep", "find", "git", "pytest", "python"} <= record["versions"].keys()
    assert {"task_sha256", "reply_sha256", "prompt_current", "dialect", "marker_leakage"} <= record.keys()


def test_strict_replies_make_cleanup_a_contract_error(
    store: Callable[..., object], verdicts: Callable[..., dict[str, Any]]
) -> None:
    """--qb-strict-replies turns a needed cleanup into a contract-error, and leaves clean replies alone."""
    store("raw", {"write-file-t0": f" {RIGHT}", "write-file-t1": 'echo "it\'s a test" > out.txt'})

    found = verdicts("--qb-transport=raw", "--qb-strict-replies")

    assert [(one["task"], one["verdict"], one["detail"]) for one in found.values()] == [
        ("write-file-t0", "contract-error", "cleanup"),
        ("write-file-t1", "pass", None),
    ]


def test_the_summary_file_holds_the_tables(suite: pytest.Pytester, store: Callable[..., object]) -> None:
    """--qb-summary gives counts and effects from counts; what is not computed is null with a reason."""
    store("raw", {"write-file-t0": RIGHT})
    store("disclosed", {"write-file-t0": RIGHT})

    suite.runpytest_subprocess(LOCAL, "--qb-summary=summary.json", "-n2").assert_outcomes(passed=4)

    summary = json.loads((suite.path / "summary.json").read_text())
    (configuration,) = summary["configurations"]
    assert summary["schema"] == "qb-summary/1"
    assert configuration["cells"]["raw/nested"] == {"passed": 1, "total": 1}
    assert configuration["crossover"][0]["damage"]["pp"] == 0.0
    assert configuration["reliability"]["value"] is None
    assert summary["ranking"]["reason"]


def test_junit_xml_names_cell_and_verdict(suite: pytest.Pytester, store: Callable[..., object]) -> None:
    """Every test case has its few scalars as properties, under xdist too, and names are unique."""
    store("raw", {"write-file-t0": RIGHT, "write-file-t1": "echo '\x1b[31m' > out.txt"})

    suite.runpytest_subprocess(LOCAL, "-n2", "--junitxml=report.xml")

    cases = list(ET.parse(suite.path / "report.xml").iter("testcase"))
    assert len({case.get("name") for case in cases}) == 4
    properties = {one.get("name"): one.get("value") for one in cases[0].iter("property")}
    assert properties.keys() == {"qb_task", "qb_configuration", "qb_cell", "qb_trial", "qb_verdict", "qb_detail"}


def test_pytest_options_work_as_ever(suite: pytest.Pytester, store: Callable[..., object]) -> None:
    """-x stops at the first failure, --lf runs what failed, --maxfail and -p no:cacheprovider are fine."""
    store("raw", {f"write-file-t{tier}": RIGHT for tier in range(4)})
    base = (LOCAL, "--qb-transport=raw")

    suite.runpytest(*base, "-x").assert_outcomes(passed=1, failed=1)
    suite.runpytest(*base).assert_outcomes(passed=1, failed=3)
    suite.runpytest(*base, "--lf").assert_outcomes(failed=3)
    suite.runpytest(*base, "--maxfail=2", "-p", "no:cacheprovider").assert_outcomes(passed=1, failed=2)


def test_collecting_opens_no_sandbox_and_needs_none(suite: pytest.Pytester, store: Callable[..., object]) -> None:
    """--collect-only works for replies that no sandbox here may run."""
    store("raw", {"write-file-t0": RIGHT})
    suite.makeconftest(
        """
        class Provider:
            STRENGTH = 100
            def refusal(self):
                raise AssertionError("asked")
            def open_sandbox(self):
                raise AssertionError("opened")

        def pytest_quotebench_sandboxes():
            return {"trap": Provider}
        """
    )

    result = suite.runpytest("--collect-only", "-q", "--qb-model=m", "--qb-transport=raw")

    result.stdout.fnmatch_lines(["*test_replay[[]write-file-t0-raw-raw-m-0[]]"])
    assert result.ret == 0

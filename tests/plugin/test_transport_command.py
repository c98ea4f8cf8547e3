"""Paths of one's own in a run: `--qb-transport-command`, the hook for functions, and the fixture `quotebench`."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
RIGHT = "echo 'hello world' > out.txt"
SMALL = ("--qb-contract=raw", "--qb-family=write-file", "-rN", "--tb=line")
UNESCAPED = '--qb-transport-command=mine=bash -c "{}"'

PATHS = """
import subprocess

async def run(command, cwd):
    done = subprocess.run(["bash", "-c", command], cwd=cwd, capture_output=True)
    return done.returncode, done.stderr

def pytest_quotebench_paths():
    return {"my-tool": run}
"""


def test_the_path_joins_raw_and_is_the_boundary(suite: pytest.Pytester) -> None:
    """Oracle and naive run at once; raw passes, the path harms, and the table's N is the path."""
    result = suite.runpytest_subprocess("--qb-model=oracle", UNESCAPED, *SMALL, "-n2")

    result.assert_outcomes(passed=6, failed=2)
    result.stdout.fnmatch_lines(["contract disclosed, transport mine", "*  oracle  4/4 100.0  2/4 50.0*"])


def test_two_paths_and_another_boundary(suite: pytest.Pytester) -> None:
    """All of them are run; `--qb-boundary` decides which one is N."""
    second = "--qb-transport-command=two=bash -c {sq}"
    result = suite.runpytest_subprocess("--qb-model=oracle", UNESCAPED, second, "--qb-boundary=two", *SMALL)

    result.assert_outcomes(passed=10, failed=2)
    result.stdout.fnmatch_lines(["contract disclosed, transport two"])


def test_the_ini_file_takes_one_path_a_line(suite: pytest.Pytester) -> None:
    """With commas in it."""
    suite.makeini("[pytest]\nqb_transport_command =\n  one=bash -c {sq}\n  two=echo a,b; bash\n")

    suite.runpytest_subprocess("--qb-model=oracle", *SMALL).assert_outcomes(passed=12)


def test_stored_replies_need_local_by_name(
    suite: pytest.Pytester, store: Callable[..., Path], verdicts: Callable[..., dict[str, Any]]
) -> None:
    """Under auto it is a usage error that says so; under another sandbox too; named, it runs."""
    store("raw", {"write-file-t0": RIGHT})

    refused = suite.runpytest_subprocess(UNESCAPED, "--qb-contract=raw")
    elsewhere = suite.runpytest_subprocess(UNESCAPED, "--qb-model=oracle", "--qb-sandbox=docker")
    named = verdicts(UNESCAPED, "--qb-contract=raw")

    assert (refused.ret, elsewhere.ret) == (pytest.ExitCode.USAGE_ERROR, pytest.ExitCode.USAGE_ERROR)
    refused.stderr.fnmatch_lines(["ERROR: mine leads through this machine: *Name --qb-sandbox=local to run it*"])
    elsewhere.stderr.fnmatch_lines(["ERROR: mine leads *cannot run in the sandbox 'docker' (from --qb-sandbox*"])
    assert {record["transport"]: record["verdict"] for record in named.values()} == {"raw": "pass", "mine": "pass"}


def test_a_path_that_is_not_selected_needs_nothing(suite: pytest.Pytester, store: Callable[..., Path]) -> None:
    """The rule is about what runs."""
    store("raw", {"write-file-t0": RIGHT})

    result = suite.runpytest_subprocess(
        UNESCAPED, "--qb-transport=raw", "--qb-contract=raw", "--collect-only", "-q"
    )

    assert result.ret == 0


@pytest.mark.parametrize(
    ("option", "complaint"),
    [
        (
            "bash",
            "ERROR: 'bash' is no command path (from --qb-transport-command on the command line). Write NAME=*",
        ),
        ("raw=bash", "ERROR: the name 'raw' of a command path (from --qb-transport-command *) is taken*"),
        ("Mine=bash", "ERROR: bad name 'Mine' of a command path (from --qb-transport-command *). Allowed: a-z*"),
    ],
)
def test_a_bad_path_is_a_usage_error(suite: pytest.Pytester, option: str, complaint: str) -> None:
    """With what is allowed."""
    result = suite.runpytest("--qb-model=oracle", f"--qb-transport-command={option}")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([complaint])


def test_a_function_is_a_transport(suite: pytest.Pytester, store: Callable[..., Path]) -> None:
    """From a conftest, selected by name, under the same rule."""
    suite.makeconftest(PATHS)
    store("raw", {"write-file-t0": RIGHT})

    result = suite.runpytest_subprocess("--qb-model=oracle", "--qb-transport=my-tool", *SMALL)
    refused = suite.runpytest_subprocess("--qb-model=m", "--qb-transport=my-tool", "--qb-contract=raw")

    result.assert_outcomes(passed=4)
    assert refused.ret == pytest.ExitCode.USAGE_ERROR


def _block(document: str, file: str) -> str:
    text = (ROOT / document).read_text(encoding="utf-8")
    found = re.search(rf"<!-- file: {file} -->\n```python\n(.*?)```\n(.*)", text, re.DOTALL)
    assert found
    return found[1]


def test_the_readmes_ten_lines_do_what_it_says(pytester: pytest.Pytester) -> None:
    """The path forgets to escape: the message is the one that is printed there."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = next(text for text in re.findall(r"```text\n(.*?)```", readme, re.DOTALL) if "the path harms" in text)
    pytester.makepyfile(test_my_path=_block("README.md", "test_my_path.py"))

    result = pytester.runpytest_subprocess("-p", "no:cacheprovider")

    result.assert_outcomes(failed=1)
    lines = [line.removeprefix("E").strip() for line in result.outlines if line.startswith("E  ")]
    wanted = [line.partition(", and ")[0].strip() for line in shown.splitlines()]
    assert [line.partition(", and ")[0] for line in lines][: len(wanted)] == [
        wanted[0].replace("the path", "pytest_quotebench.lossless.outcome.Lossy: the path"),
        *wanted[1:],
    ]


def test_the_path_of_extending_md_is_lossless(pytester: pytest.Pytester) -> None:
    """An asynchronous one; nothing of the search stays in the project, and nothing else of ours wakes up."""
    pytester.makepyfile(test_my_path=_block("docs/extending.md", "test_my_path.py"))

    result = pytester.runpytest_subprocess("-p", "no:cacheprovider", "-W", "error")

    result.assert_outcomes(passed=1)
    assert not (pytester.path / ".hypothesis").exists()
    assert "quotebench:" not in result.stdout.str()

"""The documents are executed: what a newcomer reads is what happens."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_quotebench.core.verdict import FAILURE_CLASSES, VerdictClass
from pytest_quotebench.plugin.options import OPTIONS
from pytest_quotebench.registry import variant_names

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
BLOCK = re.compile(r"(?:<!-- file: (?P<file>\S+) -->\n)?```(?P<kind>\w+)\n(?P<text>.*?)```\n", re.DOTALL)
LOCAL = "--qb-sandbox=local"


def blocks(document: str, kind: str) -> list[str]:
    """Return the fenced blocks of one kind."""
    return [match["text"] for match in BLOCK.finditer(document) if match["kind"] == kind]


def run_pytest(*options: str, cwd: Path = ROOT) -> list[str]:
    """Run pytest without workers and return its output lines."""
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-n0", *options]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False).stdout.splitlines()


def test_the_table_in_the_readme_is_the_real_one() -> None:
    """The main job prints it line by line."""
    (table,) = (text for text in blocks(README, "text") if "crossover" not in text and "RR" in text)

    lines = run_pytest("--tb=no", "-rN", LOCAL)

    start = next(index for index, line in enumerate(lines) if "= crossover =" in line) + 1
    assert lines[start : start + len(table.splitlines())] == table.splitlines()


def test_the_failure_in_the_readme_is_a_real_one() -> None:
    """The output of `date` aside."""
    (example,) = (text for text in blocks(README, "text") if "silent-wrong" in text)

    lines = run_pytest("-k", "write-file-t3-raw-nested-unnamed-frontier-0", "-rN", LOCAL)

    start = next(index for index, line in enumerate(lines) if line.startswith("silent-wrong"))
    real = lines[start : start + len(example.splitlines())]
    dates = re.compile(r"slash and .*")
    assert [dates.sub("", line) for line in real if "`" not in line] == [
        dates.sub("", line) for line in example.splitlines() if "`" not in line
    ]
    assert [line for line in real if "`" in line] == [line for line in example.splitlines() if "`" in line]


@pytest.mark.parametrize(
    "command",
    [line for text in blocks(README, "console") for line in text.splitlines() if line.startswith("pytest")],
)
def test_every_pytest_line_of_the_readme_selects_something(command: str) -> None:
    """Executed in the checkout, collecting only: the longest of them would replay for minutes."""
    options = [word for word in shlex.split(command)[1:] if not word.startswith(("-n", "8"))]

    lines = run_pytest(*options, "--collect-only", "-q")

    assert re.search(r"[1-9]\d*(/\d+)? tests collected|[1-9]\d*/\d+ tests? collected", lines[-1]), lines[-3:]


@pytest.mark.parametrize(
    "command",
    [line for text in blocks(README, "console") for line in text.splitlines() if line.startswith("quotebench")],
)
def test_every_quotebench_line_of_the_readme_runs(command: str) -> None:
    """As it stands, but for the sandbox."""
    words = [sys.executable, "-m", "pytest_quotebench.cli", *shlex.split(command)[1:]]
    local = ["--sandbox=local"] if words[3] == "try" else []

    result = subprocess.run([*words, *local], capture_output=True, text=True, check=False)

    assert result.returncode in {0, 1}
    assert result.stdout
    assert not result.stderr


def test_the_two_lines_are_there_once() -> None:
    """One line sets up and runs the main job, one sets up and runs all tests; CI takes the second from here."""
    lines = [line for text in blocks(README, "console") for line in text.splitlines() if "venv" in line]

    assert [line.rpartition("&& ")[2] for line in lines] == [
        ".venv/bin/pytest -n 2 --tb=no -rN",
        ".venv/bin/pytest tests -n 4",
    ]


def test_the_table_in_userlands_md_is_the_real_one() -> None:
    """The command above it prints it line by line, where those userlands are installed."""
    document = (ROOT / "docs/userlands.md").read_text(encoding="utf-8")
    (command,), (table,) = blocks(document, "console"), blocks(document, "text")
    if missing := [name for name in ("busybox", "toybox", "original-awk", "dash") if shutil.which(name) is None]:
        pytest.skip(f"not installed: {', '.join(missing)}")

    lines = run_pytest(*shlex.split(command)[1:], LOCAL, "--tb=no", "-rN")

    first = lines.index(table.splitlines()[0])
    assert lines[first : first + len(table.splitlines())] == table.splitlines()


def test_userlands_md_names_every_userland() -> None:
    """Each once, in the table of what is different."""
    document = (ROOT / "docs/userlands.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`.*`) \| .* \| .*\|$", document, re.MULTILINE)

    assert sorted(re.findall(r"`([a-z0-9]+)`", " ".join(rows))) == sorted(variant_names("userlands"))


def test_the_readme_and_the_help_name_the_same_options() -> None:
    """No option without a line in the table, none in the table that is not there."""
    named = set(re.findall(r"--qb-[a-z-]+", README))

    assert named == {option.flag for option in OPTIONS}


def test_extending_works_as_written(pytester: pytest.Pytester) -> None:
    """The transport of docs/extending.md is registered, run, and seen to do harm; the fixture is overridden."""
    document = (ROOT / "docs/extending.md").read_text(encoding="utf-8")
    for match in BLOCK.finditer(document):
        if match["file"]:
            (pytester.path / match["file"]).write_text(match["text"])
    (command,) = (text for text in blocks(document, "console"))

    result = pytester.runpytest_subprocess(*shlex.split(command)[1:], "--qb-contract=raw", "-rN", "--tb=no", "-q")
    own = pytester.runpytest_subprocess(
        "test_mine.py", "--qb-model=oracle", "--qb-task=write-file-t0", "-rN", "-s"
    )

    outcomes = result.parseoutcomes()
    assert outcomes["passed"] > 0
    assert outcomes["failed"] > 20
    own.stdout.fnmatch_lines(["*opened *"])


def test_the_reply_in_files_md_is_read(pytester: pytest.Pytester) -> None:
    """The example record of docs/files.md is a valid reply."""
    (record,) = blocks((ROOT / "docs/files.md").read_text(encoding="utf-8"), "json")
    pytester.makefile(".jsonl", mine=json.dumps(json.loads(record)) + "\n")
    pytester.makepyfile("from pytest_quotebench.suite import *")

    result = pytester.runpytest("--qb-replies=mine.jsonl", "--qb-model=my-model", "--qb-transport=raw", LOCAL)

    result.assert_outcomes(passed=1)


def test_verdicts_md_lists_the_classes_in_the_judges_order() -> None:
    """The first column of the table."""
    document = (ROOT / "docs/verdicts.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([a-z-]+)` \|", document, re.MULTILINE)

    assert [row for row in rows if row not in {"pass", "broken"}] == list(FAILURE_CLASSES)
    assert set(rows) == set(VerdictClass)


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_somewhere(path: Path) -> None:
    """Every relative link names a file of the repository."""
    targets = re.findall(r"\]\(([^)#:]+)\)", path.read_text(encoding="utf-8"))

    assert [target for target in targets if not (path.parent / target).exists()] == []

"""Two gigabytes of hostile output: a report that can be read, XML that parses, and little memory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

GIGABYTES_2 = 2 * 10**9
HOSTILE = r"\033[2J\033]0;title\007\000\001\013\377\355\240\200\357\277\276]]>&<\n"
SMALL = f"printf '{HOSTILE}'; printf '{HOSTILE}' >&2; exit 3"
LARGE = f"printf '{HOSTILE}' >&2; printf '{HOSTILE}'; head -c {GIGABYTES_2} /dev/zero; exit 3"


def memory_of(directory: Path, *options: str) -> tuple[int, str]:
    """Run the suite there; return the largest KiB that a process of it held, and what was printed."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-v", *options]
    with (directory / "printed").open("wb") as printed:
        process = subprocess.Popen(command, cwd=directory, env=own, stdout=printed, stderr=printed)
        _, _, usage = os.wait4(process.pid, 0)
        process.returncode = 0  # it has been waited for
    return usage.ru_maxrss, (directory / "printed").read_text(encoding="utf-8")


def test_two_gigabytes_of_hostile_output_are_shown_escaped_and_take_little_memory(
    suite: pytest.Pytester, store: Callable[..., Path]
) -> None:
    """Terminal, JUnit XML and results file; against the same replies without the two gigabytes."""
    options = (
        *("--qb-sandbox=local", "--qb-contract=raw", "--qb-transport=raw", "--qb-limit=output=3G"),
        *("--junitxml=report.xml", "--qb-results=results.jsonl"),
    )
    store("raw", {"write-file-t0": SMALL})
    small, _ = memory_of(suite.path, *options)
    store("raw", {"write-file-t1": LARGE})
    large, printed = memory_of(suite.path, *options)

    assert large - small < 100 * 2**10
    assert not set(printed) & {chr(code) for code in range(32) if chr(code) != "\n"} | {"\x7f"} & set(printed)
    cases = ET.parse(suite.path / "report.xml").iter("testcase")
    assert [len(list(case.iter("failure"))) for case in cases] == [1, 1]
    records = [json.loads(line) for line in (suite.path / "results.jsonl").read_text().splitlines()]
    assert [record["verdict"] for record in records] == ["runtime-error", "runtime-error"]

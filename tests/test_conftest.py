"""`pytest -m fuzz`, typed in this repository, runs the fuzz tests and nothing else."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("workers", [(), ("-n", "2")])
def test_fuzz_alone_collects_the_fuzz_tests(workers: tuple[str, ...]) -> None:
    """Although what is collected without a path is the suite of tasks."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    command = [sys.executable, "-m", "pytest", "-m", "fuzz", "--collect-only", "-q", "-p", "no:cacheprovider"]
    done = subprocess.run([*command, *workers], cwd=ROOT, env=own, capture_output=True, text=True, check=True)

    collected = [line for line in done.stdout.splitlines() if "::" in line]
    assert collected
    assert all(line.startswith("tests/fuzz/") for line in collected)

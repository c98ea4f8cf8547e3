"""Private directories, and the removal of those whose process is gone."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from pytest_quotebench.core.errors import Broken
from pytest_quotebench.processes.private import make_private_directory, remove_stale_directories

HOLD = """
import os, sys
from pytest_quotebench.processes.private import make_private_directory
held = make_private_directory()
(held.path / "d").mkdir()
print(held.path, flush=True)
sys.stdin.read()
"""


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory for temporary files of one's own."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return tmp_path


def age(path: Path) -> None:
    """Make a directory look an hour old."""
    os.utime(path, (path.stat().st_mtime - 3600,) * 2)


def holder() -> tuple[subprocess.Popen[str], Path]:
    """Start a process that holds a directory."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout
    path = Path(process.stdout.readline().strip())
    age(path)
    return process, path


def test_what_a_killed_process_held_is_removed_and_what_a_living_one_holds_is_not(temporary: Path) -> None:
    """The lock says which, whatever the age."""
    (dead, left), (living, held) = holder(), holder()
    dead.send_signal(signal.SIGKILL)
    dead.communicate()

    remove_stale_directories()

    assert not left.exists()
    assert held.exists()
    living.kill()
    living.communicate()


def test_what_is_young_or_somebody_elses_or_no_directory_stays(temporary: Path) -> None:
    """A directory that was made a moment ago may not be locked yet; links are never followed."""
    young = temporary / "qb-run-young"
    other = temporary / "other"
    for path in (young, other):
        path.mkdir()
    age(other)
    (temporary / "qb-run-link").symlink_to(other)

    remove_stale_directories()

    assert young.exists()
    assert other.exists()


def test_a_directory_inside_a_git_repository_is_refused(temporary: Path) -> None:
    """`git commit` in a task without a repository of its own must reach nobody else's."""
    (temporary / ".git").mkdir()

    with pytest.raises(Broken, match="temporary files would lie in the git repository"):
        make_private_directory()
    assert [path.name for path in temporary.iterdir()] == [".git"]

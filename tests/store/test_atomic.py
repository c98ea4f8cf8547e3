"""After a replacement, finished or not, there is the old file or the new one."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_quotebench.core.errors import BadInput, Broken
from pytest_quotebench.store.atomic import replace_file

KILLED = """
import os, random, signal, sys, time
from pathlib import Path
from pytest_quotebench.store.atomic import replace_file
path = Path(sys.argv[1])
contents = [bytes([letter]) * 300_000 for letter in b"ab"]
replace_file(path, contents[0])
draw = random.Random(7)
for _ in range(50):
    child = os.fork()
    if child == 0:
        while True:
            for content in contents:
                replace_file(path, content)
    time.sleep(draw.uniform(0, 0.02))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    assert path.read_bytes() in contents, "half a file"
print("whole 50 times")
"""


def names(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.iterdir())


def test_a_file_is_replaced_with_mode_0600(tmp_path: Path) -> None:
    path = tmp_path / "new" / "summary.json"
    before = os.umask(0)
    try:
        replace_file(path, b"one")
        replace_file(path, iter([b"t", b"wo"]))
    finally:
        os.umask(before)

    assert path.read_bytes() == b"two"
    assert [stat.S_IMODE(path.stat().st_mode), stat.S_IMODE(path.parent.stat().st_mode)] == [0o600, 0o700]
    assert names(path.parent) == ["summary.json"]


def test_a_failure_on_the_way_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "summary.json"
    path.write_bytes(b"old")

    def failing() -> Iterator[bytes]:
        yield b"new"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        replace_file(path, failing())
    assert path.read_bytes() == b"old"
    assert names(tmp_path) == ["summary.json"]


def test_a_kill_at_any_moment_leaves_a_whole_file(tmp_path: Path) -> None:
    """ST04: SIGKILL at 50 random moments."""
    child = subprocess.run(
        [sys.executable, "-c", KILLED, tmp_path / "summary.json"],
        capture_output=True, text=True, check=False, cwd=Path(__file__).parents[2],
    )  # fmt: skip

    assert child.stdout == "whole 50 times\n", child.stderr


def test_a_link_stays_a_link_and_its_target_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    link = tmp_path / "summary.json"
    link.symlink_to("real/summary.json")
    replace_file(link, b"one")

    assert link.is_symlink()
    assert (tmp_path / "real" / "summary.json").read_bytes() == b"one"


def test_a_device_is_never_replaced_by_a_file() -> None:
    with pytest.raises(BadInput, match="/dev/null is not a regular file: name one, or a path where"):
        replace_file(Path("/dev/null"), b"one")


def test_a_name_as_long_as_the_system_takes_is_written(tmp_path: Path) -> None:
    path = tmp_path / ("🦊" * 63)
    replace_file(path, b"one")

    assert path.read_bytes() == b"one"


def test_a_directory_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(Broken, match=r"cannot write .*/file/summary.json: "):
        replace_file(tmp_path / "file" / "summary.json", b"one")

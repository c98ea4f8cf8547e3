"""A line is in the file whole or not at all, however many processes append and whatever the disk does."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from pytest_quotebench.core.errors import BadInput, Broken
from pytest_quotebench.store.jsonl import JsonLines

SIZES = (100, 20_000, 100, 65_537, 100, 300_000, 100, 2_000_000)

APPENDING = """
import json, sys
from pathlib import Path
from pytest_quotebench.store.jsonl import JsonLines
path, name, sizes = Path(sys.argv[1]), sys.argv[2], json.loads(sys.argv[3])
with JsonLines(path, fsync=False) as file:
    for number, size in enumerate(sizes):
        file.append(json.dumps({"who": name, "number": number, "text": name * size}))
"""

FILLING = """
import sys
from pathlib import Path
from pytest_quotebench.core.errors import Broken
from pytest_quotebench.store.atomic import replace_file
from pytest_quotebench.store.jsonl import JsonLines
directory = Path(sys.argv[1])
if len(sys.argv) > 2:
    import resource
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), int(sys.argv[2])))
summary, results = directory / "summary.json", directory / "results.jsonl"
replace_file(summary, b"old")
written = 0
try:
    with JsonLines(results) as file:
        while True:
            file.append("x" * 30_000)
            written += 1
except Broken as error:
    print(error)
assert results.read_bytes() == (b"x" * 30_000 + b"\\n") * written, "a torn or a lost line"
try:
    replace_file(summary, b"y" * 2_000_000)
except Broken as error:
    print(error)
assert summary.read_bytes() == b"old"
assert sorted(path.name for path in directory.iterdir()) == ["results.jsonl", "summary.json"]
print("intact", written > 0)
"""


@contextmanager
def umask(mask: int) -> Iterator[None]:
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_eight_processes_append_without_a_torn_line(tmp_path: Path) -> None:
    """ST01: records of 100 B to 2 MB."""
    path = tmp_path / "shared.jsonl"
    sizes = json.dumps(SIZES)
    children = [
        subprocess.Popen([sys.executable, "-c", APPENDING, path, letter, sizes], cwd=Path(__file__).parents[2])
        for letter in "abcdefgh"
    ]

    assert [child.wait() for child in children] == [0] * 8
    records = [json.loads(line) for line in path.read_bytes().split(b"\n")[:-1]]
    assert Counter(record["who"] for record in records) == dict.fromkeys("abcdefgh", len(SIZES))
    assert all(record["text"] == record["who"] * SIZES[record["number"]] for record in records)


def test_a_full_disk_names_the_path_and_leaves_whole_lines(tmp_path: Path) -> None:
    """ST03, with a limit on file size in the disk's stead: the last write is cut short, then refused."""
    child = subprocess.run(
        [sys.executable, "-c", FILLING, tmp_path, "100000"],
        capture_output=True, text=True, check=False, cwd=Path(__file__).parents[2],
    )  # fmt: skip

    assert child.stdout.splitlines() == [
        f"cannot write {tmp_path}/results.jsonl: No space left on device (9997 of 30001 bytes fitted)",
        f"cannot write {tmp_path}/summary.json: File too large",
        "intact True",
    ], child.stderr


def test_a_real_full_disk_names_the_path_and_leaves_whole_lines(tmp_path: Path) -> None:
    """ST03, on a file system of 1 MB in a mount namespace of its own."""
    if shutil.which("unshare") is None:
        pytest.skip("unshare is not installed")
    mount = 'mount -t tmpfs -o size=1m none "$1" || exit 77; exec "$2" -c "$3" "$1"'
    child = subprocess.run(
        ["unshare", "-r", "-m", "sh", "-c", mount, "sh", tmp_path, sys.executable, FILLING],
        capture_output=True, text=True, check=False, cwd=Path(__file__).parents[2],
    )  # fmt: skip
    if child.returncode != 0 and not child.stdout:
        pytest.skip(f"this machine grants no tmpfs in a namespace: {child.stderr.strip()[:200]}")

    appended, replaced, intact = child.stdout.splitlines()
    assert appended.startswith(f"cannot write {tmp_path}/results.jsonl: No space left on device")
    assert replaced == f"cannot write {tmp_path}/summary.json: No space left on device"
    assert intact == "intact True", child.stderr


def test_a_record_after_a_torn_line_starts_on_its_own(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"a": 1}\n{"a": ')
    with JsonLines(path) as file:
        file.append('{"a": 2}')
        file.append('{"a": 3}')

    assert path.read_bytes() == b'{"a": 1}\n{"a": \n{"a": 2}\n{"a": 3}\n'


@pytest.mark.parametrize("mask", [0o000, 0o077, 0o777])
def test_files_are_0600_and_directories_0700_whatever_the_umask(mask: int, tmp_path: Path) -> None:
    """ST09."""
    path = tmp_path / "new" / "newer" / "a.jsonl"
    with umask(mask), JsonLines(path) as file:
        file.append("{}")

    assert [mode(path), mode(path.parent), mode(path.parent.parent)] == [0o600, 0o700, 0o700]


def test_an_existing_file_keeps_its_mode(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.touch()
    path.chmod(0o640)
    with JsonLines(path) as file:
        file.append("{}")

    assert mode(path) == 0o640


def test_a_record_that_is_not_one_line_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    with JsonLines(path) as file, pytest.raises(ValueError, match="a record must be one line"):
        file.append("{}\n{}")

    assert path.read_bytes() == b""


def test_a_path_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(Broken, match=r"cannot write .*file/a.jsonl: Not a directory") as caught:
        JsonLines(tmp_path / "file" / "a.jsonl")
    assert caught.value.detail == "write"


def test_a_device_or_a_directory_is_refused(tmp_path: Path) -> None:
    for path in (Path(os.devnull), tmp_path):
        with pytest.raises(BadInput, match="is not a regular file"):
            JsonLines(path)

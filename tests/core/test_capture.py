from __future__ import annotations

import os
import socket
import time
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from pytest_quotebench.core import capture
from pytest_quotebench.core.capture import Capture, capture_directory
from pytest_quotebench.core.limits import TreeLimits
from pytest_quotebench.core.text import to_text
from pytest_quotebench.core.tree import Directory, Entry, File, FileTree, Special, Symlink


def read(directory: Path, **limits: int) -> Capture:
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        return capture_directory(descriptor, TreeLimits(**limits))
    finally:
        os.close(descriptor)


@contextmanager
def inside(directory: Path) -> Iterator[None]:
    """Work with short relative paths: a Unix socket's path has 107 bytes at most."""
    former = Path.cwd()
    os.chdir(directory)
    try:
        yield
    finally:
        os.chdir(former)


def nest(directory: Path, levels: int) -> None:
    """Make a chain of directories by way of descriptors, deeper than a path can be."""
    descriptor = os.open(directory, os.O_RDONLY)
    for _ in range(levels):
        os.mkdir("d", dir_fd=descriptor)
        below = os.open("d", os.O_RDONLY, dir_fd=descriptor)
        os.close(descriptor)
        descriptor = below
    os.close(descriptor)


def descriptors() -> set[str]:
    return {path.name for path in Path("/proc/self/fd").iterdir()}


def test_files_directories_and_links_are_read_with_their_modes(tmp_path: Path) -> None:
    (tmp_path / "d/empty").mkdir(parents=True)
    (tmp_path / "d/f").write_bytes(b"one\0two\n")
    (tmp_path / "d/f").chmod(0o4751)
    (tmp_path / "d/empty").chmod(0o1700)
    (tmp_path / "link").symlink_to("../a b\n")
    (tmp_path / "d").chmod(0o755)
    assert read(tmp_path) == (
        FileTree.of(
            {
                "d": Directory(0o755),
                "d/empty": Directory(0o1700),
                "d/f": File(b"one\0two\n", 0o4751),
                "link": Symlink("../a b\n"),
            }
        ),
        None,
    )


@pytest.mark.parametrize(
    "name", [b"a\nb", b"\xff\xfe", b"x" * 255, b"-rf", b" ", b"\x1b[2J", "é".encode(), b"\xed\xa0\x80"]
)
def test_every_name_comes_back_byte_for_byte(tmp_path: Path, name: bytes) -> None:
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name)).write_bytes(b"x")
    assert read(tmp_path).tree == FileTree({to_text(name): File(b"x")})


def test_a_link_is_not_followed_whatever_it_points_to(tmp_path: Path) -> None:
    targets = {"self": "self", "zero": "/dev/zero", "passwd": "/etc/passwd", "gone": "nowhere", "root": "/"}
    for name, target in targets.items():
        (tmp_path / name).symlink_to(target)
    assert read(tmp_path).tree == FileTree({name: Symlink(target) for name, target in targets.items()})


def test_a_fifo_and_a_socket_are_named_and_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "out.txt")
    with inside(tmp_path), socket.socket(socket.AF_UNIX) as listener:
        listener.bind("s")
        assert read(tmp_path).tree == FileTree({"out.txt": Special("fifo"), "s": Special("socket")})


@pytest.mark.skipif(os.geteuid() != 0, reason="only root makes devices")
def test_a_device_is_named_and_not_opened(tmp_path: Path) -> None:
    os.mknod(tmp_path / "zero", 0o20644, os.makedev(1, 5))
    os.mknod(tmp_path / "loop", 0o60644, os.makedev(7, 0))
    assert read(tmp_path).tree == FileTree({"loop": Special("block-device"), "zero": Special("char-device")})


def test_a_file_that_becomes_a_fifo_before_it_is_opened_does_not_block(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "f")
    assert swapped(tmp_path) == Special("fifo")


def test_a_file_that_becomes_a_link_before_it_is_opened_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "f").symlink_to("/etc/passwd")
    assert swapped(tmp_path) == Special("unreadable")


def swapped(directory: Path) -> Entry:
    """Read `f` the way it is read once it was seen to be a regular file."""
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        return capture._Reading(TreeLimits())._file(descriptor, "f")
    finally:
        os.close(descriptor)


def test_a_sparse_terabyte_is_a_limit_hit_and_not_read(tmp_path: Path) -> None:
    with (tmp_path / "big").open("wb") as file:
        file.truncate(2**40)
    start = time.monotonic()
    assert not read(tmp_path).complete
    assert time.monotonic() - start < 0.5


def test_hard_links_are_two_files_with_the_same_bytes(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x")
    os.link(tmp_path / "a", tmp_path / "b")
    assert [entry.data for entry in read(tmp_path).tree.values() if isinstance(entry, File)] == [b"x", b"x"]


@pytest.mark.parametrize(
    ("limits", "limit"),
    [
        ({"entries": 4}, None),
        ({"entries": 3}, "limit:tree"),
        ({"depth": 2}, None),
        ({"depth": 1}, "limit:tree"),
        ({"file_bytes": 10}, None),
        ({"file_bytes": 9}, "limit:file-size"),
        ({"total_bytes": 20}, None),
        ({"total_bytes": 19}, "limit:tree"),
    ],
)
def test_a_limit_itself_is_allowed_and_beyond_it_the_tree_is_partial(
    tmp_path: Path, *, limits: dict[str, int], limit: str | None
) -> None:
    (tmp_path / "d").mkdir()
    (tmp_path / "d/one").write_bytes(b"x" * 10)
    (tmp_path / "two").write_bytes(b"x" * 10)
    (tmp_path / "link").symlink_to("x")
    found = read(tmp_path, **limits)
    assert (found.limit, found.complete) == (limit, limit is None)
    assert (len(found.tree) == 4) is found.complete


def test_depth_beyond_path_max_ends_within_the_limits(users_directory: Path) -> None:
    nest(users_directory, 3000)
    before, start = descriptors(), time.monotonic()
    assert len(read(users_directory).tree) == 64
    assert not read(users_directory, depth=2500).complete
    assert time.monotonic() - start < 2
    assert descriptors() <= before


def test_the_longest_path_is_a_limit_of_its_own(users_directory: Path) -> None:
    """Sixty names of 255 bytes and ten thousand files below them would be 150 MB of nothing but paths."""
    with inside(users_directory):
        for _ in range(20):
            Path("n" * 255).mkdir()
            os.chdir("n" * 255)
        Path("f").touch()
    found = read(users_directory)
    assert not found.complete
    assert max(map(len, found.tree)) <= 4095


def test_many_more_files_than_allowed_end_within_the_limits_in_little_memory(users_directory: Path) -> None:
    (users_directory / "f").touch()
    for number in range(30_000):
        os.link(users_directory / "f", users_directory / str(number))
    tracemalloc.start()
    start = time.monotonic()
    found = read(users_directory, entries=2000)
    elapsed, (_, peak) = time.monotonic() - start, tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (len(found.tree), found.complete) == (2000, False)
    assert elapsed < 2
    assert peak < 8 * 2**20


def test_a_removed_directory_is_empty(tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    descriptor = os.open(tmp_path / "d", os.O_RDONLY)
    (tmp_path / "d").rmdir()
    assert capture_directory(descriptor) == (FileTree(), None)
    os.close(descriptor)


def test_reading_leaves_no_descriptor_open_and_the_callers_usable(tmp_path: Path) -> None:
    (tmp_path / "d/e").mkdir(parents=True)
    (tmp_path / "d/e/f").touch()
    directory = os.open(tmp_path, os.O_RDONLY)
    before = descriptors()
    assert [capture_directory(directory), capture_directory(directory)] == [read(tmp_path)] * 2
    assert descriptors() <= before
    os.close(directory)


class TestForAnOrdinaryUser:
    """What root is never refused."""

    def test_what_nobody_may_read_is_read_with_its_mode(self, users_directory: Path, as_user: None) -> None:
        opened = os.open(users_directory, os.O_RDONLY)
        (users_directory / "d/e").mkdir(parents=True)
        (users_directory / "d/e/f").write_bytes(b"x")
        (users_directory / "read-only-listing").mkdir()
        (users_directory / "read-only-listing/g").write_bytes(b"y")
        for name, mode in (("d/e/f", 0), ("d/e", 0), ("d", 0), ("read-only-listing", 0o444), (".", 0o300)):
            (users_directory / name).chmod(mode)
        assert dict(capture_directory(opened).tree) == {
            "d": Directory(0),
            "d/e": Directory(0),
            "d/e/f": File(b"x", 0),
            "read-only-listing": Directory(0o444),
            "read-only-listing/g": File(b"y"),
        }
        os.close(opened)

    def test_a_file_has_its_own_mode_again_afterwards(self, users_directory: Path, as_user: None) -> None:
        """It may be a hard link to one outside."""
        (users_directory / "f").touch(0)
        read(users_directory)
        assert (users_directory / "f").stat().st_mode & 0o7777 == 0

    def test_what_belongs_to_somebody_else_is_unreadable(self, users_directory: Path) -> None:
        if os.geteuid() != 0:
            pytest.skip("only root gives files away")
        (users_directory / "f").touch(0o600)
        (users_directory / "d").mkdir(0o700)
        os.setresuid(65534, 65534, 0)
        try:
            tree = read(users_directory).tree
        finally:
            os.setresuid(0, 0, 0)
        assert dict(tree) == {"d": Special("unreadable"), "f": Special("unreadable")}

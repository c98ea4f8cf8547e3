"""Trees as tar files: what real tars write and read, and that nothing in one is believed."""

from __future__ import annotations

import os
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_quotebench.core.capture import capture_directory
from pytest_quotebench.core.limits import TreeLimits
from pytest_quotebench.core.tree import Directory, File, FileTree, Special, Symlink
from pytest_quotebench.processes.broker.archive import UnreadableArchive, packed, unpacked
from pytest_quotebench.processes.directory import lay_out
from quotebench_tasks import load_tasks

LIMITS = TreeLimits()
TREE = FileTree.of(
    {
        "a": File(b"x\0\n", 0o600),
        "empty": File(b""),
        "run me": File(b"#!/bin/sh\n", 0o755),
        "d/" * 30 + "deep " * 20: File(b"deep"),
        "n" * 250: File(b"long"),
        "line\nbreak": File(b"1" * 511),
        "\udcff'\"": File(b"2" * 512),
        "shut": Directory(0o500),
        "link": Symlink("/etc/passwd"),
        "far": Symlink("t" * 300),
        "-n": File(b"dash"),
    }
)
TARS = [
    (("tar", "-cf", "-", "."), "tar"),
    (("tar", "--format=pax", "-cf", "-", "."), "tar"),
    (("tar", "--format=ustar", "-cf", "-", "a", "d", "link", "shut"), "tar"),
    (("busybox", "tar", "-cf", "-", "."), "busybox"),
]


def by_directory(tree: FileTree, place: Path) -> None:
    directory = os.open(place, os.O_RDONLY)
    lay_out(tree, directory)
    os.close(directory)


def captured(place: Path) -> FileTree:
    directory = os.open(place, os.O_RDONLY)
    try:
        return capture_directory(directory).tree
    finally:
        os.close(directory)


def archive(*members: tarfile.TarInfo, data: bytes = b"") -> bytes:
    """Return an archive in which every member with a size has the same data, however large it says it is."""
    blocks = b""
    for member in members:
        blocks += member.tobuf(tarfile.GNU_FORMAT)
        if member.size:
            blocks += data + bytes(-len(data) % 512)
    return blocks + bytes(1024)


def member(name: str, **facts: object) -> tarfile.TarInfo:
    made = tarfile.TarInfo(name)
    for fact, value in facts.items():
        setattr(made, fact, value)
    return made


def test_a_tree_survives_its_own_archive() -> None:
    read = unpacked(packed(TREE), LIMITS)

    assert read.complete
    assert dict(read.tree) == dict(TREE)


@pytest.mark.parametrize("tool", ["tar", "busybox"])
def test_real_tars_lay_out_what_is_packed(tmp_path: Path, tool: str) -> None:
    if shutil.which(tool) is None:
        pytest.skip(f"no {tool}")
    command = ["tar"] if tool == "tar" else [tool, "tar"]
    done = subprocess.run(
        [*command, "-xmpof", "-"], input=packed(TREE), cwd=tmp_path, capture_output=True, check=True
    )

    assert done.stderr == b""
    assert dict(captured(tmp_path)) == dict(TREE)


@pytest.mark.parametrize(
    ("command", "tool"), TARS, ids=lambda value: "-".join(value) if isinstance(value, tuple) else ""
)
def test_what_real_tars_pack_is_read(tmp_path: Path, command: tuple[str, ...], tool: str) -> None:
    if shutil.which(tool) is None:
        pytest.skip(f"no {tool}")
    by_directory(TREE, tmp_path)
    os.link(tmp_path / "a", tmp_path / "also a")
    os.mkfifo(tmp_path / "pipe")
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=True)
    read = unpacked(done.stdout, LIMITS)
    whole = dict(captured(tmp_path))

    assert read.complete
    assert dict(read.tree) == (whole if command[-1] == "." else {p: whole[p] for p in whole if p in read.tree})
    assert read.tree["a"] == File(b"x\0\n", 0o600)


@pytest.mark.parametrize("task", [task for task in load_tasks() if task.tier == 3], ids=lambda task: task.id)
def test_every_fixture_survives(task: object) -> None:
    tree: FileTree = task.fixture.tree  # type: ignore[attr-defined]

    assert dict(unpacked(packed(tree), LIMITS).tree) == dict(tree)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"x" * 512, "number that is none|sum is wrong"),
        (archive(member("../out")), "leads elsewhere"),
        (archive(member("/out")), "leads elsewhere"),
        (archive(member("a/../../b")), "leads elsewhere"),
        (archive(member("a"), member("a/b")), "is both"),
        (archive(member("v", type=b"V")), "kind b'V'"),
        (archive(member("s", type=b"S")), "kind b'S'"),
        (archive(member("p", type=b"x", size=4), data=b"abcd"), "number that is none"),
        (archive(member("p", type=b"x", size=4), data=b"9 a\n"), "pax record"),
        (archive(member("p", type=b"x", size=12), member("q"), data=b"12 size=-51\n"), "number that is none"),
        (archive(member("p", type=b"L", size=70_000), data=b"n" * 70_000), "too long"),
    ],
)
def test_what_is_no_archive_of_a_directory_is_unreadable(data: bytes, says: str) -> None:
    with pytest.raises(UnreadableArchive, match=says):
        unpacked(data, LIMITS)


@pytest.mark.parametrize(
    ("data", "limit"),
    [
        (b"", "limit:tree"),
        (packed(TREE)[:1000], "limit:tree"),
        (archive(member("big", size=2**33 - 1)), "limit:file-size"),
        (archive(member("bigger", size=2**40)), "limit:file-size"),
        (archive(member("name", type=b"L", size=90))[:512], "limit:tree"),
        (archive(*(member(f"{number}") for number in range(30))), "limit:tree"),
        (archive(member("a", size=200), data=b"x" * 200), "limit:file-size"),
        (archive(*(member(name, size=90) for name in "abcd"), data=b"x" * 90), "limit:tree"),
        (
            archive(member("a", size=90), *(member(n, type=b"1", linkname="a") for n in "bcd"), data=b"x" * 90),
            "limit:tree",
        ),
        (archive(member("a/b/c/d/e")), "limit:tree"),
    ],
)
def test_what_goes_beyond_the_limits_is_cut(data: bytes, limit: str) -> None:
    tiny = TreeLimits(entries=20, depth=3, file_bytes=100, total_bytes=300)

    assert unpacked(data, tiny).limit == limit


def test_a_hard_link_is_what_it_leads_to_and_never_follows_a_symlink() -> None:
    data = archive(
        member("a", size=1, mode=0o600),
        member("b", type=b"1", linkname="a"),
        member("l", type=b"2", linkname="/etc/shadow"),
        member("c", type=b"1", linkname="l"),
        member("d", type=b"1", linkname="nothing"),
        data=b"x",
    )

    tree = unpacked(data, LIMITS).tree

    assert tree["b"] == File(b"x", 0o600)
    assert tree["c"] == Symlink("/etc/shadow")
    assert tree["d"] == Special("unreadable")


WHOLE = packed(TREE)


@given(
    st.binary(max_size=2000)
    | st.builds(
        lambda at, piece: WHOLE[:at] + piece + WHOLE[at + len(piece) :],
        st.integers(0, len(WHOLE)),
        st.binary(max_size=600),
    )
)
@settings(max_examples=150, derandomize=True, deadline=None)
def test_any_bytes_are_a_tree_or_unreadable(data: bytes) -> None:
    try:
        read = unpacked(data, TreeLimits(entries=50))
    except UnreadableArchive:
        return
    assert len(read.tree) <= 100

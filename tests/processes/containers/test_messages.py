"""What the host takes from an agent, and what it does not."""

from __future__ import annotations

import io
import json
import struct
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_quotebench.core.tree import Directory, File, FileTree, Special, Symlink
from pytest_quotebench.processes.containers.messages import (
    HEAD_BYTES,
    Parts,
    Unreadable,
    name_bytes,
    packed,
    receive,
    tree_of,
    tree_rows,
)

NAMES = st.binary(min_size=1, max_size=9).filter(
    lambda name: not {0, 47} & set(name) and name not in (b".", b"..")
)
PATHS = NAMES.map(lambda name: name.decode("utf-8", "surrogateescape"))
MODES = st.integers(0, 0o7777)
ENTRIES = st.one_of(
    st.builds(File, st.binary(max_size=30), MODES),
    st.builds(Directory, MODES),
    st.builds(Symlink, PATHS),
    st.builds(Special, st.sampled_from(["fifo", "socket"])),
)


@given(st.dictionaries(PATHS, ENTRIES, max_size=8))
def test_every_tree_comes_through_as_it_is(entries: dict[str, Any]) -> None:
    tree = FileTree(entries).with_entries({"d/e": File(b"x")} if "d" not in entries else {})
    rows, contents = tree_rows(tree)
    stream = io.BytesIO(b"".join(packed({"tree": rows}, contents)))
    frame = receive(stream.read, 10_000)
    assert frame is not None
    assert tree_of(frame.head["tree"], Parts(frame.body)) == tree
    assert receive(stream.read, 0) is None


def frame(head: bytes, body: bytes = b"", lengths: tuple[int, int] | None = None) -> io.BytesIO:
    return io.BytesIO(struct.pack(">II", *(lengths or (len(head), len(body)))) + head + body)


@pytest.mark.parametrize(
    "stream",
    [
        frame(b"{", b""),
        frame(b"[]"),
        frame(b"\xff"),
        frame(b"[" * 200_000),
        frame(b"1" * 5000),
        frame(b"{}", b"four"),
        frame(b"", b"", (HEAD_BYTES + 1, 0)),
    ],
)
def test_a_frame_that_is_none_is_refused(stream: io.BytesIO) -> None:
    with pytest.raises(Unreadable):
        receive(stream.read, 3)


@pytest.mark.parametrize(
    "stream", [io.BytesIO(), frame(b"{", b"", (2, 0)), frame(b"{}", b"x", (2, 2)), io.BytesIO(b"\0")]
)
def test_a_stream_that_ends_is_at_its_end(stream: io.BytesIO) -> None:
    assert receive(stream.read, 3) is None


@pytest.mark.parametrize(
    "rows",
    [
        None,
        {},
        [None],
        [[]],
        [["a", "file", 420, 4]],
        [["a", "file", 420, -1]],
        [["a", "file", 420, True]],
        [["a", "file", "420", 1]],
        [["a", "file", 420]],
        [["a", "directory", 420, 1]],
        [["a", "device", 1]],
        [["/etc/passwd", "file", 420, 1]],
        [["../a", "file", 420, 1]],
        [["a/./b", "file", 420, 1]],
        [["", "file", 420, 1]],
        [["a\0b", "file", 420, 1]],
        [[1, "file", 420, 1]],
        [["a", "symlink", 1]],
        [["a", "symlink", "x"], ["a/b", "file", 420, 1]],
        [["\ud800", "directory", 420]],
        [[["a"], "file", 420, 1]],
    ],
)
def test_rows_that_are_no_tree_are_refused(rows: object) -> None:
    with pytest.raises(Unreadable):
        tree_of(json.loads(json.dumps(rows)), Parts(b"abc"))


def test_permission_bits_are_all_that_a_mode_holds() -> None:
    assert dict(tree_of([["a", "file", 0o107777, 0]], Parts(b""))) == {"a": File(b"", 0o7777)}


def test_names_are_counted_in_bytes() -> None:
    assert name_bytes(FileTree.of({"é": Symlink("\udcff/")}, ["d"])) == 5

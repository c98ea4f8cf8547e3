"""The index is read as git reads it, a split one too, and damage of any kind is said."""

from __future__ import annotations

import hashlib
import time

import pytest

from pytest_quotebench.core.git_index import INDEX, INDEX_BYTES, Tracked, parse_index, read_index
from pytest_quotebench.core.git_objects import BadRepository
from pytest_quotebench.core.tree import FileTree

A, B, C = (letter * 20 for letter in (b"a", b"b", b"c"))
NOTHING = bytes.fromhex("0000000000000000 00000000")
"""An EWAH bitmap without a bit: 0 bits, 0 words, the last marker at 0."""


def entry(name: bytes, blob: bytes, mode: int = 0o100644, flags: int = 0) -> bytes:
    body = bytes(24) + mode.to_bytes(4, "big") + bytes(12) + blob + (flags | len(name)).to_bytes(2, "big") + name
    return body + bytes(8 - len(body) % 8)


def sealed(body: bytes) -> bytes:
    return body + hashlib.sha1(body).digest()


def index(*entries: bytes, link: bytes | None = None, more: bytes = b"", version: int = 2) -> bytes:
    extension = b"" if link is None else b"link" + len(link).to_bytes(4, "big") + link
    head = b"DIRC" + version.to_bytes(4, "big") + len(entries).to_bytes(4, "big")
    return sealed(head + b"".join(entries) + extension + more)


def bitmap(*words: int, bits: int = 64) -> bytes:
    """An EWAH bitmap: a marker is `ones | run length << 1 | literal words << 33`, then the literal words."""
    body = b"".join(word.to_bytes(8, "big") for word in words)
    return bits.to_bytes(4, "big") + len(words).to_bytes(4, "big") + body + bytes(4)


def literal(*positions: int) -> bytes:
    return bitmap(1 << 33, sum(1 << position for position in positions))


SHARED = index(entry(b"a", A), entry(b"b", B))


def split(
    *entries: bytes, deleted: bytes = NOTHING, replaced: bytes = NOTHING, shared: bytes = SHARED
) -> FileTree:
    link = shared[-20:] + deleted + replaced
    return FileTree.of({INDEX: index(*entries, link=link), f".git/sharedindex.{shared[-20:].hex()}": shared})


def tracked(**blobs: bytes) -> dict[str, Tracked]:
    return {path: Tracked(0o100644, blob.hex()) for path, blob in blobs.items()}


def test_a_whole_index_is_its_entries() -> None:
    assert read_index(FileTree.of({INDEX: SHARED})) == tracked(a=A, b=B)


def test_the_fourth_version_shares_the_beginnings_of_names() -> None:
    def compressed(strip: int, tail: bytes) -> bytes:
        return entry(b"", A)[:62] + bytes([strip]) + tail + b"\0"

    found = read_index(FileTree.of({INDEX: index(compressed(0, b"dir/a"), compressed(1, b"bc"), version=4)}))

    assert list(found) == ["dir/a", "dir/bc"]


@pytest.mark.parametrize(
    ("tree", "files"),
    [
        (split(), tracked(a=A, b=B)),
        (split(entry(b"c", C)), tracked(a=A, b=B, c=C)),
        (split(entry(b"b", C)), tracked(a=A, b=C)),
        (split(deleted=literal(0)), tracked(b=B)),
        (split(deleted=bitmap(1 | 1 << 33, 3)), {}),
        (split(entry(b"", C), replaced=literal(1)), tracked(a=A, b=C)),
        (split(entry(b"", C), entry(b"d", A), deleted=literal(0), replaced=literal(1)), tracked(b=C, d=A)),
        (split(entry(b"", C), deleted=literal(0, 1), replaced=literal(1)), {}),
    ],
)
def test_a_split_index_is_the_shared_one_with_its_changes(tree: FileTree, files: dict[str, Tracked]) -> None:
    assert read_index(tree) == files


def test_a_link_to_nothing_is_a_whole_index() -> None:
    assert read_index(FileTree.of({INDEX: index(entry(b"a", A), link=bytes(20))})) == tracked(a=A)


@pytest.mark.parametrize(
    "tree",
    [
        split(deleted=literal(2)),
        split(deleted=bitmap(1 | 1 << 1)),
        split(deleted=bitmap(1 | (2**32 - 1) << 1)),
        split(deleted=bitmap((2**31 - 1) << 33)),
        split(replaced=literal(0)),
        split(entry(b"x", C), replaced=literal(0)),
        split(entry(b"", C)),
        split(deleted=b""),
        split(replaced=b"\0\0\0\0\xff\xff\xff\xff" + bytes(4)),
        split(replaced=NOTHING + b"more"),
        split(shared=index(entry(b"a", A), entry(b"a", B))),
        split(shared=index(entry(b"a", A), link=bytes(20))),
        split(shared=index(entry(b"a", A), entry(b"b", B, flags=1 << 12))),
        split(shared=SHARED[:-1] + b"?"),
        split().without(f".git/sharedindex.{SHARED[-20:].hex()}"),
    ],
)
def test_a_split_index_that_does_not_fit_is_refused(tree: FileTree) -> None:
    with pytest.raises(BadRepository):
        read_index(tree)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        SHARED[:-1] + b"?",
        sealed(b"DIRC"),
        index(version=1),
        index(version=5),
        sealed(SHARED[:-24]),
        sealed(b"DIRC\0\0\0\2\xff\xff\xff\xff"),
        index(entry(b"a", A, flags=0x4000)),
        index(entry(b"a", A)[:62] + b"\x05x\0", version=4),
        index(entry(b"a", A)[:62] + b"\x00" + b"x" * 9000, version=4),
        index(more=b"sdir" + bytes(4)),
        index(more=b"TREE\xff\xff\xff\xff"),
        index(more=b"TREE"),
        sealed(b"DIRC\0\0\0\2\0\0\0\0" + bytes(INDEX_BYTES)),
    ],
)
def test_a_damaged_index_is_refused(data: bytes) -> None:
    with pytest.raises(BadRepository):
        parse_index(data)


@pytest.mark.parametrize(
    "entries",
    [
        [entry(b"a", A, flags=1 << 12), entry(b"a", A, flags=2 << 12)],
        [entry(b"a", A), entry(b"a", B)],
        [entry(b"a", A, flags=1 << 12)],
    ],
)
def test_a_conflict_and_a_path_that_stands_twice_are_refused(entries: list[bytes]) -> None:
    with pytest.raises(BadRepository):
        read_index(FileTree.of({INDEX: index(*entries)}))


def test_the_longest_index_of_one_long_name_is_read_at_once() -> None:
    head = entry(b"", A)[:62]
    data = index(head + b"\0" + b"x" * 4000 + b"\0", *[head + b"\1y\0"] * 900, version=4)
    start = time.perf_counter()

    assert len(data) < INDEX_BYTES
    assert len(parse_index(data).entries) == 901
    assert time.perf_counter() - start < 1

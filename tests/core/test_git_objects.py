"""The object store is read in memory, in bounded time, and believes nothing that it has not checked."""

from __future__ import annotations

import hashlib
import time
import zlib

import pytest

from pytest_quotebench.core.git_objects import (
    OBJECT_BYTES,
    BadRepository,
    Budget,
    GitObject,
    ObjectStore,
    apply_delta,
    indexed_names,
    read_loose,
    read_pack,
)
from pytest_quotebench.core.tree import FileTree, Symlink

HELLO = GitObject("blob", b"hello\n")
# `printf 'hello\n' | git hash-object --stdin`
HELLO_NAME = "ce013625030ba8dba906f756967f9e9ca394464a"


def loose(kind: str, data: bytes, size: int | None = None) -> bytes:
    return zlib.compress(f"{kind} {len(data) if size is None else size}\0".encode() + data)


def entry(kind: int, size: int, *tail: bytes) -> bytes:
    first, size = kind << 4 | size & 15, size >> 4
    header = bytearray([first])
    while size:
        header[-1] |= 0x80
        header.append(size & 0x7F)
        size >>= 7
    return bytes(header) + b"".join(tail)


def pack(*entries: bytes, count: int | None = None) -> bytes:
    body = b"PACK\0\0\0\2" + (len(entries) if count is None else count).to_bytes(4, "big") + b"".join(entries)
    return body + hashlib.sha1(body).digest()


def sized(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def test_an_object_has_the_name_that_git_gives_it() -> None:
    assert HELLO.name == HELLO_NAME


def test_a_loose_object_is_read() -> None:
    assert read_loose(loose("blob", b"hello\n"), HELLO_NAME, Budget()) == HELLO


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"garbage",
        loose("blob", b"hello\n")[:-1],
        loose("blob", b"hello\n") + b"more",
        loose("blob", b"hello\n", size=7),
        loose("tree", b"hello\n"),
        loose("glob", b"hello\n"),
        loose("blob", b"other\n"),
        zlib.compress(b"hello\n"),
        zlib.compress(b""),
    ],
)
def test_a_loose_object_that_is_not_what_its_name_says_is_refused(data: bytes) -> None:
    with pytest.raises(BadRepository):
        read_loose(data, HELLO_NAME, Budget())


def test_a_bomb_is_not_inflated_further_than_the_limit() -> None:
    bomb = loose("blob", bytes(64 * 2**20))
    start = time.perf_counter()

    with pytest.raises(BadRepository, match="beyond the limits"):
        read_loose(bomb, HELLO_NAME, Budget())

    assert time.perf_counter() - start < 2


def test_many_bombs_share_one_budget() -> None:
    bomb, budget = loose("blob", bytes(OBJECT_BYTES)), Budget()
    start = time.perf_counter()
    for _ in range(5000):
        with pytest.raises(BadRepository):
            read_loose(bomb, HELLO_NAME, budget)

    assert budget.largest == 0
    assert time.perf_counter() - start < 5


def test_a_pack_with_both_kinds_of_delta_is_read() -> None:
    base = entry(3, 6, zlib.compress(b"hello\n"))
    delta = sized(6) + sized(11) + b"\x90\x05" + b"\x06 world"
    by_offset = entry(6, len(delta), sized(len(base)), zlib.compress(delta))
    delta = sized(11) + sized(12) + b"\x90\x0b" + b"\x01\n"
    by_name = entry(7, len(delta), bytes.fromhex(GitObject("blob", b"hello world").name), zlib.compress(delta))

    found = read_pack(pack(base, by_offset, by_name), Budget())

    assert sorted(item.data for item in found.values()) == [b"hello\n", b"hello world", b"hello world\n"]
    assert all(name == item.name for name, item in found.items())


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"PACK",
        pack(count=1),
        pack(count=2**32 - 1),
        pack(entry(3, 6, zlib.compress(b"hello\n")))[:-1] + b"?",
        pack(entry(0, 6, zlib.compress(b"hello\n"))),
        pack(entry(5, 6, zlib.compress(b"hello\n"))),
        pack(entry(3, 6, b"garbage")),
        pack(entry(3, 6, zlib.compress(b"hello\n")[:-4])),
        pack(b"\xff" * 100),
        pack(entry(6, 4, b"\xff" * 50)),
        pack(entry(6, 4, sized(1), zlib.compress(b"\1\1\1x"))),
        pack(entry(7, 4, bytes(20), zlib.compress(b"\1\1\1x"))),
    ],
)
def test_a_damaged_pack_is_refused(data: bytes) -> None:
    with pytest.raises(BadRepository):
        read_pack(data, Budget())


@pytest.mark.parametrize(
    "delta",
    [
        b"",
        b"\x06",
        sized(7) + sized(1) + b"\x01x",
        sized(6) + sized(1) + b"\x02x",
        sized(6) + sized(2) + b"\x01x",
        sized(6) + sized(1) + b"\x01x\x01x",
        sized(6) + sized(1) + b"\x00",
        sized(6) + sized(7) + b"\x90\x07",
        sized(6) + sized(1) + b"\x91\x06\x01",
        sized(6) + sized(2**40) + b"\x90\x06",
        b"\xff" * 40,
        sized(6) + sized(0x10000) + b"\x80",
    ],
)
def test_a_delta_that_does_not_fit_is_refused(delta: bytes) -> None:
    with pytest.raises(BadRepository):
        apply_delta(b"hello\n", delta, Budget())


def test_deltas_that_make_much_of_little_stop_at_the_budget() -> None:
    base = GitObject("blob", bytes(0x10000))
    delta = sized(len(base.data)) + sized(OBJECT_BYTES) + b"\x80" * (OBJECT_BYTES // 0x10000)
    by_name = entry(7, len(delta), bytes.fromhex(base.name), zlib.compress(delta))
    whole = entry(3, len(base.data), zlib.compress(base.data))

    assert len(read_pack(pack(whole, by_name), Budget())) == 2
    with pytest.raises(BadRepository, match="beyond the limits"):
        read_pack(pack(whole, *[by_name] * 9), Budget())


def test_a_store_refuses_a_missing_object_and_one_of_another_kind() -> None:
    store = ObjectStore(
        FileTree.of({f".git/objects/{HELLO_NAME[:2]}/{HELLO_NAME[2:]}": loose("blob", b"hello\n")})
    )

    assert store.read(HELLO_NAME, "blob") == b"hello\n"
    with pytest.raises(BadRepository, match="is a blob, not a commit"):
        store.read(HELLO_NAME, "commit")
    with pytest.raises(BadRepository, match="is not in the object store"):
        store.read("0" * 40, "blob")


def test_a_store_follows_no_link() -> None:
    path = f".git/objects/{HELLO_NAME[:2]}/{HELLO_NAME[2:]}"
    store = ObjectStore(FileTree.of({path: Symlink("right"), f"{path}.right": loose("blob", b"hello\n")}))

    with pytest.raises(BadRepository, match="is not in the object store"):
        store.read(HELLO_NAME, "blob")


@pytest.mark.parametrize("data", [b"", b"\xfftOc\0\0\0\1" + bytes(2000), b"\xfftOc\0\0\0\2" + b"\xff" * 2000])
def test_an_index_of_a_pack_that_is_none_is_refused(data: bytes) -> None:
    with pytest.raises(BadRepository):
        indexed_names(data)

"""Git's index, read in memory out of a tree, a split one too (gitformat-index(5)).

Extensions that git may leave aside are left aside here. Time and memory are bounded by `INDEX_BYTES`, which is far
more than a task needs.
"""

from __future__ import annotations

from typing import NamedTuple

from pytest_quotebench.core.git_objects import BadRepository, has_checksum, is_unhashed
from pytest_quotebench.core.text import to_text
from pytest_quotebench.core.tree import File, FileTree

INDEX = ".git/index"
INDEX_BYTES = 64 * 2**10
SHARED_INDEX = ".git/sharedindex."
"""What the name of a split index's larger part begins with; its checksum follows."""

_NAME_BYTES = 20
_PATH_BYTES = 4096
_FIXED_BYTES = 62
_EXTENDED, _STAGE, _LENGTH = 0x4000, 0x3000, 0x0FFF
_INTENT_TO_ADD = 0x2000
_NOTHING = bytes(_NAME_BYTES)


class Tracked(NamedTuple):
    """What a tree or the index says about one path; equal to what git would record for the fixture's file."""

    mode: int
    name: str


class Staged(NamedTuple):
    """One entry of an index."""

    path: bytes
    """Empty where it takes the place of an entry of the shared index."""
    tracked: Tracked
    settled: bool
    """Neither one side of a conflict nor a path that is only intended to be added."""


class Index(NamedTuple):
    """What one index file holds."""

    entries: list[Staged]
    link: bytes | None
    """How a split index changes the shared one; None where it is not split."""


def read_index(tree: FileTree) -> dict[str, Tracked]:
    """Return what is staged, by path. Raises BadRepository for an index that git would not take, or a conflict."""
    entry = tree.get(INDEX)
    if not isinstance(entry, File):
        raise BadRepository("there is no index: nothing is staged")
    index = parse_index(entry.data)
    split = index.link is not None and not index.link.startswith(_NOTHING)
    staged = _joined(tree, index) if split else _by_path(index.entries)
    if not all(one.settled for one in staged.values()):
        raise BadRepository("the index holds a conflict, or a path that is only intended to be added")
    return {to_text(path): one.tracked for path, one in staged.items()}


def parse_index(data: bytes) -> Index:
    """Return what an index file of version 2 to 4 holds. Raises BadRepository where it is damaged or too large."""
    version, count = int.from_bytes(data[4:8], "big"), int.from_bytes(data[8:12], "big")
    if len(data) > INDEX_BYTES or not (has_checksum(data) or is_unhashed(data)):
        raise BadRepository(f"the index is damaged or larger than {INDEX_BYTES} bytes")
    if data[:4] != b"DIRC" or version not in (2, 3, 4):
        raise BadRepository("the index is of an unknown version")
    body, entries, at = data[:-_NAME_BYTES], list[Staged](), 12
    for _ in range(count):
        entry, at = _read_entry(body, at, version, entries[-1].path if entries else b"")
        entries.append(entry)
    return Index(entries, _read_link(body, at))


def _read_entry(body: bytes, start: int, version: int, previous: bytes) -> tuple[Staged, int]:
    fixed = body[start : start + _FIXED_BYTES]
    flags = int.from_bytes(fixed[60:], "big")
    more, at = 0, start + _FIXED_BYTES
    if flags & _EXTENDED and version > 2:
        more, at = int.from_bytes(body[at : at + 2], "big"), at + 2
    elif flags & _EXTENDED:
        raise BadRepository("the index has flags that its version does not have")
    if version == 4:
        path, end = _compressed_path(body, at, previous)
    else:
        path, end = _plain_path(body, at, flags & _LENGTH)
        end = start + ((end - start + 8) & ~7)
    if end > len(body) or len(path) > _PATH_BYTES:
        raise BadRepository("the index ends too early, or holds a path that is too long")
    tracked = Tracked(int.from_bytes(fixed[24:28], "big"), fixed[40:60].hex())
    return Staged(path, tracked, settled=not (flags & _STAGE or more & _INTENT_TO_ADD)), end


def _plain_path(body: bytes, at: int, length: int) -> tuple[bytes, int]:
    end = at + length if length < _LENGTH else _end_of_text(body, at)
    return body[at:end], end


def _compressed_path(body: bytes, at: int, previous: bytes) -> tuple[bytes, int]:
    strip, at = _offset(body, at)
    end = _end_of_text(body, at)
    if strip > len(previous):
        raise BadRepository("the index shortens a path by more than it has")
    return previous[: len(previous) - strip] + body[at:end], end + 1


def _offset(body: bytes, at: int) -> tuple[int, int]:
    """Read a number written as the offsets of a pack are (gitformat-pack(5))."""
    value = -1
    for place in range(at, min(len(body), at + 4)):
        value = (value + 1) << 7 | body[place] & 0x7F
        if not body[place] & 0x80:
            return value, place + 1
    raise BadRepository("the index ends too early, or shortens a path by too much")


def _end_of_text(body: bytes, at: int) -> int:
    end = body.find(b"\0", at)
    if end < 0:
        raise BadRepository("the index ends within a path")
    return end


def _read_link(body: bytes, at: int) -> bytes | None:
    """Walk the extensions. Git refuses an index with one that it must understand and does not."""
    link = None
    while at < len(body):
        name, size = body[at : at + 4], int.from_bytes(body[at + 4 : at + 8], "big")
        content, at = body[at + 8 : at + 8 + size], at + 8 + size
        if name == b"link":
            link = content
        elif not name[:1].isupper():
            raise BadRepository("the index has an extension that is not understood")
    if at > len(body):
        raise BadRepository("an extension of the index ends too early")
    return link


def _by_path(entries: list[Staged]) -> dict[bytes, Staged]:
    found = {entry.path: entry for entry in entries}
    if len(found) != len(entries):
        raise BadRepository("the index holds a path twice")
    return found


def _joined(tree: FileTree, index: Index) -> dict[bytes, Staged]:
    """Return the entries of the shared index, without those deleted, with those replaced, and the added ones."""
    link = index.link or b""
    shared = _shared_part(tree, link[:_NAME_BYTES].hex())
    deleted, replaced = _changes(link, len(shared))
    instead, added = index.entries[: len(replaced)], index.entries[len(replaced) :]
    if len(instead) != len(replaced) or any(one.path for one in instead) or not all(one.path for one in added):
        raise BadRepository("the parts of a split index do not fit")
    for position, entry in zip(sorted(replaced), instead, strict=True):
        shared[position] = entry._replace(path=shared[position].path)
    kept = _by_path([entry for position, entry in enumerate(shared) if position not in deleted])
    return {**kept, **_by_path(added)}


def _shared_part(tree: FileTree, name: str) -> list[Staged]:
    entry = tree.get(SHARED_INDEX + name)
    if not isinstance(entry, File):
        raise BadRepository("the shared part of a split index is missing")
    return parse_shared_index(entry.data, name)


def parse_shared_index(data: bytes, name: str) -> list[Staged]:
    """Return the entries of a split index's shared part. Raises BadRepository unless its checksum is its name."""
    index = parse_index(data)
    if not has_checksum(data) or data[-_NAME_BYTES:].hex() != name or index.link is not None:
        raise BadRepository("the shared part of a split index is not what its name says")
    return index.entries


def _changes(link: bytes, limit: int) -> tuple[set[int], set[int]]:
    """Return which places of the shared index are deleted and replaced; a link may end after its name."""
    if len(link) == _NAME_BYTES:
        return set(), set()
    deleted, at = _bits(link, _NAME_BYTES, limit)
    replaced, at = _bits(link, at, limit)
    if at != len(link):
        raise BadRepository("there is more in the link of a split index than it can hold")
    return deleted, replaced


def _bits(data: bytes, at: int, limit: int) -> tuple[set[int], int]:
    """Return the positions in an EWAH bitmap (gitformat-bitmap(5), Appendix A), all below `limit`, and its end."""
    count = int.from_bytes(data[at + 4 : at + 8], "big")
    end = at + 8 + count * 8 + 4
    if end > len(data):
        raise BadRepository("a bitmap of the index ends too early")
    words = [int.from_bytes(data[place : place + 8], "big") for place in range(at + 8, end - 4, 8)]
    found, position, index = set[int](), 0, 0
    while index < len(words):
        marker = words[index]
        run, literals = (marker >> 1 & 0xFFFFFFFF) * 64, marker >> 33
        found.update(range(position, min(position + run, limit + 1)) if marker & 1 else ())
        for offset, word in enumerate(words[index + 1 : index + 1 + literals]):
            start = position + run + offset * 64
            found.update(start + bit for bit in range(64) if word >> bit & 1)
        position, index = position + run + literals * 64, index + 1 + literals
    if index > len(words) or max(found, default=-1) >= limit:
        raise BadRepository("a bitmap of the index is beyond what it is about")
    return found, end

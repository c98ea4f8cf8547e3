"""Git's object store, read in memory out of a tree: loose objects and packs, as gitformat-pack(5) describes.

The store was left behind by hostile code. Nothing is opened or followed but the bytes of the tree; alternates
are not read; every object must have the name it goes by; and how much is inflated in all is limited.
"""

from __future__ import annotations

import hashlib
import re
import zlib
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from pytest_quotebench.core.tree import File, FileTree

OBJECT_BYTES = 4 * 2**20
"""The largest object that is read, inflated."""
STORE_BYTES = 16 * 2**20
"""How much is inflated for one reading of a store: its time is bounded by this."""
PACKED_OBJECTS = 10_000

OBJECTS = ".git/objects"
_PACK = re.compile(rf"{OBJECTS}/pack/[^/]+\.pack")
LOOSE_OBJECT = re.compile(rf"{OBJECTS}/([0-9a-f]{{2}})/([0-9a-f]{{38}})")

_KINDS = {1: "commit", 2: "tree", 3: "blob", 4: "tag"}
_OFFSET_DELTA, _NAME_DELTA = 6, 7
_NAME_BYTES = 20
_CHUNK = 4096
_BEYOND_LIMITS = "an object is beyond the limits of what is read"


class BadRepository(ValueError):
    """The bytes below .git are not what git could have left, or are beyond the limits; says what is wrong."""


class GitObject(NamedTuple):
    """One object: `commit`, `tree`, `blob` or `tag`, and its content."""

    kind: str
    data: bytes

    @property
    def name(self) -> str:
        """The object's name: the SHA-1 of its kind, length and content, in hexadecimal."""
        return _sha1(f"{self.kind} {len(self.data)}\0".encode() + self.data).hex()


class Budget:
    """What one reading of a store may still inflate."""

    def __init__(self, size: int = STORE_BYTES) -> None:
        """Start with `size` bytes."""
        self._left = size

    @property
    def largest(self) -> int:
        """The size of the largest object that may still be read."""
        return min(self._left, OBJECT_BYTES)

    def spend(self, size: int) -> None:
        """Take `size` bytes, or all that is left."""
        self._left = max(0, self._left - size)


class ObjectStore:
    """The objects below `.git/objects` of a tree, found by name."""

    def __init__(self, tree: FileTree) -> None:
        """Take the tree; nothing is read before it is asked for."""
        self._tree = tree
        self._budget = Budget()

    def read(self, name: str, kind: str) -> bytes:
        """Return an object's content. Raises BadRepository where it is not there, not whole or another kind."""
        found = self._loose(name) or self._packed.get(name)
        if found is None:
            raise BadRepository(f"{kind} {name} is not in the object store")
        if found.kind != kind:
            raise BadRepository(f"{name} is a {found.kind}, not a {kind}")
        return found.data

    def _loose(self, name: str) -> GitObject | None:
        entry = self._tree.get(f"{OBJECTS}/{name[:2]}/{name[2:]}")
        return read_loose(entry.data, name, self._budget) if isinstance(entry, File) else None

    @cached_property
    def _packed(self) -> dict[str, GitObject]:
        found: dict[str, GitObject] = {}
        for pack, index in self._packs():
            objects = read_pack(pack, self._budget)
            if indexed_names(index) != sorted(objects):
                raise BadRepository("the index of a pack does not list the objects that are in it")
            found.update(objects)
        return found

    def _packs(self) -> Iterator[tuple[bytes, bytes]]:
        # Git finds a pack by its .idx, whatever it is called; one without is invisible to it.
        for path, entry in self._tree.items():
            if _PACK.fullmatch(path):
                index = self._tree.get(f"{path.removesuffix('.pack')}.idx")
                if isinstance(entry, File) and isinstance(index, File):
                    yield entry.data, index.data


def read_loose(data: bytes, name: str, budget: Budget) -> GitObject:
    """Return the object in a loose object's file. Raises BadRepository unless it is `name`, whole."""
    inflated, used = _inflate(memoryview(data), budget)
    header, nul, content = inflated.partition(b"\0")
    kind, _, size = header.decode("latin-1").partition(" ")
    found = GitObject(kind, content)
    whole = nul and used == len(data) and kind in _KINDS.values() and size == str(len(content))
    if not whole or found.name != name:
        raise BadRepository(f"the file of object {name} does not hold that object")
    return found


def has_checksum(data: bytes) -> bool:
    """Tell whether the last 20 bytes are the SHA-1 of the rest, as in all of git's binary files."""
    return len(data) > _NAME_BYTES and _sha1(data[:-_NAME_BYTES]) == data[-_NAME_BYTES:]


def is_unhashed(data: bytes) -> bool:
    """Tell whether zeros stand in the checksum's place: git-config(1), index.skipHash."""
    return data.endswith(bytes(_NAME_BYTES))


def indexed_names(data: bytes) -> list[str]:
    """Return the object names in a pack's index of version 2, in its order."""
    count = int.from_bytes(data[8 + 255 * 4 : 8 + 256 * 4], "big")
    names = data[8 + 256 * 4 : 8 + 256 * 4 + count * _NAME_BYTES]
    if not data.startswith(b"\xfftOc\0\0\0\2") or len(names) != count * _NAME_BYTES:
        raise BadRepository("the index of a pack is not one of version 2")
    return [names[at : at + _NAME_BYTES].hex() for at in range(0, len(names), _NAME_BYTES)]


class _Delta(NamedTuple):
    at: int
    base: int | str
    """The place of the base in the pack, or its name."""
    data: bytes


def read_pack(data: bytes, budget: Budget) -> dict[str, GitObject]:
    """Return the objects of a pack by name. Raises BadRepository where it is damaged or beyond the limits."""
    count = int.from_bytes(data[8:12], "big")
    if data[:8] != b"PACK\0\0\0\2" or count > PACKED_OBJECTS or not has_checksum(data):
        raise BadRepository("a pack is damaged, of an unknown version, or holds too many objects")
    whole: list[tuple[int, GitObject]] = []
    waiting: dict[int | str, list[_Delta]] = {}
    body, at = memoryview(data)[:-_NAME_BYTES], 12
    for _ in range(count):
        entry, end = _read_entry(body, at, budget)
        if isinstance(entry, _Delta):
            waiting.setdefault(entry.base, []).append(entry)
        else:
            whole.append((at, entry))
        at = end
    return _resolve(whole, waiting, budget)


def _resolve(
    whole: list[tuple[int, GitObject]], waiting: dict[int | str, list[_Delta]], budget: Budget
) -> dict[str, GitObject]:
    found: dict[str, GitObject] = {}
    while whole:
        at, base = whole.pop()
        name = base.name
        found[name] = base
        whole.extend(
            (delta.at, GitObject(base.kind, apply_delta(base.data, delta.data, budget)))
            for delta in [*waiting.pop(at, ()), *waiting.pop(name, ())]
        )
    if waiting:
        raise BadRepository("a pack holds a delta whose base is not in it")
    return found


def _read_entry(body: memoryview, at: int, budget: Budget) -> tuple[GitObject | _Delta, int]:
    start, byte = at, _byte(body, at)
    kind = byte >> 4 & 7
    at += 1
    while byte & 0x80:
        byte = _byte(body, at)
        at += 1
    base: int | str | None = None
    if kind == _NAME_DELTA:
        base, at = bytes(body[at : at + _NAME_BYTES]).hex(), at + _NAME_BYTES
    elif kind == _OFFSET_DELTA:
        distance, at = _distance(body, at)
        base = start - distance
    elif kind not in _KINDS:
        raise BadRepository(f"a pack holds an entry of the unknown kind {kind}")
    inflated, used = _inflate(body[at:], budget)
    if base is None:
        return GitObject(_KINDS[kind], inflated), at + used
    return _Delta(start, base, inflated), at + used


def _distance(body: memoryview, at: int) -> tuple[int, int]:
    byte = _byte(body, at)
    value = byte & 0x7F
    while byte & 0x80:
        at += 1
        byte = _byte(body, at)
        value = (value + 1) << 7 | byte & 0x7F
        if value > len(body):
            raise BadRepository("a pack holds a delta whose base lies before the pack")
    return value, at + 1


def apply_delta(base: bytes, delta: bytes, budget: Budget) -> bytes:
    """Return what `delta` makes of `base`. Raises BadRepository where it does not fit, or makes too much."""
    view = memoryview(delta)
    base_size, at = _size(view, 0)
    size, at = _size(view, at)
    if base_size != len(base):
        raise BadRepository("a delta is meant for another base")
    if size > budget.largest:
        raise BadRepository(_BEYOND_LIMITS)
    budget.spend(size)
    parts, made = [], 0
    while at < len(delta) and made <= size:
        part, at = _step(base, view, at)
        parts.append(part)
        made += len(part)
    if made != size:
        raise BadRepository("a delta does not make what it says")
    return b"".join(parts)


def _step(base: bytes, delta: memoryview, at: int) -> tuple[bytes, int]:
    operation = delta[at]
    at += 1
    if not operation & 0x80:
        end = at + operation
        if operation == 0 or end > len(delta):
            raise BadRepository("a delta ends too early")
        return bytes(delta[at:end]), end
    fields = []
    for bit in range(7):
        present = operation >> bit & 1
        fields.append(_byte(delta, at) if present else 0)
        at += present
    start = int.from_bytes(bytes(fields[:4]), "little")
    size = int.from_bytes(bytes(fields[4:]), "little") or 0x10000
    if start + size > len(base):
        raise BadRepository("a delta copies from beyond its base")
    return base[start : start + size], at


def _size(data: memoryview, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = _byte(data, at)
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if not byte & 0x80:
            return value, at
        if shift > 63:
            raise BadRepository("a delta names an impossible size")


def _byte(data: memoryview, at: int) -> int:
    if at >= len(data):
        raise BadRepository("a pack ends too early")
    return data[at]


def _inflate(data: memoryview, budget: Budget) -> tuple[bytes, int]:
    """Return the zlib stream that `data` begins with, and how many bytes of `data` it takes."""
    limit, parts, size, used = budget.largest, [], 0, 0
    stream = zlib.decompressobj()
    while not stream.eof:
        chunk = data[used : used + _CHUNK]
        part = _next_part(stream, chunk, limit + 1 - size)
        used += len(chunk) - len(stream.unconsumed_tail) - len(stream.unused_data)
        size += len(part)
        budget.spend(len(part))
        parts.append(part)
        if size > limit:
            raise BadRepository(_BEYOND_LIMITS)
    return b"".join(parts), used


def _next_part(stream: zlib._Decompress, chunk: memoryview, limit: int) -> bytes:
    try:
        part = stream.decompress(chunk, limit)
    except zlib.error as error:
        raise BadRepository(f"an object does not inflate: {error}") from None
    if not (chunk or part or stream.eof):
        raise BadRepository("an object ends too early")
    return part


def _sha1(data: bytes) -> bytes:
    return hashlib.sha1(data, usedforsecurity=False).digest()

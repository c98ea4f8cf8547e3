"""What the host and the agent say to each other: frames of a JSON head and a body of bytes.

The host takes nothing that the agent says on trust: lengths have limits, and a frame that does not read as it
must is an `Unreadable`. Paths and other byte strings stand in the JSON as text with surrogates (PEP 383).
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from pytest_quotebench.core.text import to_bytes
from pytest_quotebench.core.tree import Directory, Entry, File, FileTree, Special, Symlink

HEAD_BYTES = 32 * 2**20
"""The longest head."""
NAME_BYTES = 4 * 2**20
"""All paths and link targets of a tree together: JSON makes six characters of a byte at most."""

Head = dict[str, Any]
Row = list[Any]

_LENGTHS = struct.Struct(">II")


class Unreadable(Exception):
    """A frame that is not what it must be."""


class Frame(NamedTuple):
    """A head, and the bytes that it tells the lengths of."""

    head: Head
    body: bytes


def packed(head: Head, parts: Sequence[bytes] = ()) -> list[bytes]:
    """Return a frame in pieces to be written one after the other."""
    text = json.dumps(head).encode("ascii")
    return [_LENGTHS.pack(len(text), sum(map(len, parts))) + text, *parts]


def receive(read: Callable[[int], bytes], body_bytes: int) -> Frame | None:
    """Return the next frame, or None at the end of the stream; `read` returns so many bytes, or fewer at the end.

    Raises Unreadable, for a body longer than `body_bytes` too.
    """
    start = read(_LENGTHS.size)
    if len(start) < _LENGTHS.size:
        return None
    head_length, body_length = _LENGTHS.unpack(start)
    if head_length > HEAD_BYTES or body_length > body_bytes:
        raise Unreadable(f"a frame of {head_length} and {body_length} bytes")
    text, body = read(head_length), read(body_length)
    if len(text) < head_length or len(body) < body_length:
        return None
    try:
        head = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"a head that is not JSON: {error}") from error
    if not isinstance(head, dict):
        raise Unreadable("a head that is not an object")
    return Frame(head, body)


class Parts:
    """Takes a body apart in the order in which it was put together."""

    def __init__(self, body: bytes) -> None:
        self._body = memoryview(body)

    def take(self, length: object) -> bytes:
        """Return the next `length` bytes. Raises Unreadable where there are not so many."""
        size = checked(length, int)
        if not 0 <= size <= len(self._body):
            raise Unreadable(f"a part of {size} bytes where {len(self._body)} are left")
        part, self._body = bytes(self._body[:size]), self._body[size:]
        return part


def checked(value: object, kind: type[Any]) -> Any:
    """Return `value`, which must be of this type. Raises Unreadable."""
    if type(value) is not kind:
        raise Unreadable(f"{value!r:.40} where a value of type {kind.__name__} belongs")
    return value


def tree_rows(tree: FileTree) -> tuple[list[Row], list[bytes]]:
    """Return a tree as rows for a head, and its contents for a body."""
    rows = [_row(path, entry) for path, entry in tree.items()]
    return rows, [entry.data for entry in tree.values() if isinstance(entry, File)]


def tree_of(rows: object, parts: Parts) -> FileTree:
    """Return the tree that `tree_rows` made rows of. Raises Unreadable for what can be no tree."""
    try:
        return FileTree(_entries(checked(rows, list), parts))
    except (ValueError, TypeError) as error:
        raise Unreadable(f"a tree that cannot be: {error}") from error


def name_bytes(tree: FileTree) -> int:
    """Return the length of all paths and link targets together."""
    targets = sum(len(to_bytes(entry.target)) for entry in tree.values() if isinstance(entry, Symlink))
    return targets + sum(len(to_bytes(path)) for path in tree)


def _row(path: str, entry: Entry) -> Row:
    match entry:
        case File(data, mode):
            return [path, "file", mode, len(data)]
        case Directory(mode):
            return [path, "directory", mode]
        case Symlink(target):
            return [path, "symlink", target]
        case Special(kind):
            return [path, "special", kind]


def _entries(rows: Iterable[Row], parts: Parts) -> Iterable[tuple[str, Entry]]:
    for row in rows:
        path, kind, value, *size = checked(row, list)
        yield checked(path, str), _entry(kind, value, size, parts)


def _entry(kind: object, value: object, size: list[object], parts: Parts) -> Entry:
    match kind, size:
        case "file", [length]:
            return File(parts.take(length), checked(value, int) & 0o7777)
        case "directory", []:
            return Directory(checked(value, int) & 0o7777)
        case "symlink", []:
            return Symlink(checked(value, str))
        case "special", []:
            return Special(checked(value, str))
    raise Unreadable(f"an entry of kind {kind!r:.40}")

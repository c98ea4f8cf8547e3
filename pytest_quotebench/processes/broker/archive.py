"""A tree as a tar file (tar(5)), and what somebody's tar made of a directory as a tree, believed in nothing.

The standard library reads tar files too, but has gone round in circles on hostile ones (CVE-2019-20907,
CVE-2025-8194). This reader knows what tar(1) of GNU, BSD and busybox writes of a directory: ustar headers, long
names of GNU, and of pax records `path`, `linkpath` and `size`. Anything else it calls unreadable.
"""

from __future__ import annotations

import io
import tarfile
import time
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from pytest_quotebench.core.capture import Capture
from pytest_quotebench.core.limits import TreeLimits
from pytest_quotebench.core.text import to_text
from pytest_quotebench.core.tree import Directory, Entry, File, FileTree, Special, Symlink

BLOCK = 512
_PERMISSIONS = 0o7777
_MOST_NAME_BYTES = 2**16
_KINDS = {b"3": "char-device", b"4": "block-device", b"6": "fifo"}
_FILE, _LINK, _SYMLINK, _DIRECTORY = (b"0", b"\0", b"7"), b"1", b"2", b"5"
_LONG_NAME, _LONG_TARGET, _PAX, _PAX_FOR_ALL = b"L", b"K", b"x", b"g"


class UnreadableArchive(Exception):
    """Bytes that are no tar file, or one of a kind that nobody asked for."""


def packed(tree: FileTree) -> bytes:
    """Return a tree as a tar file, every directory before what is in it."""
    data = io.BytesIO()
    with tarfile.open(
        fileobj=data, mode="w", format=tarfile.GNU_FORMAT, encoding="utf-8", errors="surrogateescape"
    ) as archive:
        for path, entry in tree.items():
            archive.addfile(_described(path, entry), io.BytesIO(entry.data if isinstance(entry, File) else b""))
    return data.getvalue()


def _described(path: str, entry: Entry) -> tarfile.TarInfo:
    told = tarfile.TarInfo(path)
    told.mtime = int(time.time())  # an old time is a warning of GNU tar's
    match entry:
        case File(data, mode):
            told.size, told.mode = len(data), mode
        case Directory(mode):
            told.type, told.mode = tarfile.DIRTYPE, mode
        case Symlink(target):
            told.type, told.linkname = tarfile.SYMTYPE, target
        case _:
            raise ValueError(f"a fixture cannot hold a {entry.kind}")
    return told


def unpacked(data: bytes, limits: TreeLimits) -> Capture:
    """Return what a tar file of the directory `.` holds, so far as the limits and its end allow.

    Raises UnreadableArchive.
    """
    entries: dict[str, Entry] = {}
    total = 0
    for member in _members(memoryview(data)):
        if member is None:
            return Capture(_tree(entries), "limit:tree")
        path = _relative(member.name)
        if not path:
            continue
        if member.size > limits.file_bytes:
            return Capture(_tree(entries), "limit:file-size")
        entry = _entry(member, entries)
        total += len(entry.data) if isinstance(entry, File) else 0
        is_cut = len(member.data) < member.size
        is_deep = path.count("/") >= limits.depth
        if is_cut or is_deep or len(entries) >= limits.entries or total > limits.total_bytes:
            return Capture(_tree(entries), "limit:tree")
        entries[path] = entry
    return Capture(_tree(entries))


class _Member(NamedTuple):
    name: bytes
    kind: bytes
    mode: int
    size: int
    """What its header says; the data may end before that."""
    target: bytes
    data: memoryview


class _Header(NamedTuple):
    name: bytes
    kind: bytes
    mode: int
    size: int
    target: bytes


def _members(data: memoryview) -> Iterator[_Member | None]:
    """Yield the members; None where the data ends before the archive does."""
    given: dict[str, bytes] = {}
    while True:
        block, data = bytes(data[:BLOCK]), data[BLOCK:]
        if len(block) < BLOCK:
            yield None
            return
        if not any(block):
            return
        header = _header(block)
        size = _octal(given["size"], base=10) if "size" in given else header.size
        body, data = data[:size], data[-(-size // BLOCK) * BLOCK :]
        is_more = header.kind in (_LONG_NAME, _LONG_TARGET, _PAX, _PAX_FOR_ALL)
        if is_more and len(body) == size:
            given.update(_more(header.kind, body))
            continue
        name, target = given.get("path", header.name), given.get("linkpath", header.target)
        yield None if is_more else _Member(name, header.kind, header.mode, size, target, body)
        given = {}


def _header(block: bytes) -> _Header:
    blank = block[:148] + b" " * 8 + block[156:]
    if _octal(block[148:156]) != sum(blank):
        raise UnreadableArchive("a header whose sum is wrong")
    name = _text(block[:100])
    prefix = _text(block[345:500]) if block[257:263] == b"ustar\0" else b""
    return _Header(
        name=prefix + b"/" + name if prefix else name,
        kind=block[156:157],
        mode=_octal(block[100:108]) & _PERMISSIONS,
        size=_size(block[124:136]),
        target=_text(block[157:257]),
    )


def _more(kind: bytes, body: memoryview) -> Mapping[str, bytes]:
    """Return what a member before another one says of it."""
    if len(body) > _MOST_NAME_BYTES:
        raise UnreadableArchive("a name that is too long")
    if kind in (_LONG_NAME, _LONG_TARGET):
        return {"path" if kind == _LONG_NAME else "linkpath": _text(bytes(body))}
    records = dict(_records(bytes(body))) if kind == _PAX else {}
    return {name: value for name, value in records.items() if name in ("path", "linkpath", "size")}


def _records(body: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield pax records: a decimal length of all of the record, a space, `name=value`, a newline."""
    while body:
        length = _octal(body.partition(b" ")[0], base=10)
        record, body = body[:length], body[length:]
        name, equals, value = record.partition(b" ")[2].partition(b"=")
        if not equals or not value.endswith(b"\n") or len(record) != length:
            raise UnreadableArchive("a pax record that is none")
        yield name.decode("latin-1"), value[:-1]


def _size(field: bytes) -> int:
    """Return a size; from 8 GiB on GNU's is a binary number behind a byte 0x80."""
    return int.from_bytes(field[1:], "big") if field[:1] == b"\x80" else _octal(field)


def _octal(field: bytes, base: int = 8) -> int:
    digits = field.strip(b" \0")
    if digits and not (digits.isdigit() and len(digits) <= 12):
        raise UnreadableArchive("a number that is none")
    try:
        return int(digits or b"0", base)
    except ValueError:
        raise UnreadableArchive("a number that is none") from None


def _text(field: bytes) -> bytes:
    return field.partition(b"\0")[0]


def _relative(name: bytes) -> str:
    """Return a path below the directory, empty for itself. Raises UnreadableArchive for any other."""
    parts = [part for part in name.split(b"/") if part not in (b"", b".")]
    if name.startswith(b"/") or b".." in parts:
        raise UnreadableArchive("a name that leads elsewhere")
    return to_text(b"/".join(parts))


def _entry(member: _Member, before: Mapping[str, Entry]) -> Entry:
    if member.kind in _FILE:
        return File(bytes(member.data), member.mode)
    if member.kind == _DIRECTORY:
        return Directory(member.mode)
    if member.kind == _SYMLINK:
        return Symlink(to_text(member.target))
    if member.kind == _LINK:
        return before.get(_relative(member.target), Special("unreadable"))
    if member.kind in _KINDS:
        return Special(_KINDS[member.kind])
    raise UnreadableArchive(f"a member of kind {member.kind!r}")


def _tree(entries: Mapping[str, Entry]) -> FileTree:
    try:
        return FileTree(entries)
    except ValueError as error:
        raise UnreadableArchive(str(error)) from error

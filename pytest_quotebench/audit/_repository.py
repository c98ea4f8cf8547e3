"""The writing side of gitformat-pack(5) and gitformat-index(5), for states that git itself would not make."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from pytest_quotebench.core.git_objects import GitObject
from pytest_quotebench.core.tree import Entry, File

IDENTITY = "QuoteBench <quotebench@example.invalid> 1700000000 +0000"
REGULAR = 0o100644


class Listed(NamedTuple):
    """One entry of a tree object or of the index."""

    path: str
    blob: str
    mode: int = REGULAR


def blob(data: bytes) -> GitObject:
    """Return a blob."""
    return GitObject("blob", data)


def tree(entries: Iterable[Listed]) -> GitObject:
    """Return a tree object; entries stand in the given order."""
    data = b"".join(b"%o %s\0%s" % (item.mode, item.path.encode(), bytes.fromhex(item.blob)) for item in entries)
    return GitObject("tree", data)


def commit(tree_name: str, message: bytes, parents: Iterable[str] = (), identity: str = IDENTITY) -> GitObject:
    """Return a commit."""
    headers = [f"tree {tree_name}", *(f"parent {name}" for name in parents)]
    headers += [f"author {identity}", f"committer {identity}"]
    return GitObject("commit", "\n".join(headers).encode() + b"\n\n" + message)


def loose(*objects: GitObject) -> dict[str, Entry]:
    """Return the files of loose objects by path."""
    return {loose_path(item.name): File(loose_data(item), 0o444) for item in objects}


def loose_path(name: str) -> str:
    """Return where the loose object `name` lies."""
    return f".git/objects/{name[:2]}/{name[2:]}"


def loose_data(item: GitObject) -> bytes:
    """Return the bytes of a loose object's file."""
    return zlib.compress(f"{item.kind} {len(item.data)}\0".encode() + item.data)


def index(entries: Iterable[Listed], stage: int = 0, extension: bytes = b"") -> bytes:
    """Return an index of version 2 without cached file times."""
    records = [_index_record(item, stage) for item in entries]
    head = b"DIRC" + (2).to_bytes(4, "big") + len(records).to_bytes(4, "big")
    return checksummed(head + b"".join(records) + extension)


def split_index(added: Iterable[Listed], shared: Iterable[Listed]) -> Mapping[str, Entry]:
    """Return the files of a split index that adds to its shared part, and neither deletes nor replaces there."""
    held, no_bits = index(shared), bytes(12)
    link = held[-20:] + no_bits + no_bits
    own = index(added, extension=b"link" + len(link).to_bytes(4, "big") + link)
    return {".git/index": File(own), f".git/sharedindex.{held[-20:].hex()}": File(held)}


def _index_record(item: Listed, stage: int) -> bytes:
    name = item.path.encode()
    flags = stage << 12 | len(name)
    record = bytes(24) + item.mode.to_bytes(4, "big") + bytes(12)
    record += bytes.fromhex(item.blob) + flags.to_bytes(2, "big") + name
    return record + bytes(8 - len(record) % 8)


def checksummed(data: bytes) -> bytes:
    """Return the data with its SHA-1 after it."""
    return data + hashlib.sha1(data, usedforsecurity=False).digest()


def pack(objects: Iterable[GitObject], prefix: str = "pack") -> Mapping[str, Entry]:
    """Return the files of a pack without deltas, and of its index."""
    items = sorted(objects, key=lambda item: item.name)
    body, offsets, sums = b"PACK" + (2).to_bytes(4, "big") + len(items).to_bytes(4, "big"), [], []
    for item in items:
        record = _pack_header(item) + zlib.compress(item.data)
        offsets.append(len(body))
        sums.append(zlib.crc32(record))
        body += record
    data = checksummed(body)
    stem = f".git/objects/pack/{prefix}-{data[-20:].hex()}"
    return {f"{stem}.pack": File(data), f"{stem}.idx": File(_pack_index(items, offsets, sums, data[-20:]))}


def _pack_header(item: GitObject) -> bytes:
    kind = {"commit": 1, "tree": 2, "blob": 3, "tag": 4}[item.kind]
    size, first = len(item.data) >> 4, kind << 4 | len(item.data) & 15
    header = [first]
    while size:
        header[-1] |= 0x80
        header.append(size & 0x7F)
        size >>= 7
    return bytes(header)


def _pack_index(items: list[GitObject], offsets: list[int], sums: list[int], checksum: bytes) -> bytes:
    names = [bytes.fromhex(item.name) for item in items]
    fanout = [sum(name[0] <= byte for name in names) for byte in range(256)]
    words = b"".join(word.to_bytes(4, "big") for word in fanout)
    tail = b"".join(word.to_bytes(4, "big") for word in [*sums, *offsets])
    return checksummed(b"\xfftOc" + (2).to_bytes(4, "big") + words + b"".join(names) + tail + checksum)

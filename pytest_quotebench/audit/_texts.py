"""Small changes of a text: what quoting gone wrong, or a careless tool, does to it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

Change = Callable[[bytes], bytes]


def changes(data: bytes) -> Iterator[tuple[str, bytes]]:
    """Give each kind of change that makes another text, with that text; no text comes twice."""
    seen = {data}
    for kind, change in _CHANGES.items():
        changed = change(data)
        if changed not in seen:
            seen.add(changed)
            yield kind, changed


def _insert(data: bytes, at: int, more: bytes) -> bytes:
    return data[:at] + more + data[at:]


def _without(data: bytes, at: int) -> bytes:
    return data[:at] + data[at + 1 :]


def _swap_lines(data: bytes) -> bytes:
    first, second, *rest = [*data.splitlines(keepends=True), b"", b""]
    return b"".join([second, first, *rest]) if second else data


def _first_line_lost(data: bytes) -> bytes:
    return data.partition(b"\n")[2]


def _first_line_doubled(data: bytes) -> bytes:
    line, newline, _ = data.partition(b"\n")
    return line + newline + data


def _first_letter(change: Change) -> Change:
    return lambda data: re.sub(rb"[A-Za-z]", lambda letter: change(letter[0]), data, count=1)


def _swap_bytes(one: bytes, other: bytes) -> Change:
    return lambda data: data.translate(bytes.maketrans(one + other, other + one))


def _sub(pattern: bytes, replacement: bytes, count: int = 0) -> Change:
    return lambda data: re.sub(pattern, replacement, data, count=count)


_CHANGES: Mapping[str, Change] = MappingProxyType(
    {
        "byte-dropped": lambda data: _without(data, len(data) // 2),
        "first-byte-dropped": lambda data: data[1:],
        "byte-added": lambda data: _insert(data, len(data) // 2, b"x"),
        "byte-doubled": lambda data: _insert(data, len(data) // 2, data[len(data) // 2 :][:1]),
        "byte-inverted": lambda data: bytes([data[0] ^ 0x80]) + data[1:] if data else data,
        "letter-case": _first_letter(bytes.swapcase),
        "upper-case": bytes.upper,
        "last-newline-lost": lambda data: data.removesuffix(b"\n"),
        "newline-added": lambda data: data + b"\n",
        "newline-in-front": lambda data: b"\n" + data,
        "crlf": _sub(rb"\n", b"\r\n"),
        "newlines-to-spaces": lambda data: data.replace(b"\n", b" "),
        "backslash-n-for-newline": lambda data: data.replace(b"\n", b"\\n"),
        "lines-swapped": _swap_lines,
        "line-lost": _first_line_lost,
        "line-doubled": _first_line_doubled,
        "escape-doubled": lambda data: data.replace(b"\\", b"\\\\"),
        "escape-undone": lambda data: data.replace(b"\\", b""),
        "escape-read": lambda data: data.replace(b"\\t", b"\t").replace(b"\\n", b"\n").replace(b"\\s", b"s"),
        "dollar-escaped": lambda data: data.replace(b"$", b"\\$"),
        "quote-escaped": _sub(rb"['\"]", rb"\\\g<0>"),
        "quotes-changed": _swap_bytes(b"'", b'"'),
        "quotes-lost": _sub(rb"['\"]", b""),
        "apostrophe-curled": lambda data: data.replace(b"'", "\u2019".encode()),
        "in-quotes": lambda data: b"'" + data.removesuffix(b"\n") + b"'\n",
        "in-markers": lambda data: "⟪".encode() + data.removesuffix(b"\n") + "⟫\n".encode(),
        "variable-expanded": _sub(rb"\$\w+", b""),
        "variable-to-path": _sub(rb"\$\w+", b"/root"),
        "substitution-run": _sub(rb"\$\(\w+\)|`\w+`", b"out"),
        "percent-doubled": lambda data: data.replace(b"%", b"%%"),
        "ampersand-lost": lambda data: data.replace(b"&", b""),
        "spaces-collapsed": _sub(rb"  +", b" "),
        "space-doubled": _sub(rb" ", b"  ", count=1),
        "space-lost": _sub(rb" ", b"", count=1),
        "tab-for-space": _sub(rb" ", b"\t", count=1),
        "trailing-space": _sub(rb"\n?\Z", rb" \g<0>", count=1),
        "leading-space": lambda data: b" " + data,
        "bom": lambda data: b"\xef\xbb\xbf" + data,
        "nul-added": lambda data: _insert(data, len(data) // 2, b"\0"),
        "cut-short": lambda data: data[: max(1, len(data) // 2)],
        "twice": lambda data: data + data,
        "emptied": lambda _: b"",
    }
)

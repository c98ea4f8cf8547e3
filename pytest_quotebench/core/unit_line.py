r"""A line of a systemd unit and its words: line joining, quotes and escapes.

Source: systemd 252, src/shared/conf-parser.c, src/basic/extract-word.c and escape.c, and systemd.syntax(7).
Checked against `systemd --test`.
"""

from __future__ import annotations

import re

from pytest_quotebench.core.text import to_bytes, to_text

SPACE = " \t\n\r"
_LINE_END = re.compile(r"\r\n?|\n\r?")
_COMMENT = ("#", ";")
_NAMED = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "s": " "}
_ESCAPE = re.compile(
    r"""(?P<named>[abfnrtvs\\"'])|x(?P<hex>[0-9a-fA-F]{2})|(?P<octal>[0-3][0-7]{2})"""
    r"""|u(?P<u>[0-9a-fA-F]{4})|U(?P<U>[0-9a-fA-F]{8})"""
)


def first_line(text: str) -> str:
    r"""Return the value that a unit file which holds `KEY=text` gives to KEY: its lines joined at a trailing `\`.

    A comment line in between is passed over. Lines after the value are lines of the file: no part of it.
    """
    lines = _LINE_END.split(text)
    joined = lines[0]
    rest = iter(lines[1:])
    while _is_continued(joined):
        joined = f"{joined[:-1]} "
        following = next((line for line in rest if not line.lstrip(SPACE).startswith(_COMMENT)), None)
        if following is None:
            break
        joined += following.lstrip(SPACE)
    return joined.strip(SPACE)


def _is_continued(line: str) -> bool:
    return (len(line) - len(line.rstrip("\\"))) % 2 == 1


def take_word(text: str) -> tuple[str, str]:
    """Return the first word of `text`, which does not begin with a separator, and what follows it.

    An escape that is not in the table keeps its backslash. Raises ValueError for an open quote.
    """
    try:
        return _Extraction(text, relaxed=False).word()
    except _UnknownEscapeError:
        return _Extraction(text, relaxed=True).word()


class _UnknownEscapeError(ValueError):
    pass


class _Extraction:
    def __init__(self, text: str, *, relaxed: bool) -> None:
        self._text = text
        self._relaxed = relaxed
        self._position = 0
        self._parts: list[bytes] = []

    def word(self) -> tuple[str, str]:
        quote = ""
        while self._position < len(self._text):
            character = self._take()
            if character == "\\":
                self._parts.append(self._escaped(quote))
            elif character == quote:
                quote = ""
            elif character in "'\"" and not quote:
                quote = character
            elif character in SPACE and not quote:
                break
            else:
                self._parts.append(to_bytes(character))
        if quote:
            raise ValueError("unbalanced quoting")
        return to_text(b"".join(self._parts)), self._text[self._position :].lstrip(SPACE)

    def _take(self) -> str:
        self._position += 1
        return self._text[self._position - 1]

    def _escaped(self, quote: str) -> bytes:
        found = _ESCAPE.match(self._text, self._position)
        value = None if found is None else _value(found)
        if found is not None and value is not None:
            self._position = found.end()
            return value
        if not self._relaxed:
            raise _UnknownEscapeError
        if self._position == len(self._text):
            if quote:
                raise ValueError("unbalanced quoting")
            return b"\\"
        return b"\\" + to_bytes(self._take())


def _value(found: re.Match[str]) -> bytes | None:
    """Return the bytes of an escape; None where it stands for NUL or for no character."""
    if found["named"]:
        return _NAMED.get(found["named"], found["named"]).encode()
    byte = int(found["hex"], 16) if found["hex"] else int(found["octal"] or "0", 8)
    if found["hex"] or found["octal"]:
        return bytes([byte]) if byte else None
    code = int(found["u"] or found["U"], 16)
    if not 0 < code < 0x110000 or 0xD800 <= code < 0xE000:
        return None
    return chr(code).encode()

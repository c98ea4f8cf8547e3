r"""`xargs`: on the standard input of `xargs -I{} bash -c {}`: one command a line, after xargs took its quotes.

Real: xargs(1) of GNU findutils 4.9.0 and bash. Each line that is not blank is one `bash -c`; leading blanks,
quotes and backslashes are xargs's own: `'...'` and `"..."` group, a backslash takes the next character as it
is, a line break too, and an open quote at a line's end stops everything. Commands read /dev/null.
End event: the exit of xargs: 123 where a command failed, 124 where one ended with 255, 126 or 127.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from pytest_quotebench.core.command_line import encoded
from pytest_quotebench.core.execution import Invocation
from pytest_quotebench.core.layers import Layer
from pytest_quotebench.core.spawning import never_started, shell_layers
from pytest_quotebench.transports import Transport

_SPACE = " \t\n\v\f\r"
_BLANK = re.compile(rf"[{_SPACE}]*")
_ORDINARY = re.compile(r"[^\\'\"\n]+")
_SPECIAL = re.compile(rf"\A[{_SPACE}]+|[\\'\"\n]")


class Items(NamedTuple):
    """What xargs reads."""

    lines: tuple[str, ...]
    unmatched: str = ""
    """The quote that stays open at the end of a line, after which nothing is read."""


class _Xargs:
    needs = ("xargs",)

    def plan(self, command: str) -> Invocation:
        return Invocation(argv=(b"xargs", b"-I{}", b"bash", b"-c", b"{}"), stdin=encoded(command))

    def layers(self, command: str) -> tuple[Layer, ...]:
        items = read_items(command)
        layers = [layer for line in items.lines for layer in shell_layers("bash -c", line)]
        if items.unmatched:
            layers.append(never_started("bash -c", f"unmatched {items.unmatched}"))
        elif not layers:
            layers.append(never_started("bash -c", "no line has a command"))
        return Layer("xargs, standard input", command), *layers

    def matched(self, command: str) -> str:
        if "\0" in command:
            raise ValueError("an argument cannot hold a NUL character")
        return _SPECIAL.sub(lambda found: "".join(f"\\{each}" for each in found[0]), command)


def read_items(text: str) -> Items:
    """Return what `xargs -I` makes of its standard input: one item a line."""
    return _Reading(text).items()


class _Reading:
    def __init__(self, text: str) -> None:
        self._text = text
        self._position = 0
        self._lines: list[str] = []

    def items(self) -> Items:
        while self._skip_blank():
            unmatched = self._read_line()
            if unmatched:
                return Items(tuple(self._lines), unmatched)
        return Items(tuple(self._lines))

    def _skip_blank(self) -> bool:
        found = _BLANK.match(self._text, self._position)
        self._position = found.end() if found else self._position
        return self._position < len(self._text)

    def _read_line(self) -> str:
        """Read to the end of a line; return the quote that is open there."""
        parts: list[str] = []
        while (character := self._take()) not in ("", "\n"):
            if character in "'\"":
                quoted, closed = self._quoted(character)
                parts.append(quoted)
                if not closed:
                    # At the end of input xargs 4.9.0 looks for text first and for an open quote then.
                    return character if "".join(parts) or self._position < len(self._text) else ""
            else:
                parts.append(self._take() if character == "\\" else character + self._ordinary())
        # Quotes with nothing in them are an item, but not at the end of input.
        if "".join(parts) or (parts and character):
            self._lines.append("".join(parts))
        return ""

    def _take(self) -> str:
        self._position += 1
        return self._text[self._position - 1 : self._position]

    def _ordinary(self) -> str:
        found = _ORDINARY.match(self._text, self._position)
        self._position += len(found[0]) if found else 0
        return found[0] if found else ""

    def _quoted(self, quote: str) -> tuple[str, bool]:
        ends = [place for mark in (quote, "\n") if (place := self._text.find(mark, self._position)) >= 0]
        end = min(ends, default=len(self._text))
        quoted = self._text[self._position : end]
        closed = self._text[end : end + 1] == quote
        self._position = end + closed
        return quoted, closed


TRANSPORT: Transport = _Xargs()

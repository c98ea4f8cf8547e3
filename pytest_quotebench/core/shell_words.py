"""Words of bash: where one ends, and what quote removal and the expansions make of it.

Source: bash(1), QUOTING and EXPANSION. The reader knows the fixed environment of a command
(`core.execution`); what it cannot know (`$HOME`, the output of a substitution, a pattern's matches) it shows
between « and », and calls the word inexact. Nothing is ever executed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from pytest_quotebench.core.shell_variables import known_value

_METACHARACTERS = frozenset(" \t\n|&;()<>")

_SIMPLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|[0-9@*#?$!-]")
_BRACED = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|[0-9]+|[@*#?$!-]")
_OPERATION = re.compile(r"(?:[A-Za-z_][A-Za-z0-9_]*|[0-9]+|[@*])(?::?[-+=?]|[#%/:^,@\[])|#[A-Za-z_0-9@*]")
_SPECIAL = re.compile(r"[*?\[]|(?:(?<=[=:])|\A)~")
_ORDINARY = re.compile(r"[^\s|&;()<>'\"\\`$]+")
_ORDINARY_IN_DOUBLE_QUOTES = re.compile(r"[^\"\\`$]+")
_NOT_FOLLOWED = re.compile(r"#|<<|\bcase\b|`")
_QUOTED = "\0"
# CTLESC and CTLNUL of bash's shell.h: `"\^A$x"` keeps its `$x` in bash 5.2.15.
_MARKS_OF_BASH = "\x01\x7f"


class NeverRunsError(Exception):
    """Bash refuses the line as a whole, before it runs anything of it; the text says why."""


class UnknownError(Exception):
    """This source is beyond the model; the text says why."""


@dataclass(frozen=True, slots=True)
class Word:
    """One word as it stands in the source, and what the expansions leave of it."""

    text: str | None
    """The result; None where nothing is left, so that it is no argument at all."""
    skeleton: str
    """The source without quotes, each quoted or expanded part as one NUL: what the grammar looks at."""
    exact: bool


class _Pieces:
    """Collects a word: its text, and beside it the skeleton."""

    def __init__(self) -> None:
        self._parts: list[tuple[str, str]] = []
        self._exact = True
        self._keeps_empty = False
        self._depends_on_arguments = False

    def plain(self, text: str) -> None:
        self._parts.append((text, text))

    def quoted(self, text: str) -> None:
        self._keeps_empty = True
        self._parts.append((text, _QUOTED))

    def expanded(self, text: str) -> None:
        self._parts.append((text, _QUOTED))

    def unknown(self, source: str) -> None:
        self._exact = False
        self._parts.append((_marked(source), _QUOTED))

    def quoted_arguments(self) -> None:
        r"""`"$@"` without arguments: whether an empty word stays depends on all of the word."""
        self._depends_on_arguments = True

    def word(self) -> Word:
        skeleton = "".join(part for _, part in self._parts)
        if _may_expand_braces(skeleton):
            raise UnknownError("brace expansion")
        text, exact = self._after_patterns(skeleton)
        if not text and self._depends_on_arguments:
            raise UnknownError('"$@" without arguments')
        return Word(text if text or self._keeps_empty else None, skeleton, exact)

    def _after_patterns(self, skeleton: str) -> tuple[str, bool]:
        special = _special_places(skeleton)
        shown, at = [], 0
        for text, part in self._parts:
            shown.append(text if part == _QUOTED else _mark_at(text, at, special))
            at += len(part)
        return "".join(shown), self._exact and not special


def _special_places(skeleton: str) -> set[int]:
    """Where a pattern or a tilde stands; a bracket is one only where another closes it."""
    last = skeleton.rfind("]")
    found = (match.start() for match in _SPECIAL.finditer(skeleton))
    return {place for place in found if skeleton[place] != "[" or place < last}


def _may_expand_braces(skeleton: str) -> bool:
    between = skeleton[skeleton.find("{") : skeleton.rfind("}") + 1] if "{" in skeleton else ""
    return "," in between or ".." in between


def _mark_at(text: str, start: int, special: set[int]) -> str:
    return "".join(_marked(char) if start + n in special else char for n, char in enumerate(text))


def _marked(source: str) -> str:
    return f"«{source}»"


class WordReader:
    """Reads words from a source, from `position` on."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.position = 0

    def peek(self, length: int = 1) -> str:
        """Return the next characters, fewer at the end."""
        return self.source[self.position : self.position + length]

    def take(self, length: int = 1) -> str:
        """Return the next characters and go past them."""
        taken = self.peek(length)
        self.position += length
        return taken

    def take_run(self, pattern: re.Pattern[str]) -> str:
        """Return the characters that match `pattern` here and go past them."""
        match = pattern.match(self.source, self.position)
        return self.take(len(match[0])) if match else ""

    def read_word(self) -> Word:
        """Read up to the next unquoted metacharacter. Raises NeverRunsError for a quote that stays open."""
        pieces = _Pieces()
        while self.peek() and self.peek() not in _METACHARACTERS:
            self._read_piece(pieces)
        return pieces.word()

    def _read_piece(self, pieces: _Pieces) -> None:
        match self.take():
            case "'":
                pieces.quoted(self._until("'"))
            case '"':
                self._read_double_quoted(pieces)
            case "\\":
                self._read_escaped(pieces)
            case "`":
                pieces.unknown(self._backquoted())
            case "$":
                self._read_dollar(pieces, quoted=False)
            case character:
                pieces.plain(character + self.take_run(_ORDINARY))

    def _read_escaped(self, pieces: _Pieces) -> None:
        escaped = self.take()
        if not escaped:
            # bash 5.2 keeps it, but not after a quoted line continuation.
            raise UnknownError("a backslash at the end")
        if escaped != "\n":
            pieces.quoted(escaped)

    def _read_double_quoted(self, pieces: _Pieces) -> None:
        pieces.quoted("")
        while (character := self._take_or_fail('"')) != '"':
            if character == "\\":
                self._read_escaped_in_double_quotes(pieces)
            elif character == "`":
                pieces.unknown(self._backquoted())
            elif character == "$":
                self._read_dollar(pieces, quoted=True)
            else:
                pieces.quoted(character + self.take_run(_ORDINARY_IN_DOUBLE_QUOTES))

    def _read_escaped_in_double_quotes(self, pieces: _Pieces) -> None:
        escaped = self._take_or_fail('"')
        if escaped in _MARKS_OF_BASH:
            raise UnknownError("a backslash before a byte that bash 5.2 uses as a mark of its own")
        if escaped in '\\"$`':
            pieces.quoted(escaped)
        elif escaped != "\n":
            pieces.quoted(f"\\{escaped}")

    def _read_dollar(self, pieces: _Pieces, *, quoted: bool) -> None:
        following = self.peek()
        if following == "'" and not quoted:
            pieces.unknown(f"${self.take()}{self._ansi_quoted()}")
        elif following == '"' and not quoted:
            self.take()
            self._read_double_quoted(pieces)
        elif following == "(":
            pieces.unknown(self._substitution())
        elif following == "[":
            raise UnknownError("$[ begins an arithmetic expansion")
        elif following == "{":
            self._read_braced(pieces, quoted=quoted)
        else:
            self._read_variable(pieces, quoted=quoted)

    def _read_variable(self, pieces: _Pieces, *, quoted: bool) -> None:
        name = self.take_run(_SIMPLE)
        if self.source.startswith("\\\n", self.position):
            raise UnknownError("a line continuation within an expansion")
        if name:
            _expand(name, f"${name}", pieces, quoted=quoted)
        else:
            (pieces.quoted if quoted else pieces.plain)("$")

    def _read_braced(self, pieces: _Pieces, *, quoted: bool) -> None:
        self.take()
        content = self._until("}")
        if re.search(r"[\\'\"`${\n]", content.removeprefix("$")):
            raise UnknownError("quotes or expansions within ${ }")
        if _BRACED.fullmatch(content):
            _expand(content, f"${{{content}}}", pieces, quoted=quoted)
        elif _OPERATION.match(content):
            pieces.unknown(f"${{{content}}}")
        else:
            raise UnknownError(f"${{{content}}}")

    def _substitution(self) -> str:
        start = self.position - 1
        try:
            self._skip_substitution()
        except NeverRunsError:
            self._refuse_to_follow(self.source[start:])
            raise
        self._refuse_to_follow(self.source[start : self.position])
        return self.source[start : self.position]

    def _skip_substitution(self) -> None:
        self.take()
        depth = 1
        while depth:
            depth += self._step_in_substitution()

    def _refuse_to_follow(self, inside: str) -> None:
        if _NOT_FOLLOWED.search(inside):
            raise UnknownError("a substitution that only bash's own grammar can follow")

    def _step_in_substitution(self) -> int:
        match self._take_or_fail("$("):
            case "(":
                return 1
            case ")":
                return -1
            case "\\":
                self.take()
            case "'":
                self._until("'")
            case '"':
                self._read_double_quoted(_Pieces())
        return 0

    def _backquoted(self) -> str:
        return f"`{self._until_unescaped('`')}`"

    def _ansi_quoted(self) -> str:
        return f"{self._until_unescaped(chr(39))}'"

    def _until_unescaped(self, end: str) -> str:
        start = self.position
        while (character := self._take_or_fail(end)) != end:
            if character == "\\":
                self.take()
        return self.source[start : self.position - 1]

    def _until(self, end: str) -> str:
        found = self.source.find(end, self.position)
        if found < 0:
            raise NeverRunsError(_never_closed(end))
        return self.take(found + 1 - self.position)[:-1]

    def _take_or_fail(self, opened: str) -> str:
        if self.position >= len(self.source):
            raise NeverRunsError(_never_closed(opened))
        return self.take()


def _never_closed(opened: str) -> str:
    return f"{opened} is never closed"


def _expand(name: str, source: str, pieces: _Pieces, *, quoted: bool) -> None:
    if name == "@" and quoted:
        pieces.quoted_arguments()
    value = known_value(name)
    if value is None:
        pieces.unknown(source)
    elif quoted:
        pieces.quoted(value) if name != "@" else pieces.expanded(value)
    else:
        pieces.expanded(value)

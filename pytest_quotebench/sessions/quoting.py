"""Words of a command as they stand in its source: where quotes, expansions and substitutions end."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Self

WORD_ENDS = frozenset(" \t\n|&;()<>")


class UnfinishedError(Exception):
    """A quote, a substitution, a group or a heredoc is never closed, or one is closed that was not open."""


@dataclass(slots=True)
class Statement:
    """One statement of the outermost level, with what stands on its last line behind it."""

    start: int
    end: int
    """Behind its last word or operator, and behind the body of a heredoc whose delimiter is its last word."""


@dataclass(slots=True)
class Structure:
    """What a command consists of."""

    statements: list[Statement] = field(default_factory=list)
    """Those that line breaks separate; what `;`, `&` and the like join is one."""
    features: set[str] = field(default_factory=set)
    """`quoted heredoc`, `case`, `select`, `time`, `coproc`, `[[`, `$((`, `$[`, `for ((`, `x(`, `;;`, `$(&`
    (a list of `&&`, `||` or `&` in a substitution), also where they stand in a substitution, but not in `${}`."""
    literal: list[tuple[int, int]] = field(default_factory=list)
    """Quoted strings, substitutions, heredoc bodies and comments of the outermost level."""


class WordSkipper:
    """Steps over the words of a source, from `position` on. All of it raises UnfinishedError."""

    def __init__(self, source: str, position: int) -> None:
        self.source = source
        self.position = position
        self.found = Structure()

    def read_until_end(self, closing: str) -> None:
        """Read to the end of the source, or past the unmatched `closing`."""
        raise NotImplementedError

    def at(self, text: str) -> bool:
        """Tell whether `text` stands here."""
        return self.source.startswith(text, self.position)

    def skip_literal(self, end: int) -> None:
        """Go to `end`; what lies between is literal."""
        self.found.literal.append((self.position, end))
        self.position = end

    def skip_word(self) -> None:
        """Go to the end of the word that begins here."""
        while self.position < len(self.source):
            character = self.source[self.position]
            if self.at("<(") or self.at(">("):
                self._substitution(2)
            elif character in WORD_ENDS:
                return
            else:
                self._skip_piece(character)

    def _skip_piece(self, character: str) -> None:
        if character == "\\":
            self._escaped()
        elif character == "'":
            self.skip_literal(self._find("'", self.position + 1) + 1)
        elif character == '"':
            self.skip_literal(self._double_quoted_end(self.position + 1))
        elif character == "`":
            self._backquoted()
        elif character == "$":
            self.skip_dollar()
        else:
            self.position += 1

    def _backquoted(self) -> None:
        start = self.position + 1
        self.skip_literal(self._until_unescaped("`", start))
        inner = type(self)(self.source[start : self.position - 1].replace("\\`", "`"), 0)
        inner.read_until_end("")
        self.found.features |= inner.found.features

    def _escaped(self) -> None:
        if self.position + 1 == len(self.source):
            raise UnfinishedError
        self.position += 2

    def skip_dollar(self) -> None:
        """Go to the end of what begins with the dollar here."""
        if self.at("$'"):
            self.skip_literal(self._until_unescaped("'", self.position + 2))
        elif self.at("$(("):
            self._arithmetic()
        elif self.at("$("):
            start = self.position
            self._substitution(2)
            self.found.literal.append((start, self.position))
        elif self.at("${"):
            features = set(self.found.features)
            self.skip_literal(self.matching(self.position + 2, "{", "}"))
            self.found.features = features
        elif self.at("$["):
            self.found.features.add("$[")
            self.skip_literal(self.matching(self.position + 2, "[", "]"))
        else:
            self.position += 1

    def _arithmetic(self) -> None:
        end = self.matching(self.position + 3, "(", ")")
        if self.source.startswith(")", end):
            self.found.features.add("$((")
            self.skip_literal(end + 1)
        else:
            self._substitution(2)  # a subshell right within a command substitution

    def _another(self, position: int) -> Self:
        return type(self)(self.source, position)

    def _substitution(self, opening: int) -> None:
        inner = self._another(self.position + opening)
        inner.read_until_end(")")
        self.found.features |= inner.found.features
        self.position = inner.position

    def _find(self, text: str, start: int) -> int:
        found = self.source.find(text, start)
        if found < 0:
            raise UnfinishedError
        return found

    def _until_unescaped(self, closing: str, start: int) -> int:
        position = start
        while position < len(self.source):
            if self.source[position] == closing:
                return position + 1
            position += 2 if self.source[position] == "\\" else 1
        raise UnfinishedError

    def _double_quoted_end(self, start: int) -> int:
        position = start
        while position < len(self.source):
            if self.source[position] == '"':
                return position + 1
            position = self._past_piece(position, in_double_quotes=True)
        raise UnfinishedError

    def matching(self, start: int, opening: str, closing: str) -> int:
        """Return the position behind the `closing` that matches; quotes and substitutions are stepped over."""
        position, depth = start, 1
        while position < len(self.source):
            character = self.source[position]
            if character in (opening, closing):
                depth += 1 if character == opening else -1
                if depth == 0:
                    return position + 1
            position = self._past_piece(position, in_double_quotes=False)
        raise UnfinishedError

    def _past_piece(self, position: int, *, in_double_quotes: bool) -> int:
        """Return the position behind one character, or behind what begins with it."""
        character = self.source[position]
        if character == "\\":
            return position + 2
        if character == "`":
            return self._until_unescaped("`", position + 1)
        if character == '"' and not in_double_quotes:
            return self._double_quoted_end(position + 1)
        if character == "'" and not in_double_quotes:
            return self._find("'", position + 1) + 1
        if character == "$" and self.source[position + 1 : position + 2] in ("(", "{"):
            return self._pastskip_dollar(position)
        return position + 1

    def _pastskip_dollar(self, position: int) -> int:
        inner = self._another(position)
        inner.skip_dollar()
        self.found.features |= inner.found.features
        return inner.position

"""Where the statements of a command begin and end, as carriers find out that split or refuse what has several.

A reader of bash's grammar that looks for line breaks between statements and for what the carriers' own parsers
treat in their own way. It takes a command that bash accepts; of one that bash refuses it only says so.
"""

from __future__ import annotations

from pytest_quotebench.sessions.quoting import WORD_ENDS, Statement, Structure, UnfinishedError, WordSkipper

_OPENING = {"if": "fi", "while": "done", "until": "done", "for": "done", "select": "done", "case": "esac"}
_CLOSING = frozenset({"fi", "done", "esac", "}"})
_GOES_ON = frozenset({"then", "do", "else", "elif", "!", "time", "coproc"})
_OPERATORS = ("&&", "||", ";;&", ";;", ";&", "|&", "&>>", "&>", "<<<", "<<-", "<<", ">>", "<&", ">&", ">|", "<>")
_JOINING = frozenset({"&&", "||", "|", "|&"})
_SEPARATING = frozenset({";", "&", ";;", ";&", ";;&", "&&", "||", "|", "|&"})


def structure(command: str) -> Structure:
    """Return what `command` consists of. Raises UnfinishedError, also where it is nested too deep to be read."""
    reader = _Reader(command, 0)
    try:
        reader.read_until_end("")
    except RecursionError:
        raise UnfinishedError from None
    return reader.found


class _Reader(WordSkipper):
    def __init__(self, source: str, position: int) -> None:
        super().__init__(source, position)
        self._open: list[str] = []
        self._pending: list[tuple[str, bool]] = []
        self._begun: int | None = None
        self._last_end = position
        self._last = "\n"
        self._heredoc_is_last = False
        self._in_substitution = False

    def read_until_end(self, closing: str) -> None:
        """Read to the end of the source, or past the unmatched `closing`."""
        self._in_substitution = bool(closing)
        while self.position < len(self.source):
            if closing and not self._open and self.at(closing):
                self.position += len(closing)
                return
            self._step()
        self._line_break()
        if closing or self._open or self._pending:
            raise UnfinishedError

    def _step(self) -> None:
        character = self.source[self.position]
        if character == "\n":
            self.position += 1
            self._line_break()
        elif character in " \t":
            self.position += 1
        elif self.at("\\\n"):
            self.position += 2
        elif character == "#":
            self.skip_literal(self._line_end())
        elif character in WORD_ENDS and not self.at("<(") and not self.at(">("):
            self._operator()
        else:
            self._word()

    def _line_end(self) -> int:
        end = self.source.find("\n", self.position)
        return len(self.source) if end < 0 else end

    def _token(self, text: str, end: int, *, is_heredoc: bool = False) -> None:
        if self._begun is None:
            self._begun = self.position
        self._last, self._last_end, self._heredoc_is_last = text, end, is_heredoc
        self.position = end

    def _line_break(self) -> None:
        owner = self._heredoc_is_last and len(self._pending) == 1
        body_end = self._skip_heredocs()
        if self._open and self._last not in _JOINING:
            self._last = "\n"
        if self._begun is None or self._open or self._last in _JOINING:
            return
        self.found.statements.append(Statement(self._begun, body_end if owner and body_end else self._last_end))
        self._begun, self._last = None, "\n"

    def _skip_heredocs(self) -> int | None:
        end = None
        for delimiter, strips_tabs in self._pending:
            end = self._skip_heredoc(delimiter, strips_tabs=strips_tabs)
        self._pending.clear()
        return end

    def _skip_heredoc(self, delimiter: str, *, strips_tabs: bool) -> int:
        start = self.position
        while self.position < len(self.source):
            line_end = self._line_end()
            line = self.source[self.position : line_end]
            if (line.lstrip("\t") if strips_tabs else line) == delimiter:
                self.found.literal.append((start, line_end))
                self.position = min(line_end + 1, len(self.source))
                return line_end
            self.position = line_end + 1
        raise UnfinishedError

    def _operator(self) -> None:
        operator = next((found for found in _OPERATORS if self.at(found)), self.source[self.position])
        if operator in ("<<", "<<-"):
            self._heredoc(operator)
            return
        if operator == "(":
            self._open_parenthesis()
            return
        if operator == ")":
            self._close_parenthesis()
            return
        if operator in (";;", ";&", ";;&"):
            self.found.features.add(";;")
        if operator in ("&&", "||", "&") and self._in_substitution and not self._open:
            self.found.features.add("$(&")
        self._token(operator, self.position + len(operator))

    def _open_parenthesis(self) -> None:
        if self.at("((") and self._begins_command():
            self._arithmetic_command()
            return
        if self._last_end == self.position and self._last not in _SEPARATING and self._last not in ("\n", "("):
            if self.source[self.position : self.position + 2] == "()":  # the definition of a function
                self._token("()", self.position + 2)
                return
            self.found.features.add("x(")
        self._open.append(")")
        self._token("(", self.position + 1)

    def _arithmetic_command(self) -> None:
        if self._last == "for":
            self.found.features.add("for ((")
        end = self.matching(self.position + 2, "(", ")")
        if not self.source.startswith(")", end):
            raise UnfinishedError
        self._token("))", end + 1)

    def _close_parenthesis(self) -> None:
        if self._open and self._open[-1] == ")":
            self._open.pop()
        elif "esac" not in self._open:
            raise UnfinishedError
        self._token(")" if self._open and self._open[-1] == "esac" else "closed", self.position + 1)

    def _heredoc(self, operator: str) -> None:
        self._token(operator, self.position + len(operator))
        while self.position < len(self.source) and self.source[self.position] in " \t":
            self.position += 1
        start = self.position
        self.skip_word()
        word = self.source[start : self.position]
        delimiter = "".join(character for character in word if character not in "'\"\\")
        if delimiter != word:
            self.found.features.add("quoted heredoc")
        end, self.position = self.position, start
        self._token(word, end, is_heredoc=True)
        self._pending.append((delimiter, operator == "<<-"))

    def _begins_command(self) -> bool:
        last = self._last
        starts = last in _SEPARATING or last in _GOES_ON or last in _OPENING or last in ("\n", "{", "(", ")", "()")
        return self._begun is None or starts or (bool(self._open) and last == "\n")

    def _word(self) -> None:
        start, is_first = self.position, self._begins_command()
        self.skip_word()
        word = self.source[start : self.position]
        end, self.position = self.position, start
        if is_first and self._reserved(word):
            end = self.position if self.position > start else end
            self.position = start
        if self._last == "function":
            word = "()"
        self._token(word if is_first or word in ("in", "do", "()") else "word", end)

    def _reserved(self, word: str) -> bool:
        if word in ("case", "select", "time", "coproc", "[["):
            self.found.features.add(word)
        if word == "[[":
            self._skip_condition()
            return True
        if word in _OPENING:
            self._open.append(_OPENING[word])
        elif word == "{":
            self._open.append("}")
        elif word in _CLOSING and (not self._open or self._open.pop() != word):
            raise UnfinishedError
        return False

    def _skip_condition(self) -> None:
        self.position += 2
        while not self.at("]]"):
            if self.position >= len(self.source):
                raise UnfinishedError
            if self.source[self.position] in WORD_ENDS:
                self.position += 1
            else:
                self.skip_word()
        self.position += 2

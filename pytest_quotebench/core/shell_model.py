"""What bash makes of a line such as `bash -c "R"` in which R was pasted unescaped.

The model claims only what it knows: quoting, words, the expansions of the fixed environment, lists and
pipelines of simple commands. Everything else in bash's grammar makes it say that it does not know.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from pytest_quotebench.core.shell_words import NeverRunsError, UnknownError, Word, WordReader

_OPERATORS = (
    *("&>>", "<<-", "<<<", "&&", "||", ";;", ";&", "|&", ">>", "<<", ">&", "<&", ">|", "<>", "&>"),
    *("(", ")", ";", "|", "&", "<", ">", "\n"),
)
_REDIRECTIONS = frozenset({"&>>", "<<<", ">>", ">&", "<&", ">|", "<>", "&>", "<", ">"})
_JOINING = frozenset({"&&", "||", "|", "|&"})
_WORD = "word"
_DIGITS = 4
_BLANKS_AND_COMMENT = re.compile(r"(?:[ \t]|\\\n)*(?:#[^\n]*)?")
_RESERVED = frozenset(
    {
        *("!", "[[", "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for", "function", "if", "in"),
        *("select", "then", "time", "until", "while", "{", "}", "]]"),
    }
)
_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:\[.*)?\+?=", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Parsed:
    """What the first simple command of a source becomes."""

    words: tuple[str, ...] | None
    """Its arguments, name included, after expansion and quote removal; None where `reason` says why not.

    That they arrive supposes that the command's redirections can be opened.
    """
    rest: str = ""
    """The source from the first redirection, operator or line break after the command: what the same shell
    does itself with text that was meant for another."""
    exact: bool = True
    """Whether this is known. If not, parts of words between « and » stand for what the model cannot know."""
    reason: str = ""

    @property
    def never_runs(self) -> bool:
        """Whether bash is known to refuse the source before it runs anything."""
        return self.words is None and self.exact


def parse_first_command(source: str) -> Parsed:
    """Return what `bash -c SOURCE` makes of the first simple command in `source`. Never raises."""
    try:
        return _Line(source).parse()
    except NeverRunsError as error:
        return Parsed(None, reason=str(error))
    except UnknownError as error:
        return Parsed(None, exact=False, reason=str(error))
    except RecursionError:
        return Parsed(None, exact=False, reason="nested too deeply")


class _Line:
    """The commands up to the line break that ends one: bash reads them all before it runs the first."""

    def __init__(self, source: str) -> None:
        if "\0" in source:
            raise UnknownError("a NUL character")
        self._source = source
        self._reader = WordReader(source)
        self._rest_from = len(source)

    def parse(self) -> Parsed:
        first = self._read_command(first=True)
        self._note_rest(self._reader.position)
        self._read_other_commands()
        words = tuple(word.text for word in first if word.text is not None)
        rest = self._source[self._rest_from :]
        return Parsed(words, rest if rest.strip() else "", all(word.exact for word in first))

    def _read_other_commands(self) -> None:
        while (operator := self._take_operator()) not in ("\n", ""):
            if operator in _JOINING:
                self._skip_line_breaks()
            elif self._operator() in ("\n", ""):
                return
            self._read_command(first=False)

    def _read_command(self, *, first: bool) -> list[Word]:
        words: list[Word] = []
        redirected = False
        while (operator := self._operator()) in _REDIRECTIONS or operator == _WORD:
            if operator == _WORD:
                self._read_word_into(words, first=first)
            else:
                self._read_redirection()
                redirected = True
        self._check_end(operator, words)
        if not words and not redirected:
            raise UnknownError("no command") if first else NeverRunsError("a command is missing")
        return words

    def _read_word_into(self, words: list[Word], *, first: bool) -> None:
        start = self._reader.position
        word = self._reader.read_word()
        if self._numbers_a_redirection(start, word):
            self._note_rest(start)
            return
        if not words:
            _check_first_word(word.skeleton, first=first)
        words.append(word)

    def _read_redirection(self) -> None:
        self._note_rest(self._reader.position)
        self._take_operator()
        if self._operator() != _WORD:
            raise NeverRunsError("a redirection has no target")
        start = self._reader.position
        if self._numbers_a_redirection(start, self._reader.read_word()):
            raise UnknownError("a number between two redirections")

    def _numbers_a_redirection(self, start: int, word: Word) -> bool:
        if self._reader.peek() not in ("<", ">"):
            return False
        if word.skeleton.startswith("{"):
            raise UnknownError("a redirection to a variable")
        if not word.skeleton.isdecimal() or not word.skeleton.isascii():
            return False
        if self._source[start : self._reader.position] != word.skeleton or len(word.skeleton) > _DIGITS:
            raise UnknownError("an unusual number before a redirection")
        return True

    def _check_end(self, operator: str, words: list[Word]) -> None:
        if operator in ("<<", "<<-"):
            raise UnknownError("a here-document")
        if operator == "(" and not self._is_misplaced(words):
            raise UnknownError("a subshell, a function or an array")
        if operator in ("(", ")", ";;", ";&"):
            raise NeverRunsError(f"an unquoted {operator} cannot stand here")

    def _is_misplaced(self, words: list[Word]) -> bool:
        """Whether a parenthesis after these words is a syntax error for certain."""
        return len(words) > 1 and not _ASSIGNMENT.match(words[-1].skeleton)

    def _operator(self) -> str:
        """Return the operator that comes next, `_WORD` where a word does, or nothing at the end."""
        self._reader.take_run(_BLANKS_AND_COMMENT)
        start = self._reader.position
        operator = next((known for known in _OPERATORS if self._source.startswith(known, start)), "")
        if not operator:
            return _WORD if start < len(self._source) else ""
        after = start + len(operator)
        if operator != "\n" and self._source.startswith("\\\n", after):
            raise UnknownError("a line continuation after an operator")
        if operator[-1] in "<>" and self._source.startswith("(", after):
            raise UnknownError("a process substitution")
        return operator

    def _take_operator(self) -> str:
        operator = self._operator()
        self._reader.take(len(operator))
        return operator

    def _skip_line_breaks(self) -> None:
        while self._operator() == "\n":
            self._reader.take()

    def _note_rest(self, position: int) -> None:
        self._rest_from = min(self._rest_from, position)


def _check_first_word(skeleton: str, *, first: bool) -> None:
    if skeleton in _RESERVED:
        raise UnknownError(f"the reserved word {skeleton}")
    if first and _ASSIGNMENT.match(skeleton):
        raise UnknownError("an assignment before the command")

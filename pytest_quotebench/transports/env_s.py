r"""`env-s`: `env -S COMMAND`, as in a `#!` line: env's own little language to words, then a process, no shell.

Real: env(1) of GNU coreutils 9.1 (`-S` is there since 8.30, not in busybox) and the process. Quotes group, `\_`
`\c` `\f` `\n` `\r` `\t` `\v` `\#` `\$` `\"` `\'` `\\` are escapes, `${NAME}` is a variable, a `#` where a word
begins ends the text; any other `$` or backslash is an error (status 125). The words are options and assignments
of env first (`-n`, `a=b`). End event: the process's exit; a program that is not there is status 127.
"""

from __future__ import annotations

import re

from pytest_quotebench.core.command_line import argument
from pytest_quotebench.core.execution import Invocation
from pytest_quotebench.core.layers import NOT_OBSERVABLE, Layer
from pytest_quotebench.core.spawning import never_started, word_layers
from pytest_quotebench.transports import Transport

_SPACE = " \t\n\v\f\r"
_ESCAPES = {"f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", **{each: each for each in "\"#$'\\"}}
_VARIABLE = re.compile(r"\$\{[A-Za-z_][A-Za-z0-9_]*\}")


class _EnvS:
    needs = ("env",)

    def plan(self, command: str) -> Invocation:
        return Invocation(argv=(b"env", b"-S", argument(command)))

    def layers(self, command: str) -> tuple[Layer, ...]:
        return Layer("env -S", command), *_received(command)

    def matched(self, command: str) -> str:
        if "\0" in command:
            raise ValueError("an argument cannot hold a NUL character")
        escaped = re.sub(r"['\\]", r"\\\g<0>", command)
        return f"bash -c '{escaped}'"


class NotModelledError(Exception):
    """The text has a variable in it, whose value only the process knows."""


def _received(command: str) -> tuple[Layer, ...]:
    try:
        words = split_words(command)
    except ValueError as error:
        return (never_started("execvp", error),)
    except NotModelledError:
        return (Layer("execvp", NOT_OBSERVABLE),)
    if words and words[0].startswith("-"):
        return (Layer("env, as its options", NOT_OBSERVABLE),)
    while words and "=" in words[0]:
        words = words[1:]
    return word_layers("execvp", words) if words else (never_started("execvp", "env prints its environment"),)


def split_words(text: str) -> tuple[str, ...]:
    """Return the words that `env -S` makes of `text`.

    Raises ValueError where env refuses the text, NotModelledError for a variable.
    """
    return _Splitting(text).words()


class _Splitting:
    """The loop of coreutils' `build_argv`, by its names."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._position = 0
        self._words: list[list[str]] = []
        self._separated = True
        self._quote = ""

    def words(self) -> tuple[str, ...]:
        while self._position < len(self._text):
            if not self._step(self._take()):
                return self._found()
        if self._quote:
            raise ValueError("no terminating quote in -S string")
        return self._found()

    def _found(self) -> tuple[str, ...]:
        return tuple("".join(word) for word in self._words)

    def _take(self) -> str:
        self._position += 1
        return self._text[self._position - 1]

    def _next(self) -> str:
        return self._text[self._position : self._position + 1]

    def _step(self, character: str) -> bool:
        """Act on one character; return whether the text goes on."""
        if character in "'\"" and self._quote in ("", character):
            self._quote = "" if self._quote else character
            self._append("")
        elif character in _SPACE and not self._quote:
            self._separated = True
        elif character == "#" and self._separated:
            return False
        elif character == "\\" and not (self._quote == "'" and self._next() not in ("\\", "'")):
            return self._escape()
        elif character == "$" and self._quote != "'":
            self._refuse_variable()
        else:
            self._append(character)
        return True

    def _append(self, text: str) -> None:
        if self._separated:
            self._words.append([])
            self._separated = False
        self._words[-1].append(text)

    def _escape(self) -> bool:
        if self._position == len(self._text):
            raise ValueError("invalid backslash at end of string in -S")
        escaped = self._take()
        if escaped == "c":
            if self._quote:
                raise ValueError("'\\c' must not appear in double-quoted -S string")
            return False
        if escaped == "_" and not self._quote:
            self._separated = True
        elif escaped == "_":
            self._append(" ")
        elif escaped in _ESCAPES:
            self._append(_ESCAPES[escaped])
        else:
            raise ValueError(f"invalid sequence '\\{escaped}' in -S")
        return True

    def _refuse_variable(self) -> None:
        if _VARIABLE.match(self._text, self._position - 1):
            raise NotModelledError
        raise ValueError("only ${VARNAME} expansion is supported")


TRANSPORT: Transport = _EnvS()

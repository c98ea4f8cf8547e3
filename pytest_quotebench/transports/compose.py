r"""`compose`: `command:` of a Compose file: variables, then a word splitter, then a process without a shell.

Source: compose-go v2 (template, in `core.compose_template`) and mattn/go-shellwords 1.0.12, checked against
Docker Compose 2.40.3. Emulated: the interpolation with no variable set on the host (each is replaced by nothing,
with a warning), and the splitter, which ends without a word at an unquoted `;`, `&`, `|`, `<` or `>`: what
follows is lost; a backslash escapes everywhere but in single quotes, and `$( )` is kept as text.
Real: the process. Not emulated: the YAML scalar, and the image's entrypoint (there is none).
`unparseable`: `${` without a name, open quotes, a parenthesis. `refused`: no words are left.
End event: the process's exit; a program that is not there is status 127.
"""

from __future__ import annotations

from pytest_quotebench.core.command_line import argument
from pytest_quotebench.core.compose_template import interpolated
from pytest_quotebench.core.errors import TransportError
from pytest_quotebench.core.execution import Invocation
from pytest_quotebench.core.layers import Layer
from pytest_quotebench.core.spawning import bash_word, never_started, spawned, word_layers
from pytest_quotebench.transports import Transport

_SPACE = " \t\r\n"
_OPERATORS = ";&|<>"


class _Compose:
    needs = ("nice",)

    def plan(self, command: str) -> Invocation:
        return spawned(read_words(command))

    def layers(self, command: str) -> tuple[Layer, ...]:
        layers = [Layer("Compose interpolation", command)]
        try:
            layers.append(Layer("shellwords", _interpolated(command)))
            layers.extend(word_layers("execvp", read_words(command)))
        except (TransportError, ValueError) as error:
            layers.append(never_started("execvp", error))
        return tuple(layers)

    def matched(self, command: str) -> str:
        return bash_word(command).replace("$", "$$")


def _interpolated(command: str) -> str:
    argument(command.replace("\0", ""))  # what no process takes is not worth the time that nested braces cost
    return interpolated(command)


def read_words(command: str) -> tuple[str, ...]:
    """Return the words of `command:`. Raises TransportError: `unparseable`, `refused`, or as `argument` does."""
    try:
        words = shellwords(_interpolated(command))
    except ValueError as error:
        raise TransportError("unparseable", f"Compose: {error}") from None
    if not words:
        raise TransportError("refused", "no words are left for the command")
    return words


def shellwords(line: str) -> tuple[str, ...]:
    """Return the words of `line` as go-shellwords' Parse does. Raises ValueError as it returns an error."""
    splitter = _Splitter()
    for character in line:
        if not splitter.take(character):
            break
    return splitter.words()


class _Splitter:
    """The state of the original's loop, by its names."""

    def __init__(self) -> None:
        self._words: list[str] = []
        self._buffer: list[str] = []
        self._got = False
        self._escaped = False
        self._quote = ""
        self._back_quote = False
        self._dollar_quote = False

    def take(self, character: str) -> bool:
        """Take one character; return whether the line goes on."""
        if self._escaped:
            self._escaped = False
            self._append(character)
        elif character == "\\" and self._quote != "'":
            self._escaped = True
        elif character in _SPACE and not self._is_quoted():
            self._end_word()
        elif character in _OPERATORS and not self._is_quoted():
            self._drop_descriptor(character)
            return False
        elif not self._is_quote(character):
            self._append(character)
        return True

    def words(self) -> tuple[str, ...]:
        """Return the words, or raise ValueError where something is still open."""
        if self._escaped or self._is_quoted():
            raise ValueError("invalid command line string")
        self._end_word()
        return tuple(self._words)

    def _is_quoted(self) -> bool:
        return bool(self._quote) or self._back_quote or self._dollar_quote

    def _append(self, character: str) -> None:
        self._got = True
        self._buffer.append(character)

    def _end_word(self) -> None:
        if self._got:
            self._words.append("".join(self._buffer))
            self._buffer.clear()
            self._got = False

    def _drop_descriptor(self, character: str) -> None:
        if character == ">" and self._buffer and self._buffer[0] in "0123456789":
            self._got = False

    def _is_quote(self, character: str) -> bool:
        """Tell whether this is a quotation mark that is dropped; note parentheses and backquotes, which stay."""
        if character in "'\"" and not self._dollar_quote and self._quote in ("", character):
            self._got = self._got or bool(self._quote)
            self._quote = "" if self._quote else character
            return True
        if not self._quote:
            self._note_substitution(character)
        return False

    def _note_substitution(self, character: str) -> None:
        if character == "`" and not self._dollar_quote:
            self._back_quote = not self._back_quote
        elif character == ")" and not self._back_quote:
            self._dollar_quote = not self._dollar_quote
        elif character == "(" and not self._back_quote:
            if self._dollar_quote or self._buffer[-1:] != ["$"]:
                raise ValueError("invalid command line string")
            self._dollar_quote = True


TRANSPORT: Transport = _Compose()

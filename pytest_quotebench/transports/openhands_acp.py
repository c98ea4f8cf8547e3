r"""`openhands-acp`: OpenHands' tokeniser for agent launch commands: words to a process, without a shell.

Source: OpenHands/OpenHands at b7f9e64f, src/utils/acp-command.ts (`parseCommand`). Emulated: the tokeniser: space,
tab, line feed and carriage return separate; `'...'` is literal; in `"..."` only `\"` and `\\` are escapes;
elsewhere a backslash takes the next character as it is, a line break too; an open quote ends with the text, a
lone backslash at the end stays; all else is literal. Real: the process. In OpenHands no model's text takes this
path: a user types the command into the settings; it stands here for "an argument list from a tokeniser".
`refused`: no words. A program that is not there is status 127. End event: the process's exit.
"""

from __future__ import annotations

import re

from pytest_quotebench.core.execution import Invocation
from pytest_quotebench.core.layers import Layer
from pytest_quotebench.core.spawning import bash_word, never_started, spawned, word_layers
from pytest_quotebench.transports import Transport

_DOUBLE = r'"(?:[^"\\]++|\\.|\\\Z)*+(?:"|\Z)'
_WORD = re.compile(rf"""(?:[^ \t\n\r'"\\]++|\\.|\\\Z|'[^']*+(?:'|\Z)|{_DOUBLE})++""", re.DOTALL)
_PIECE = re.compile(
    rf"""'(?P<single>[^']*+)(?:'|\Z)|(?P<double>{_DOUBLE})|\\(?P<escaped>.)|(?P<plain>[^'"\\]++|\\\Z)""", re.DOTALL
)


class _OpenhandsAcp:
    needs = ("nice",)

    def plan(self, command: str) -> Invocation:
        return spawned(parse_command(command))

    def layers(self, command: str) -> tuple[Layer, ...]:
        words = parse_command(command)
        if not words:
            return Layer("parseCommand", command), never_started("execvp", "there are no words")
        return Layer("parseCommand", command), *word_layers("execvp", words)

    def matched(self, command: str) -> str:
        return bash_word(command)


def parse_command(text: str) -> tuple[str, ...]:
    """Return the words that the tokeniser makes of `text`. Never raises."""
    return tuple(_word(found[0]) for found in _WORD.finditer(text))


def _word(source: str) -> str:
    return "".join(_unquoted(found) for found in _PIECE.finditer(source))


def _unquoted(piece: re.Match[str]) -> str:
    if piece["double"] is not None:
        return re.sub(r'\\(["\\])|"', r"\1", piece["double"])
    return next(part for part in (piece["single"], piece["escaped"], piece["plain"]) if part is not None)


TRANSPORT: Transport = _OpenhandsAcp()

r"""Python's shell-like word splitting, which several paths use between a command and a process.

Source: shlex.split of Python 3 (POSIX mode, no comments), which takes quadratic time for a long word; this does
not. `'...'` is literal, in `"..."` only `\"` and `\\` are escapes, elsewhere a backslash takes the next character
as it is, a line break too.
"""

from __future__ import annotations

import re

from pytest_quotebench.core.errors import TransportError

_SPACE = re.compile(r"[ \t\r\n]*")
_DOUBLE = r'"(?:[^"\\]++|\\.)*+"'
_WORD = re.compile(rf"""(?:[^ \t\r\n'"\\]++|\\.|'[^']*+'|{_DOUBLE})++""", re.DOTALL)
_PIECE = re.compile(rf"""'([^']*+)'|({_DOUBLE})|\\(.)|([^'"\\]++)""", re.DOTALL)
_IN_DOUBLE = re.compile(r'\\(["\\])|"')


def shlex_words(text: str) -> tuple[str, ...]:
    """Return the words that shlex.split makes of `text`.

    Raises TransportError (`unparseable`) where a quotation is not closed or nothing follows a backslash.
    """
    words: list[str] = []
    position = _after_space(text, 0)
    while position < len(text):
        found = _WORD.match(text, position)
        end = position if found is None else found.end()
        if found is None or (end < len(text) and text[end] not in " \t\r\n"):
            raise TransportError("unparseable", f"shlex: {_reason(text[end:])}")
        words.append("".join(map(_unquoted, _PIECE.finditer(found[0]))))
        position = _after_space(text, end)
    return tuple(words)


def _after_space(text: str, position: int) -> int:
    found = _SPACE.match(text, position)
    return position if found is None else found.end()


def _reason(open_text: str) -> str:
    backslashes = len(open_text) - len(open_text.rstrip("\\"))
    is_escape = backslashes % 2 == 1 and not open_text.startswith("'")
    return "No escaped character" if is_escape else "No closing quotation"


def _unquoted(piece: re.Match[str]) -> str:
    if piece[2] is not None:
        return _IN_DOUBLE.sub(r"\1", piece[2])
    return next(part for part in (piece[1], piece[3], piece[4]) if part is not None)

r"""`$'...'`, the ANSI-C quoting of bash: any text as one word that stands on one line.

Source: bash(1), QUOTING. It is not POSIX 2008: dash takes the dollar for itself.
"""

from __future__ import annotations

import re

_NAMED = {"\\": "\\\\", "'": "\\'", "\n": "\\n", "\t": "\\t", "\r": "\\r"}
_WORD = re.compile(r"\$'((?:[^'\\\n]|\\[\\'ntr]|\\[0-3][0-7]{2})*)'")
_ESCAPE = re.compile(r"\\([\\'ntr]|[0-7]{3})")
_VALUES = {escape[1]: character for character, escape in _NAMED.items()}


def ansi_c_word(text: str, avoid: str = "") -> str:
    r"""Return `text` as one `$'...'` word without control characters and without the ASCII ones in `avoid`.

    Each of these is written as an escape (`\n`, `\044`), so that a parser on the way that acts on them, or on
    lines, sees none. Raises ValueError for NUL, which ends such a word.
    """
    if "\0" in text:
        raise ValueError("a shell word cannot hold a NUL character")
    return f"$'{''.join(_escaped(character, avoid) for character in text)}'"


def ansi_c_text(word: str) -> str | None:
    """Return the text of a word that `ansi_c_word` made; None for any other word."""
    match = _WORD.fullmatch(word)
    return None if match is None else _ESCAPE.sub(lambda found: _value(found[1]), match[1])


def _escaped(character: str, avoid: str) -> str:
    if character in _NAMED:
        return _NAMED[character]
    if character in avoid or character < " " or character == "\x7f":
        return f"\\{ord(character):03o}"
    return character


def _value(escape: str) -> str:
    return _VALUES[escape] if escape in _VALUES else chr(int(escape, 8))

"""The one door for text that comes from outside.

Commands, file names and output are kept as exact bytes, or as `str` that carries undecodable bytes as
surrogates (PEP 383). Before any of it reaches a terminal, XML, JSON or a report it passes `visible`.
"""

from __future__ import annotations

ELLIPSIS = "…"
LINE_BREAK = "⏎"
_NAMED = {"\n": "\\n", "\t": "\\t", "\r": "\\r", "\\": "\\\\"}


def to_bytes(text: str) -> bytes:
    """Return the bytes of `text`; surrogates U+DC80..U+DCFF become the bytes they stand for.

    Raises UnicodeEncodeError for any other surrogate.
    """
    return text.encode("utf-8", "surrogateescape")


def to_text(data: bytes) -> str:
    """Return `data` as text from which `to_bytes` gives the same bytes back."""
    return data.decode("utf-8", "surrogateescape")


def has_surrogate(text: str) -> bool:
    """Tell whether `text` holds a code point that UTF-8 cannot carry."""
    return any("\ud800" <= character <= "\udfff" for character in text)


def visible(value: str | bytes, limit: int = 2000, *, keep: str = "") -> str:
    r"""Return `value` valid in every encoding, with nothing invisible in it, at most about `limit` long.

    Printable characters stay, also beyond ASCII. Every other character is written as an escape (`\n`, `\t`,
    `\x1b`, `\u202e`; a byte that is not UTF-8 as `\xff`), and so is the backslash, so that two different
    values never give the same text; yet a terminal may draw two texts alike, such as `é` and `e` with U+0301.
    Characters in `keep` stay as they are (`keep="\n\\"` for whole messages).
    A longer value is cut and says how much is missing.
    """
    text = to_text(value) if isinstance(value, bytes) else value
    cut = len(text) - limit
    shown = "".join(visible_characters(text[:limit], keep=keep))
    return f"{shown}{ELLIPSIS} ({cut} more characters)" if cut > 0 else shown


def visible_characters(value: str | bytes, *, keep: str = "") -> list[str]:
    """Return how `visible` shows each character of `value`, one string each."""
    text = to_text(value) if isinstance(value, bytes) else value
    return [_shown(character, keep) for character in text]


def visible_command(value: str | bytes, limit: int = 2000) -> str:
    r"""Return a command on one line like `visible`, but with its backslashes as they are and line breaks as ⏎.

    In a command the backslashes are what a reader looks at: `'\''` must not appear doubled.
    """
    return visible(value, limit, keep="\\\n").replace("\n", LINE_BREAK)


def visible_block(value: str | bytes, limit: int = 20_000) -> str:
    """Return `value` like `visible`, but with its line breaks and backslashes kept: for whole messages."""
    return visible(value, limit, keep="\n\\")


def _shown(character: str, keep: str) -> str:
    if character in keep:
        return character
    if character in _NAMED:
        return _NAMED[character]
    if character.isprintable():
        return character
    return _escaped(ord(character))


def _escaped(code: int) -> str:
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"

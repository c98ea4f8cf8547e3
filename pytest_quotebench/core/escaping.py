"""Escapers: each returns source text that one parser turns back into exactly the text it was given.

Text is `str` that may carry bytes which are not UTF-8 as surrogates U+DC80..U+DCFF (`core.text`); these pass
through like any other character. Where a text cannot be carried at all, ValueError says why. All parsers are
meant in the C locale, in which every byte is a character.
"""

from __future__ import annotations

import json
import re

_BARE_WORD = re.compile(r"[A-Za-z0-9_@%+:,./-]+")
_BRE_SPECIAL = re.compile(r"[\\.*\[^$]")
_DELIMITERS = frozenset("/,:;@%#!~=_-")


def shell_word(text: str) -> str:
    """Return `text` as one word of POSIX shell: bare where no character means anything, else in single quotes.

    `=` counts as meaning something, because `a=b` before a command is an assignment. A bare word can still be a
    reserved word where a command begins (`if`), and a leading `-` can still be an option of the command.
    """
    if _BARE_WORD.fullmatch(text):
        return text
    return f"'{inside_single_quotes(text)}'"


def two_layers(text: str) -> str:
    """Return `text` as one word that is `text` again after two shells, one within the other."""
    return shell_word(shell_word(text))


def inside_single_quotes(text: str) -> str:
    r"""Return `text` for a place between single quotes: each `'` ends, stands escaped, opens again."""
    return _without_nul(text, "a shell word").replace("'", "'\\''")


def inside_double_quotes(text: str) -> str:
    r"""Return `text` for a place between double quotes of a non-interactive shell.

    There `\`, `"`, `$` and a backquote are special (POSIX XCU 2.2.3); `!` is only in an interactive bash.
    """
    return re.sub(r'[\\"$`]', r"\\\g<0>", _without_nul(text, "a shell word"))


def sed_pattern(text: str, delimiter: str = "/") -> str:
    r"""Return the basic regular expression of sed's `s` command that matches `text` and nothing else.

    A newline becomes `\n`: it matches only where the pattern space holds more than one line (`N`, or GNU's
    `-z`), for sed reads line by line. Raises ValueError for the empty text, because an empty expression stands
    for the last one used, and for NUL.
    """
    if not text:
        raise ValueError("the empty text has no sed pattern: an empty expression repeats the last one")
    return _for_sed(_BRE_SPECIAL, text, delimiter).replace("\n", "\\n")


def sed_replacement(text: str, delimiter: str = "/") -> str:
    r"""Return `text` for the right side of sed's `s` command; a newline stands after a backslash (POSIX sed)."""
    return _for_sed(re.compile(r"[\\&\n]"), text, delimiter)


def grep_pattern(text: str) -> str:
    """Return the basic regular expression that matches the lines which contain `text`.

    A leading `-` needs `grep -e`. Raises ValueError for a newline, which separates patterns, and for NUL.
    """
    if "\n" in text:
        raise ValueError("a grep pattern cannot hold a newline: it separates patterns, and no line contains one")
    return _BRE_SPECIAL.sub(r"\\\g<0>", _without_nul(text, "a grep pattern"))


def awk_string(text: str) -> str:
    r"""Return `text` for a place between the double quotes of an awk string (or after `-v name=`).

    Uses only escapes that POSIX awk names: `\\`, `\"`, `\n`, `\r`.
    """
    escaped = re.sub(r'[\\"]', r"\\\g<0>", _without_nul(text, "an awk program"))
    return escaped.replace("\n", "\\n").replace("\r", "\\r")


def awk_literal(text: str) -> str:
    """Return `text` as a complete awk string with its quotes."""
    return f'"{awk_string(text)}"'


def json_string(text: str) -> str:
    r"""Return `text` as a complete JSON string in ASCII.

    NUL and every other control character can be carried. A surrogate that stands for a byte is written as its
    escape (`\udcff`): Python's parser gives it back, stricter ones replace or refuse it, as JSON is UTF-8.
    """
    return json.dumps(text, ensure_ascii=True)


def _for_sed(special: re.Pattern[str], text: str, delimiter: str) -> str:
    # A delimiter that is special in an expression or a replacement, or that makes an escape (`\n`), would
    # change meaning when it is escaped: POSIX and the seds differ there (busybox reads `s|a\|b||` as "a or b").
    if delimiter not in _DELIMITERS:
        raise ValueError(f"the delimiter must be one of {''.join(sorted(_DELIMITERS))}, not {delimiter!r}")
    escaped = special.sub(r"\\\g<0>", _without_nul(text, "a sed script"))
    return escaped.replace(delimiter, f"\\{delimiter}")


def _without_nul(text: str, carrier: str) -> str:
    if "\0" in text:
        raise ValueError(f"{carrier} cannot hold a NUL character")
    return text

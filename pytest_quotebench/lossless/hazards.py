r"""Naming: from the smallest command that a path harms to the class of hazard.

The smallest command still holds what it needs to reach the file: quotes, a redirection. Which of its characters
is to blame is found by asking the path again. The same words are quoted in the other ways that a shell knows; if
every way is harmed, the words are to blame, else the quoting is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from pytest_quotebench.core.shell_model import parse_first_command
from pytest_quotebench.core.text import to_bytes, to_text

LINE_BYTES = 4095
"""What a terminal's line discipline keeps of a line in canonical mode, without its end (N_TTY_BUF_SIZE)."""
COMMAND_BYTES = 16 * 1024
"""Where tmux's message to its server ends (MAX_IMSGSIZE, 16,384), and other buffers of the kind."""

TITLES = {
    "plain": "even a plain command",
    "existing-file": "a file that is there already (set -C)",
    "separator": "words are run together or split",
    "single-quote": "single quote (')",
    "double-quote": 'double quote (")',
    "backslash": "backslash (\\)",
    "doubled-backslash": "doubled backslashes (\\\\)",
    "dollar": "dollar sign ($)",
    "backtick": "backtick (`)",
    "newline": "newline",
    "continuation": "line continuation (a backslash before a newline)",
    "trailing-newline": "trailing newline",
    "blank-line": "blank line",
    "exclamation": "exclamation mark (!)",
    "tab": "tab",
    "spaces": "runs of spaces",
    "percent": "percent sign (%)",
    "leading-dash": "leading dash (-)",
    "carriage-return": "carriage return (CR)",
    "crlf": "carriage return before a newline (CRLF)",
    "not-utf-8": "non-UTF-8 bytes",
    "non-ascii": "non-ASCII text",
    "glob": "glob (* ? [)",
    "semicolon": "semicolon (;)",
    "ampersand": "ampersand (&)",
    "pipe": "pipe (|)",
    "redirection": "redirection (< >)",
    "hash": "hash (#)",
    "parenthesis": "parenthesis",
    "brace": "brace ({ })",
    "tilde": "tilde (~)",
    "template": "template expression ({{ }}, ${{ }}, {% %}, #{ })",
    "entity": "character entity (&amp;)",
    "fence": "Markdown fence (```)",
    "escape-sequence": "escape sequence (\\n, \\t, \\x41)",
    "empty-argument": "empty argument",
    "upper-case": "upper-case letters",
    "letters-and-digits": "letters and digits",
    "punctuation": "punctuation",
    "control": "control character",
    "long-line": "long line",
    "long-line-4095": "line over 4,095 bytes",
    "long-command": "long command",
    "long-command-16k": "command over 16 kB",
    "long-word": "long word",
    "many-words": "many words",
    "many-lines": "many lines",
    "heredoc": "here-document",
    "mixed-quotes": "mixed quotes",
    "unset-variable": "unset variable (set -u)",
    "failing-command": "a command after one that fails (set -e)",
    "last-character": "the last character",
    "oracle": "a task's oracle",
}
"""What each class is called in a message."""

_SEQUENCES = (
    ("crlf", r"\r\n"),
    ("continuation", r"\\\n"),
    ("heredoc", r"(?:\A|\n)EOF(?:\n|\Z)"),
    ("blank-line", r"\n\n"),
    ("template", r"\{\{|\}\}|\$\{\{|\{[%#]|[%#]\}|#\{"),
    ("doubled-backslash", r"\\\\"),
    ("entity", r"&(?:amp|lt|gt|quot|#[0-9]+);?"),
    ("fence", "```"),
    ("escape-sequence", r"\\[a-zA-Z0-9]"),
    ("spaces", r"  |\A | \Z"),
)
_CHARACTERS = (
    ("not-utf-8", "[\udc80-\udcff]"),
    ("carriage-return", r"\r"),
    ("tab", r"\t"),
    ("control", r"[\x01-\x08\x0b-\x1f\x7f]"),
    ("non-ascii", r"[^\x00-\x7f]"),
    ("trailing-newline", r"\n\Z"),
    ("newline", r"\n"),
    ("exclamation", "!"),
    ("percent", "%"),
    ("dollar", r"\$"),
    ("backtick", "`"),
    ("double-quote", '"'),
    ("single-quote", "'"),
    ("backslash", r"\\"),
    ("glob", r"[*?\[]"),
    ("tilde", "~"),
    ("brace", "[{}]"),
    ("parenthesis", "[()]"),
    ("semicolon", ";"),
    ("ampersand", "&"),
    ("pipe", r"\|"),
    ("redirection", "[<>]"),
    ("hash", "#"),
    ("leading-dash", r"\A-|\n-"),
    ("upper-case", "[A-Z]"),
    ("punctuation", r"[^\sA-Za-z0-9]"),
    ("letters-and-digits", "[c-z0-9]"),
)
_QUOTES = {"single-quote", "double-quote", "backslash"}
_LINE = b"echo a>>f"
_PRINTING = b"printf %s "
_NEWLINE_INSIDE = b"echo 'a\nb'>f"
_WORD_BYTES = 70
"""A smallest command with a longer line is that long because its length is the matter."""
_MANY = 20
_SHOWN_CODES = 4
_LONG_COMMAND = COMMAND_BYTES - 1000
"""From here on it is the size that is too much, not the number of lines."""
_NEAR_LINE_BYTES = 5100
_LETTER = b"echo b>f"
_NO_CHARACTERS = {"existing-file", "failing-command", "unset-variable"}
"""Where what the shell was told is to blame, and not what it was handed."""
_LENGTHS = {"long-line", "long-command", "many-words", "long-word"}


@dataclass(frozen=True)
class Named:
    """A class of hazard, with its title as a person reads it."""

    hazard: str
    title: str


def name_hazard(command: bytes, label: str, is_harmed: Callable[[bytes], bool]) -> Named:
    """Return the class of the smallest harmed `command`, asking the path about other quotings of it.

    `label` is the class of the probe that it comes from, and the answer where the command shows no other.
    """
    hazard = _length_class(command, label, is_harmed) or _content_class(command, label, is_harmed)
    return Named(hazard, _title(hazard, command))


def _length_class(command: bytes, label: str, is_harmed: Callable[[bytes], bool]) -> str | None:
    lines, words = command.split(b"\n"), command.split()
    longest = max(map(len, lines))
    if len(words) > _MANY and is_harmed(_many_words(len(words))):
        return "many-words"
    if len(lines) > _MANY:
        return "many-lines" if is_harmed(_many_lines(len(lines))) else "long-command"
    if longest <= _WORD_BYTES:
        return None
    if len(words) > _MANY:
        return label if label in _LENGTHS else "long-line"
    if not is_harmed(_in_short_words(longest)):
        return "long-word"
    return "long-command" if is_harmed(_many_lines(1 + len(command) // len(_LINE))) else "long-line"


def _in_short_words(length: int) -> bytes:
    return b"echo %s>f" % (b"ab " * (length // 3 + 1))[: length - 7].strip().ljust(length - 7, b"a")


def _many_words(count: int) -> bytes:
    return b"printf %%s %s>f" % b" ".join([b"a", b"b"] * (count // 2 + 1))


def _many_lines(count: int) -> bytes:
    return b"\n".join([_LINE] * count)


def _content_class(command: bytes, label: str, is_harmed: Callable[[bytes], bool]) -> str:
    if command.startswith(_PRINTING) and is_harmed(_PRINTING + b"%>f"):
        return "percent"
    if label in _NO_CHARACTERS:
        return "letters-and-digits" if is_harmed(_LETTER) else label
    text = to_text(command)
    words = _words(text)
    if words is None:
        return (_quoting_class(text, ()) or label) if label in _QUOTES else label
    others = [other for other in _requoted(text, words) if other != text]
    if others and not any(is_harmed(to_bytes(other)) for other in others):
        return _quoting_class(text, words) or label
    if any(not word for word in words[1:]):
        return "empty-argument"
    found = _feature(words[1:]) or ("trailing-newline" if text.endswith("\n") else label)
    return "newline" if found == "trailing-newline" and is_harmed(_NEWLINE_INSIDE) else found


def _words(text: str) -> tuple[str, ...] | None:
    parsed = parse_first_command(text)
    return parsed.words if parsed.exact and parsed.words and len(parsed.words) > 1 else None


def _requoted(text: str, words: tuple[str, ...]) -> Iterator[str]:
    """Yield the command with its words quoted in the ways that need nothing but one sign, the rest as it is.

    A way that escapes what it holds breaks it up, and would hide that a sequence is to blame.
    """
    rest = parse_first_command(text).rest
    quoted = [
        [f"'{word}'" for word in words[1:] if "'" not in word],
        [f'"{word}"' for word in words[1:] if not re.search(r'["\\$`]', word)],
        [f"\\{word}" for word in words[1:] if word in ("'", '"')],
    ]
    for ways in quoted:
        if len(ways) == len(words) - 1:
            yield " ".join([words[0], *ways]) + rest


def _quoting_class(text: str, words: tuple[str, ...]) -> str | None:
    """Return the class of what the words are quoted with."""
    if re.search(r"\\\\", text):
        return "doubled-backslash"
    held = "".join(words)
    signs = (("single-quote", "'"), ("double-quote", '"'), ("backslash", "\\"))
    found = [name for name, sign in signs if text.count(sign) > held.count(sign)]
    return found[0] if len(found) == 1 else None


def _feature(words: tuple[str, ...]) -> str | None:
    features = (*_SEQUENCES, *_CHARACTERS)
    return next((name for name, sign in features if any(re.search(sign, word) for word in words)), None)


def _title(hazard: str, command: bytes) -> str:
    longest = max(map(len, command.split(b"\n")))
    if hazard == "long-line" and LINE_BYTES < longest <= _NEAR_LINE_BYTES:
        return TITLES["long-line-4095"]
    is_16k = hazard == "long-command" and len(command) > _LONG_COMMAND
    return TITLES["long-command-16k" if is_16k else hazard] + _measure(hazard, command, longest)


def _measure(hazard: str, command: bytes, longest: int) -> str:
    """Return what a title says besides: the size, or which characters there are."""
    if hazard == "long-command":
        return f" (from {len(command):,} bytes)"
    if hazard in ("long-line", "long-word"):
        return f" (from {longest:,} bytes)"
    if hazard == "control":
        codes = sorted({byte for byte in command if byte < 32 or byte == 127} - {9, 10, 13})
        return f" ({', '.join(f'0x{code:02x}' for code in codes)})"
    if hazard == "non-ascii":
        codes = sorted({ord(sign) for sign in to_text(command) if ord(sign) > 127})
        return f" ({', '.join(f'U+{code:04X}' for code in codes[:_SHOWN_CODES])})"
    return ""

"""The form of a command that a session takes unharmed: handed on to a bash of its own, with an empty input."""

from __future__ import annotations

import re

from pytest_quotebench.core.layers import Layer
from pytest_quotebench.core.spawning import bash_word, shell_layers
from pytest_quotebench.core.text import to_bytes, to_text

FROM_NOTHING = " </dev/null"
"""So that what reads standard input does not read the session's."""

_HARMLESS = re.compile(r"(?:cp|ls|mkdir|mv|pwd|rm|touch|true)(?: [A-Za-z0-9_./-]+)*")
"""Programs that read no input and whose output, if any, ends with a newline."""

_TYPED_BYTES = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 %+,-./:=@_")
_TYPED = re.compile(r"bash -c \$'((?:[A-Za-z0-9 %+,\-./:=@_]|\\[0-3][0-7]{2})*)'")
_OCTAL = re.compile(rb"\\([0-7]{3})")


def is_harmless(command: str) -> bool:
    """Tell whether a command is known to need no other form on any session."""
    return _HARMLESS.fullmatch(command) is not None


def handed_on(command: str) -> str:
    """Return `bash -c 'COMMAND' </dev/null`, for a session on pipes. Raises ValueError for NUL."""
    return bash_word(command) + FROM_NOTHING


def typed(command: str) -> str:
    r"""Return `bash -c $'COMMAND' </dev/null` on one line of ordinary characters, for a terminal.

    All else, on which a line editor, history expansion, a carrier's parser or a terminal multiplexer may act, is
    written as an octal escape of its bytes. Raises ValueError for NUL, and for what stands for no byte.
    """
    data = to_bytes(command)
    if b"\0" in data:
        raise ValueError("a shell word cannot hold a NUL character")
    word = "".join(chr(byte) if byte in _TYPED_BYTES else f"\\{byte:03o}" for byte in data)
    return f"bash -c $'{word}'{FROM_NOTHING}"


def inner_layers(text: str) -> tuple[Layer, ...]:
    """Return what the inner bash of `handed_on` or `typed` receives; nothing for any other text."""
    if not text.endswith(FROM_NOTHING):
        return ()
    line = text.removesuffix(FROM_NOTHING)
    match = _TYPED.fullmatch(line)
    if match is None:
        return shell_layers("bash", line)[1:]
    data = _OCTAL.sub(lambda found: bytes([int(found[1], 8)]), match[1].encode())
    return (Layer("inner bash -c", to_text(data)),)

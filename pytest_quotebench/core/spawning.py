"""A program and its arguments without a shell, and a command that is handed on to a bash of its own.

What the paths have in common that read a command with a parser that is not bash: either no shell follows at
all, or the command survives only as the one quoted word of `bash -c WORD`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pytest_quotebench.core.ansi_c import ansi_c_text, ansi_c_word
from pytest_quotebench.core.command_line import argument
from pytest_quotebench.core.errors import TransportError
from pytest_quotebench.core.escaping import shell_word
from pytest_quotebench.core.execution import Argument, Invocation
from pytest_quotebench.core.layers import Layer

_BASH_C = "bash -c "
_SHELLS = frozenset({"bash", "/bin/bash", "/usr/bin/bash"})
_SPAWNER = (b"nice", b"-n", b"0", b"--")


def spawned(words: Sequence[str]) -> Invocation:
    """Return the process that is `words[0]` with these arguments, found as execvp(3) finds it, without a shell.

    It is started by nice(1), which changes nothing at `-n 0`: a program that is not there then ends with status
    127 and a message, where the sandbox itself would take it for a fault of its own. Raises TransportError
    like `argument`, and `refused` where there are no words.
    """
    return Invocation(argv=(*_SPAWNER, *spawnable(words)))


def spawnable(words: Sequence[str]) -> tuple[Argument, ...]:
    """Return `words` as arguments. Raises TransportError like `argument`, and `refused` for none."""
    if not words:
        raise TransportError("refused", "nothing is left to run: the command has no words")
    return tuple(argument(word) for word in words)


def bash_word(command: str) -> str:
    """Return `bash -c WORD` that runs `command` from any POSIX shell: WORD is in single quotes.

    Raises ValueError for NUL.
    """
    return _BASH_C + shell_word(command)


def bash_line(command: str, avoid: str = "") -> str:
    """Return `bash -c WORD` that runs `command` from a bash, on one line: WORD is an `ansi_c_word`.

    Raises ValueError for NUL.
    """
    return _BASH_C + ansi_c_word(command, avoid)


def shell_layers(name: str, source: str, *, is_bash: bool = True) -> tuple[Layer, ...]:
    """Return what a shell receives and, where that is a `bash_word` or a `bash_line`, what the inner bash does."""
    return tuple(_shells(name, source, is_bash=is_bash))


def word_layers(name: str, words: Sequence[str]) -> tuple[Layer, ...]:
    """Return the arguments of a process, written as shell words, and what a `bash -c` that it is receives."""
    if any("\0" in word for word in words):
        return (never_started(name, "no argument can hold a NUL"),)
    layer = Layer(name, " ".join(map(shell_word, words)))
    if len(words) == 3 and words[0] in _SHELLS and words[1] == "-c":
        return layer, *shell_layers("bash -c", words[2])
    return (layer,)


def never_started(name: str, reason: object) -> Layer:
    """Return the layer of a parser or program that is known to get nothing, with the reason in its name."""
    return Layer(f"{name}, never started: {reason}", "")


def _shells(name: str, source: str, *, is_bash: bool) -> Iterator[Layer]:
    yield Layer(name, source)
    inner = _handed_on(source, is_bash=is_bash)
    if inner is not None:
        yield from _shells("inner bash -c", inner, is_bash=True)


def _handed_on(source: str, *, is_bash: bool) -> str | None:
    if not source.startswith(_BASH_C):
        return None
    word = source.removeprefix(_BASH_C)
    if is_bash and word.startswith("$"):
        return ansi_c_text(word)
    text = word[1:-1].replace("'\\''", "'") if word.startswith("'") else word
    return text if "\0" not in text and shell_word(text) == word else None

"""Command lines that a command is pasted into, and the processes that carry them.

What the transports have in common: each of them names the lines that it builds, and these functions gate the
arguments and say what every shell along the way receives.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pytest_quotebench.core.errors import TransportError
from pytest_quotebench.core.escaping import shell_word
from pytest_quotebench.core.execution import Invocation
from pytest_quotebench.core.layers import NOT_OBSERVABLE, Layer
from pytest_quotebench.core.shell_model import Parsed, parse_first_command
from pytest_quotebench.core.text import to_bytes

MAX_ARGUMENT_BYTES = 32 * 4096 - 1
"""The longest argument without its NUL: Linux's MAX_ARG_STRLEN is 32 pages (execve(2))."""

_BASH = ("bash", "-c")
_LEAST_WORDS = 3


def argument(text: str) -> bytes:
    """Return `text` as one argument of a process.

    Raises TransportError: `nul`, `too-long`, or `lone-surrogate` for a code point that stands for no byte.
    """
    data = encoded(text)
    if b"\0" in data:
        raise TransportError("nul", "the command holds a NUL byte, which ends an argument")
    if len(data) > MAX_ARGUMENT_BYTES:
        raise TransportError(
            "too-long", f"one argument would be {len(data)} bytes; Linux takes at most {MAX_ARGUMENT_BYTES}"
        )
    return data


def encoded(text: str) -> bytes:
    """Return the bytes of `text`. Raises TransportError (`lone-surrogate`) where it has none."""
    try:
        return to_bytes(text)
    except UnicodeEncodeError as error:
        raise TransportError("lone-surrogate", f"the command holds a lone surrogate: {error.reason}") from None


def bash_c(source: str) -> Invocation:
    """Return the process `bash -c SOURCE`. Raises TransportError like `argument`."""
    return Invocation(argv=(b"bash", b"-c", argument(source)))


@dataclass(frozen=True)
class LastArgument:
    """The path of a command that is the last argument of a bash, as it is: a Transport."""

    words: tuple[bytes, ...]
    """What stands before it: `bash`, `-lc`."""

    def plan(self, command: str) -> Invocation:
        """Return the process. Raises TransportError like `argument`."""
        return Invocation(argv=(*self.words, argument(command)))

    def layers(self, command: str) -> tuple[Layer, ...]:
        """Return the one parser."""
        return (Layer(b" ".join(self.words).decode("ascii"), command),)

    def matched(self, command: str) -> str:
        """Return the command: nothing acts on it before that bash."""
        return command


def in_double_quotes(command: str) -> str:
    """Return the line `bash -c "COMMAND"`, the command pasted as it is."""
    return f'bash -c "{command}"'


def in_single_quotes(command: str) -> str:
    """Return the line `bash -c 'COMMAND'`, the command pasted as it is."""
    return f"bash -c '{command}'"


def bash_layers(source: str, *, depth: int) -> tuple[Layer, ...]:
    """Return what the shells receive where `bash -c SOURCE` starts another `bash -c`, `depth` of them in all.

    Where quotes were broken, a layer in between shows what a shell runs itself, and what the next one gets as
    `$0` and on. The last layer is the innermost shell; None where the model cannot know what it receives, and
    the empty text where it is known not to be started.
    """
    return tuple(_shells(source, depth, "bash -c"))


def _shells(source: str, depth: int, name: str) -> Iterator[Layer]:
    yield Layer(name, source)
    if depth == 1:
        return
    parsed = parse_first_command(source)
    words = parsed.words or ()
    if words[:2] != _BASH or len(words) < _LEAST_WORDS:
        yield _unreached(f"inner {name}", parsed)
        return
    if parsed.rest:
        yield Layer(f"{name}, outside the quotes", parsed.rest)
    if words[_LEAST_WORDS:]:
        yield Layer(f"inner {name}, as $0 and on", " ".join(map(shell_word, words[_LEAST_WORDS:])))
    yield from _shells(words[_LEAST_WORDS - 1], depth - 1, f"inner {name}")


def _unreached(name: str, parsed: Parsed) -> Layer:
    if parsed.never_runs:
        return Layer(f"{name}, never started: {parsed.reason}", "")
    return Layer(name, NOT_OBSERVABLE)

"""From a command that is harmed to the smallest one."""

from __future__ import annotations

from collections.abc import Callable

from pytest_quotebench.core.text import to_bytes, to_text
from pytest_quotebench.lossless.probes import may_follow

_SHORT, _LONG = 60, 400
_FAILURES = 4
"""After so many pieces of one size that cannot be taken from a long command, its length is what counts."""


def shrink(command: bytes, is_harmed: Callable[[bytes], bool], goes_on: Callable[[], bool]) -> bytes:
    """Return a command of which no part can be taken away without the harm ending, or time being up.

    Pieces of whole characters are taken away, the large ones first; what is left is a mangled form of a probe, and
    as harmless. Of a long command only some of the pieces are tried.
    """
    return _Shrinking(is_harmed, goes_on).shrunk(_plainer(command, is_harmed))


def _plainer(command: bytes, is_harmed: Callable[[bytes], bool]) -> bytes:
    """Say `echo` for `printf` where both mean the same to every shell."""
    head = b"printf %s "
    if command.startswith(head) and b"\\" not in command and not command.startswith(b"-", len(head)):
        plainer = b"echo " + command[len(head) :]
        return plainer if is_harmed(plainer) else command
    return command


class _Shrinking:
    def __init__(self, is_harmed: Callable[[bytes], bool], goes_on: Callable[[], bool]) -> None:
        self._is_harmed = is_harmed
        self._goes_on = goes_on

    def shrunk(self, command: bytes) -> bytes:
        """Take pieces away until none of any size can be."""
        before = b""
        while before != command and self._goes_on():
            before = command
            size = len(command) // 2
            while size and self._goes_on():
                command = self._without_pieces(command, size)
                size = min(size // 2, len(command) // 2) if size > 1 else 0
        return command

    def _without_pieces(self, command: bytes, size: int) -> bytes:
        text = to_text(command)
        start = failures = 0
        while start < len(text) and self._goes_on():
            shorter = text[:start] + text[start + size :]
            candidate = to_bytes(shorter)
            if may_follow(candidate) and self._is_harmed(candidate):
                text, failures = shorter, 0
                continue
            start += size if len(text) > _SHORT else 1
            failures += 1
            if failures > _FAILURES and len(text) > _LONG:
                break
        return to_bytes(text)

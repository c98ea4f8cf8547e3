"""Why a goal was not reached, in a form a person can act on."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_quotebench.core.tree import Directory, Entry, File, Special, Symlink

STILL_THERE = b"still there"
"""What is found where something had to go."""


@dataclass(frozen=True, slots=True)
class Mismatch:
    """One path with what was expected there and what was found; None stands for nothing at all."""

    path: str
    expected: bytes | None
    got: bytes | None
    note: str = ""
    """What the two values are, where they are not the contents of a file:

    - `entry`: kinds of entries in words; `STILL_THERE` for one that had to go.
    - `extra entry`, with `, and N more` after it: an entry that was not allowed.
    - `permissions`, `committed mode`, `staged mode`: permission bits or a mode of git's, in octal digits.
    - `commits`: how many HEAD reaches. `repository`: why it cannot be read.
    - any other: what in or of the file differs (`commit message`, `staged files`, `JSON value`, ...).
    """

    @property
    def offset(self) -> int | None:
        """The index of the first byte that differs, or None where one side is missing."""
        if self.expected is None or self.got is None:
            return None
        pairs = zip(self.expected, self.got, strict=False)
        shorter = min(len(self.expected), len(self.got))
        return next((index for index, (want, have) in enumerate(pairs) if want != have), shorter)


def compare_entry(path: str, expected: Entry | None, got: Entry | None) -> Mismatch | None:
    """Return how `got` differs from `expected` in type, bytes, permissions or target, or None."""
    if expected == got:
        return None
    if isinstance(expected, File) and isinstance(got, File) and expected.data != got.data:
        return Mismatch(path, expected.data, got.data)
    if (
        type(expected) is type(got)
        and isinstance(expected, File | Directory)
        and isinstance(got, File | Directory)
    ):
        return Mismatch(path, b"%04o" % expected.mode, b"%04o" % got.mode, "permissions")
    return Mismatch(path, _named(expected), _named(got), "entry")


def compare_content(path: str, expected: bytes, got: Entry | None) -> Mismatch | None:
    """Return how `got` differs from a regular file with these bytes, whatever its permissions, or None."""
    if isinstance(got, File):
        return None if got.data == expected else Mismatch(path, expected, got.data)
    if got is None:
        return Mismatch(path, expected, None)
    return Mismatch(path, b"regular file", _named(got), "entry")


def _named(entry: Entry | None) -> bytes | None:
    match entry:
        case None:
            return None
        case File():
            return b"regular file"
        case Directory():
            return b"directory"
        case Symlink(target):
            return b"symbolic link to " + target.encode("utf-8", "surrogateescape")
        case Special(kind):
            return kind.encode()

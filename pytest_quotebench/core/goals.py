"""What the final state must be: pure functions of the tree before and after.

A goal speaks only of the paths it names. That every other fixture entry is unchanged, and that nothing else
was added, is checked for all goals alike by `judge`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from pytest_quotebench.core.mismatch import STILL_THERE, Mismatch, compare_content
from pytest_quotebench.core.strict_json import parse_strict, same
from pytest_quotebench.core.text import to_bytes
from pytest_quotebench.core.tree import File, FileTree


class Goal(Protocol):
    """A required final state."""

    def named(self, before: FileTree) -> frozenset[str]:
        """Return the paths whose final state the goal itself decides."""
        ...

    def check(self, before: FileTree, after: FileTree) -> Mismatch | None:
        """Return the first difference from the required state, or None where it is reached."""
        ...

    def allowed(self, after: FileTree) -> frozenset[str]:
        """Return the new entries that come with reaching the goal by ordinary means."""
        ...


class _NamesItsFiles:
    """Shared by the goals that list files: they allow nothing but those."""

    def allowed(self, after: FileTree) -> frozenset[str]:
        """Return nothing: which files may be new is the task's to say."""
        return frozenset()


@dataclass(frozen=True)
class FilesGoal(_NamesItsFiles):
    """Each of these files holds exactly these bytes."""

    files: Mapping[str, str]

    def named(self, before: FileTree) -> frozenset[str]:
        """Return the listed paths."""
        return frozenset(self.files)

    def check(self, before: FileTree, after: FileTree) -> Mismatch | None:
        """Compare every listed file, in the order of the list."""
        return _first(lambda path, text: compare_content(path, to_bytes(text), after.get(path)), self.files)


@dataclass(frozen=True)
class AllFilesGoal(_NamesItsFiles):
    """Each of these files is there with these bytes, and every fixture file that is not listed is gone.

    A fixture file that the list repeats with its own bytes is one to be left alone, permissions included.
    """

    files: Mapping[str, str]

    def named(self, before: FileTree) -> frozenset[str]:
        """Return the files that must come or go; those that must stay as they are are not named."""
        kept = {path for path, text in self.files.items() if _holds(before, path, text)}
        return (frozenset(self.files) | self._gone(before)) - kept

    def check(self, before: FileTree, after: FileTree) -> Mismatch | None:
        """Compare every listed file, then look for files that had to go."""
        wrong = _first(lambda path, text: compare_content(path, to_bytes(text), after.get(path)), self.files)
        if wrong is not None:
            return wrong
        left = sorted(path for path in self._gone(before) if path in after)
        return Mismatch(left[0], None, STILL_THERE, "entry") if left else None

    def _gone(self, before: FileTree) -> frozenset[str]:
        return frozenset(path for path, entry in before.items() if isinstance(entry, File)) - self.files.keys()


@dataclass(frozen=True)
class LinesGoal(_NamesItsFiles):
    """Each of these files holds exactly these lines; a leading `./` is another spelling of the same path."""

    files: Mapping[str, tuple[str, ...]]

    def named(self, before: FileTree) -> frozenset[str]:
        """Return the listed paths."""
        return frozenset(self.files)

    def check(self, before: FileTree, after: FileTree) -> Mismatch | None:
        """Compare line by line, each ended by a newline; a mismatch shows the lines without the leading `./`."""
        return _first(lambda path, lines: self._check_file(path, lines, after), self.files)

    def _check_file(self, path: str, lines: tuple[str, ...], after: FileTree) -> Mismatch | None:
        expected = b"".join(to_bytes(line) + b"\n" for line in lines)
        entry = after.get(path)
        if isinstance(entry, File):
            plain = b"".join(line.removeprefix(b"./") for line in entry.data.splitlines(keepends=True))
            return None if plain == expected else Mismatch(path, expected, plain)
        return compare_content(path, expected, entry)


@dataclass(frozen=True)
class JsonGoal(_NamesItsFiles):
    """Each of these files is one strict JSON text, in UTF-8, with this value; spacing and escapes are free."""

    files: Mapping[str, Any]

    def named(self, before: FileTree) -> frozenset[str]:
        """Return the listed paths."""
        return frozenset(self.files)

    def check(self, before: FileTree, after: FileTree) -> Mismatch | None:
        """Parse every listed file and compare values and types.

        A mismatch shows a file that could be read in the spelling of the required value, so that the first
        difference is a real one; another file as it is.
        """
        return _first(lambda path, value: self._check_file(path, value, after), self.files)

    def _check_file(self, path: str, value: Any, after: FileTree) -> Mismatch | None:
        expected, entry = _spelled(value), after.get(path)
        if not isinstance(entry, File):
            return compare_content(path, expected, entry)
        try:
            found = parse_strict(entry.data.decode("utf-8"))
        except ValueError as error:
            return Mismatch(path, expected, entry.data, f"not strict JSON: {error}")
        return None if same(found, value) else Mismatch(path, expected, _alike(found, value, entry), "JSON value")


def _spelled(value: Any) -> bytes:
    # A lone surrogate stays the escape that it was.
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "backslashreplace")


def _alike(found: Any, value: Any, entry: File) -> bytes:
    """Return `found` spelled like `value`, or the file as it is where it nests deeper than can be written."""
    try:
        return _spelled(_in_order_of(value, found))
    except RecursionError:
        return entry.data


def _in_order_of(value: Any, found: Any) -> Any:
    """Return `found` with the keys that `value` has too in the order of `value`, and the others after them."""
    if isinstance(found, dict) and isinstance(value, dict):
        keys = [*(key for key in value if key in found), *(key for key in found if key not in value)]
        return {key: _in_order_of(value.get(key), found[key]) for key in keys}
    if isinstance(found, list) and isinstance(value, list):
        return [*map(_in_order_of, value, found), *found[len(value) :]]
    return found


def _holds(tree: FileTree, path: str, text: str) -> bool:
    entry = tree.get(path)
    return isinstance(entry, File) and entry.data == to_bytes(text)


def _first(check: Callable[[str, Any], Mismatch | None], files: Mapping[str, Any]) -> Mismatch | None:
    found = (check(path, wanted) for path, wanted in files.items())
    return next((mismatch for mismatch in found if mismatch is not None), None)

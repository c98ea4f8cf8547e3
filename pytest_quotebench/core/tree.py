"""Snapshots of a directory: what a fixture is, what a sandbox gives back, what a goal compares."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

from pytest_quotebench.core.text import to_bytes


@dataclass(frozen=True, slots=True)
class File:
    """A regular file: its exact bytes and its permission bits."""

    data: bytes
    mode: int = 0o644


@dataclass(frozen=True, slots=True)
class Symlink:
    """A symbolic link and what it says; it is never followed."""

    target: str


@dataclass(frozen=True, slots=True)
class Directory:
    """A directory and its permission bits."""

    mode: int = 0o755


@dataclass(frozen=True, slots=True)
class Special:
    """Something that is never opened: `fifo`, `socket`, `char-device` or `block-device`."""

    kind: str


Entry = File | Symlink | Directory | Special


class Change(NamedTuple):
    """One path on which two trees differ; None where the path is not there."""

    path: str
    before: Entry | None
    after: Entry | None


class FileTree(Mapping[str, Entry]):
    """A frozen mapping from relative path to entry, sorted by the paths' bytes.

    Paths use `/`, have no empty, `.` or `..` component, and carry undecodable bytes as surrogates.
    Directories above an entry are part of the tree; the constructor adds those that are not named.
    """

    __slots__ = ("_entries",)

    def __init__(self, entries: Mapping[str, Entry] | Iterable[tuple[str, Entry]] = ()) -> None:
        """Build the tree. Raises ValueError for a path that is not relative and normal."""
        given = dict(entries)
        for path in list(given):
            _check_path(path)
            _add_parents(given, path)
        self._entries = MappingProxyType(dict(sorted(given.items(), key=lambda item: to_bytes(item[0]))))

    @classmethod
    def of(
        cls, files: Mapping[str, bytes | str | Entry] = MappingProxyType({}), directories: Iterable[str] = ()
    ) -> FileTree:
        """Build a tree from contents: text is stored as UTF-8, an Entry as it is."""
        entries: dict[str, Entry] = {path: Directory() for path in directories}
        entries.update((path, _entry(content)) for path, content in files.items())
        return cls(entries)

    def __getitem__(self, path: str) -> Entry:
        """Return the entry at `path`; KeyError where there is none."""
        return self._entries[path]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the paths in byte order."""
        return iter(self._entries)

    def __len__(self) -> int:
        """Return the number of entries, directories included."""
        return len(self._entries)

    def __hash__(self) -> int:
        """Return a hash that agrees with equality."""
        return hash(tuple(self._entries.items()))

    def __repr__(self) -> str:
        """Return a short form: file contents can be large and hostile."""
        return f"<FileTree of {len(self)} entries>"

    def with_entries(self, entries: Mapping[str, Entry]) -> FileTree:
        """Return a tree in which `entries` are added or replaced."""
        return FileTree({**self._entries, **entries})

    def without(self, path: str) -> FileTree:
        """Return a tree without `path` and without everything below it."""
        return FileTree(
            {name: entry for name, entry in self.items() if name != path and not name.startswith(f"{path}/")}
        )

    def changes_to(self, after: FileTree) -> tuple[Change, ...]:
        """Return every path on which `after` differs from this tree, in byte order."""
        paths = sorted(self.keys() | after.keys(), key=to_bytes)
        found = (Change(path, self.get(path), after.get(path)) for path in paths)
        return tuple(change for change in found if change.before != change.after)


def _entry(content: bytes | str | Entry) -> Entry:
    if isinstance(content, str):
        return File(to_bytes(content))
    return File(content) if isinstance(content, bytes) else content


def _check_path(path: str) -> None:
    if "\0" in path or any(part in ("", ".", "..") for part in path.split("/")):
        raise ValueError(f"not a relative, normal path: {path!r}")


def _add_parents(entries: dict[str, Entry], path: str) -> None:
    """Add the directories above `path`, up to the first one that is there: what is above that is seen to by it."""
    parent = path.rpartition("/")[0]
    while parent and not isinstance(entries.get(parent), Directory):
        above = entries.setdefault(parent, Directory())
        if not isinstance(above, Directory):
            raise ValueError(f"{parent!r} is both a {type(above).__name__} and the parent of {path!r}")
        parent = parent.rpartition("/")[0]

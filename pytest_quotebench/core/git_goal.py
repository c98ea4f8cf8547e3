"""The goal of a git task: one state of a repository, read out of the tree and never by running git on it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from pytest_quotebench.core.git_files import written_by_git
from pytest_quotebench.core.git_index import INDEX, Tracked, read_index
from pytest_quotebench.core.git_objects import BadRepository, GitObject, ObjectStore
from pytest_quotebench.core.git_refs import HEAD, Head, expected_refs, listed, read_head, read_refs
from pytest_quotebench.core.mismatch import Mismatch, compare_content
from pytest_quotebench.core.text import to_bytes, to_text
from pytest_quotebench.core.tree import File, FileTree

# dulwich reads some headers byte by byte in quadratic time; what a task needs is far smaller.
_COMMIT_BYTES = 64 * 2**10
_DIRECTORY = 0o040000
_TREE_ENTRY = re.compile(rb"([1-7][0-7]{4,5}) ([^\0/]+)\0(.{20})", re.DOTALL)


class _Commit(NamedTuple):
    tree: str
    parents: tuple[str, ...]
    message: bytes


@dataclass(frozen=True)
class GitGoal:
    """A repository whose HEAD reaches exactly `commits` commits, the last with this whole message.

    Its tree and the index hold exactly the `tracked` files, each with the fixture's bytes, and there is no ref
    but the branch that HEAD names or, where HEAD is detached, one branch at its commit. The branch's name, the
    dates, the identity, how objects are stored and trailing newlines of the message do not count. Configuration,
    alternates and grafts are not read.
    """

    message: str
    tracked: tuple[str, ...]
    commits: int = 1

    def named(self, before: FileTree) -> frozenset[str]:
        """Return HEAD: a commit may well be on another branch. Git changes no other file of a new repository."""
        return frozenset({HEAD})

    def allowed(self, after: FileTree) -> frozenset[str]:
        """Return what git itself writes below .git."""
        return written_by_git(after)

    def check(self, before: FileTree, after: FileTree) -> Mismatch | None:
        """Compare commits, message, tree, index and refs, in this order."""
        try:
            return self._compare(before, after)
        except BadRepository as error:
            found = str(error).encode("utf-8", "backslashreplace")
            return Mismatch(".git", b"a repository as git leaves it", found, "repository")

    def _compare(self, before: FileTree, after: FileTree) -> Mismatch | None:
        store, head = ObjectStore(after), read_head(after)
        if head.commit is None:
            return Mismatch(HEAD, b"%d" % self.commits, b"0", "commits")
        commit = _read_commit(store, head.commit)
        return (
            self._compare_commits(store, head.commit)
            or self._compare_message(commit)
            or self._compare_tree(before, store, commit)
            or self._compare_index(before, after)
            or _compare_refs(head, after)
        )

    def _compare_commits(self, store: ObjectStore, head: str) -> Mismatch | None:
        reached, waiting = set[str](), [head]
        while waiting and len(reached) <= self.commits:
            name = waiting.pop()
            if name not in reached:
                reached.add(name)
                waiting.extend(_read_commit(store, name).parents)
        if len(reached) == self.commits:
            return None
        more = b" or more" if waiting else b""
        return Mismatch(HEAD, b"%d" % self.commits, b"%d%s" % (len(reached), more), "commits")

    def _compare_message(self, commit: _Commit) -> Mismatch | None:
        expected, got = (message.rstrip(b"\n") for message in (to_bytes(self.message), commit.message))
        return None if got == expected else Mismatch(HEAD, expected, got, "commit message")

    def _compare_tree(self, before: FileTree, store: ObjectStore, commit: _Commit) -> Mismatch | None:
        expected, found = self._expected(before), dict[str, Tracked]()
        for path, entry in _walk(store, commit.tree, _directories(self.tracked)):
            if path not in expected or path in found:
                return Mismatch(HEAD, listed(frozenset(expected)), to_bytes(path), "committed files")
            found[path] = entry
        return _compare_listings(HEAD, "committed", expected, found) or self._compare_blobs(before, store, found)

    def _compare_blobs(self, before: FileTree, store: ObjectStore, found: dict[str, Tracked]) -> Mismatch | None:
        wrong = (
            compare_content(path, _fixture_file(before, path).data, File(store.read(entry.name, "blob")))
            for path, entry in found.items()
        )
        return next((mismatch for mismatch in wrong if mismatch is not None), None)

    def _compare_index(self, before: FileTree, after: FileTree) -> Mismatch | None:
        expected, found = self._expected(before), read_index(after)
        return _compare_listings(INDEX, "staged", expected, found) or _compare_staged(expected, found)

    def _expected(self, before: FileTree) -> dict[str, Tracked]:
        return {path: _as_tracked(_fixture_file(before, path)) for path in self.tracked}


def _fixture_file(before: FileTree, path: str) -> File:
    entry = before[path]
    if not isinstance(entry, File):
        raise TypeError(f"the tracked path {path!r} is not a regular file of the fixture")
    return entry


def _as_tracked(file: File) -> Tracked:
    return Tracked(0o100755 if file.mode & 0o100 else 0o100644, GitObject("blob", file.data).name)


def _compare_listings(
    where: str, what: str, expected: dict[str, Tracked], found: dict[str, Tracked]
) -> Mismatch | None:
    if expected.keys() != found.keys():
        return Mismatch(where, listed(frozenset(expected)), listed(frozenset(found)), f"{what} files")
    for path, entry in expected.items():
        if found[path].mode != entry.mode:
            return Mismatch(path, b"%06o" % entry.mode, b"%06o" % found[path].mode, f"{what} mode")
    return None


def _compare_staged(expected: dict[str, Tracked], found: dict[str, Tracked]) -> Mismatch | None:
    for path, entry in expected.items():
        if found[path].name != entry.name:
            return Mismatch(path, entry.name.encode(), found[path].name.encode(), "staged content")
    return None


def _compare_refs(head: Head, after: FileTree) -> Mismatch | None:
    refs = read_refs(after)
    expected, found = expected_refs(head, refs), frozenset(refs)
    return None if expected == found else Mismatch(".git/refs", listed(expected), listed(found), "refs")


def _directories(paths: tuple[str, ...]) -> frozenset[str]:
    parts = (path.split("/")[:-1] for path in paths)
    return frozenset("/".join(above[: index + 1]) for above in parts for index in range(len(above)))


_Listing = Iterator[tuple[str, Tracked]]


def _walk(store: ObjectStore, name: str, directories: frozenset[str], above: str = "") -> _Listing:
    """Give the paths of a tree object. Only directories of tracked files are entered: no tree bomb goes off."""
    for path, entry in _read_tree(store, name, above):
        if path in directories and entry.mode == _DIRECTORY:
            yield from _walk(store, entry.name, directories, f"{path}/")
        else:
            yield path, entry


def _read_tree(store: ObjectStore, name: str, above: str) -> list[tuple[str, Tracked]]:
    # dulwich keeps a tree as a mapping, which hides a name that stands twice.
    entries, at, data = [], 0, store.read(name, "tree")
    while at < len(data):
        entry = _TREE_ENTRY.match(data, at)
        if entry is None:
            raise BadRepository(f"tree {name} is damaged")
        entries.append((above + to_text(entry[2]), Tracked(int(entry[1], 8), entry[3].hex())))
        at = entry.end()
    return entries


def _read_commit(store: ObjectStore, name: str) -> _Commit:
    from dulwich.objects import Commit

    data = store.read(name, "commit")
    if len(data) > _COMMIT_BYTES:
        raise BadRepository(f"commit {name} is larger than {_COMMIT_BYTES} bytes")
    try:
        commit = Commit.from_string(data)
        tree, parents = commit.tree.decode("ascii"), tuple(parent.decode("ascii") for parent in commit.parents)
        return _Commit(tree, parents, commit.message or b"")
    except Exception as error:  # noqa: BLE001  hostile bytes in another's parser: it may raise anything
        raise BadRepository(f"commit {name} cannot be read: {error!r:.200}") from None

"""Git's refs, read in memory out of a tree: HEAD, loose refs and packed-refs (gitrepository-layout(5))."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from pytest_quotebench.core.git_objects import BadRepository
from pytest_quotebench.core.text import to_bytes, to_text, visible
from pytest_quotebench.core.tree import Directory, File, FileTree

HEAD = ".git/HEAD"
PACKED_REFS = ".git/packed-refs"

_ON_BRANCH = re.compile(rb"ref:[ \t]*(refs/heads/[^\s]+)\s*")
_OBJECT_NAME = re.compile(rb"([0-9a-f]{40})\s*")
_PACKED_LINE = re.compile(rb"([0-9a-f]{40}) (refs/[^\n]+)")
_REF_BYTES = 4096


class Head(NamedTuple):
    """What HEAD says: a branch, or, where it is detached, a commit."""

    branch: str | None
    """The full name, `refs/heads/main`; None where HEAD is detached."""
    commit: str | None
    """The commit's name; None on a branch that has no commit yet."""


def read_head(tree: FileTree) -> Head:
    """Return what HEAD says. Raises BadRepository where it is neither a branch nor a commit.

    One step and no more: a branch that is itself symbolic is refused, so there are no loops.
    """
    content = _content(tree, HEAD)
    detached = _OBJECT_NAME.fullmatch(content)
    if detached:
        return Head(None, to_text(detached[1]))
    on_branch = _ON_BRANCH.fullmatch(content)
    if not on_branch or not _is_ref_name(on_branch[1]):
        raise BadRepository(f"{HEAD} names neither a branch nor a commit: {visible(content, 100)}")
    branch = to_text(on_branch[1])
    return Head(branch, read_refs(tree).get(branch))


def read_refs(tree: FileTree) -> dict[str, str]:
    """Return the commit that each ref names, by the ref's full name. Raises BadRepository for a damaged one."""
    below = ((path, entry) for path, entry in tree.items() if path.startswith(".git/refs/"))
    loose = (path for path, entry in below if not isinstance(entry, Directory))
    return {**_packed(tree), **{path.removeprefix(".git/"): _loose(tree, path) for path in loose}}


def _loose(tree: FileTree, path: str) -> str:
    direct = _OBJECT_NAME.fullmatch(_content(tree, path))
    if direct is None:
        raise BadRepository(f"{visible(path)} holds no object name")
    return to_text(direct[1])


def _packed(tree: FileTree) -> dict[str, str]:
    entry = tree.get(PACKED_REFS)
    if entry is None:
        return {}
    if not isinstance(entry, File):
        raise BadRepository(f"{PACKED_REFS} is not a regular file")
    lines = [line for line in entry.data.split(b"\n") if line and not line.startswith((b"#", b"^"))]
    matches = [_PACKED_LINE.fullmatch(line) for line in lines]
    if None in matches:
        raise BadRepository(f"{PACKED_REFS} holds a line that names no ref")
    return {to_text(match[2]): to_text(match[1]) for match in matches if match}


def _content(tree: FileTree, path: str) -> bytes:
    entry = tree.get(path)
    if not isinstance(entry, File) or len(entry.data) > _REF_BYTES:
        raise BadRepository(f"{visible(path)} is not a regular file of at most {_REF_BYTES} bytes")
    return entry.data


def _is_ref_name(name: bytes) -> bool:
    from dulwich.refs import Ref, check_ref_format

    return check_ref_format(Ref(name))


def branch_of(head: Head, refs: Mapping[str, str]) -> str | None:
    """Return the branch that HEAD names or, where HEAD is detached, the only branch where it is at that commit."""
    if head.branch is not None:
        return head.branch
    branches = [ref for ref in refs if ref.startswith("refs/heads/")]
    if len(branches) != 1 or refs[branches[0]] != head.commit or not _is_ref_name(to_bytes(branches[0])):
        return None
    return branches[0]


def branch_paths(branch: str) -> frozenset[str]:
    """Return the paths below .git of a branch's loose ref and of its log, with the directories above them."""
    tails = [branch]
    while "/" in tails[-1]:
        tails.append(tails[-1].rpartition("/")[0])
    return frozenset(f".git/{prefix}{tail}" for tail in tails for prefix in ("", "logs/"))


def expected_refs(head: Head, refs: Mapping[str, str]) -> frozenset[str]:
    """Return the refs that a repository with one branch or none has."""
    branch = branch_of(head, refs)
    return frozenset() if branch is None else frozenset({branch})


def listed(names: frozenset[str]) -> bytes:
    """Return names as the bytes of one line, for a mismatch."""
    return b" ".join(to_bytes(name) for name in sorted(names))

"""What git itself writes below .git: the list that decides which entries there are no extra entries.

Found by running git 2.39 on the fixture's repository and listing what was new after `add`, `commit` (-m, -F,
--amend), `branch -m`, `checkout -b`, `checkout --detach`, `reset`, `rebase --root`, `fetch .`, `pull .`,
`update-index --split-index`, `rerere`, `init` again, `gc`, `repack -adb`, `pack-refs`, `reflog expire`,
`update-server-info`, `commit-graph write`, `multi-pack-index write` and `maintenance run`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from types import MappingProxyType

from pytest_quotebench.core.git_index import SHARED_INDEX, parse_shared_index
from pytest_quotebench.core.git_objects import LOOSE_OBJECT, BadRepository, Budget, has_checksum, read_loose
from pytest_quotebench.core.git_refs import branch_of, branch_paths, read_head, read_refs
from pytest_quotebench.core.tree import Directory, File, FileTree

_DIRECTORIES = re.compile(
    r"\.git/(branches|hooks|logs|logs/refs|logs/refs/heads|objects/[0-9a-f]{2}|objects/info/commit-graphs|rr-cache)"
)
_PLAIN_FILES = frozenset(
    {
        ".git/COMMIT_EDITMSG",
        ".git/ORIG_HEAD",
        ".git/description",
        ".git/index",
        ".git/info/refs",
        ".git/logs/HEAD",
        ".git/objects/info/packs",
        ".git/packed-refs",
    }
)
_SAMPLE_HOOK = re.compile(r"\.git/hooks/[a-z-]+\.sample")
"""What `git init` lays down again. Git never runs a file of such a name; a hook is no sample."""
_FORMS = MappingProxyType(
    {
        # The tree that a merge, and so a rebase, made by itself.
        ".git/AUTO_MERGE": re.compile(rb"[0-9a-f]{40}\n"),
        # `git fetch` writes what it brought, for merge, and from where (builtin/fetch.c, append_fetch_head).
        ".git/FETCH_HEAD": re.compile(
            rb"([0-9a-f]{40}\t(not-for-merge)?\t(((branch|tag|remote-tracking branch) )?'[!-~\x80-\xff]+' of )?"
            rb"[!-~\x80-\xff]+\n)*"
        ),
        # The conflicts that rerere watches: a commit leaves none.
        ".git/MERGE_RR": re.compile(rb""),
        ".git/objects/info/commit-graphs/commit-graph-chain": re.compile(rb"([0-9a-f]{40}\n)+"),
        # Newer git detaches the maintenance that `git commit` starts; where that is killed, its empty lock stays.
        ".git/objects/maintenance.lock": re.compile(rb""),
    }
)
"""Small files of which git writes nothing but this form."""
_FORM_BYTES = 4096
_CHECKSUMMED = re.compile(
    r"\.git/objects/(pack/(pack|loose)-[0-9a-f]{40}\.(pack|idx|rev|bitmap|mtimes)|pack/multi-pack-index"
    r"|info/commit-graph|info/commit-graphs/graph-[0-9a-f]{40}\.graph)"
)
_MAGIC = {
    "pack": b"PACK",
    "idx": b"\xfftOc",
    "rev": b"RIDX",
    "bitmap": b"BITM",
    "mtimes": b"MTME",
    "multi-pack-index": b"MIDX",
    "commit-graph": b"CGPH",
    "graph": b"CGPH",
}


def written_by_git(tree: FileTree) -> frozenset[str]:
    """Return the paths below .git that git could have written as they are; a look-alike is none of them."""
    accepts = _judge_of_files(tree)
    return frozenset(path for path in _below_git(tree) if accepts(path))


def _below_git(tree: FileTree) -> Iterator[str]:
    return (path for path in tree if path.startswith(".git/"))


def _judge_of_files(tree: FileTree) -> Callable[[str], bool]:
    """Return the test of one path. All loose objects are read on one budget, which bounds the time."""
    budget, of_branch = Budget(), _of_branch(tree)

    def accepts(path: str) -> bool:
        match tree[path]:
            case Directory():
                return path in of_branch or _DIRECTORIES.fullmatch(path) is not None
            case File(data):
                return path in of_branch or _is_named_file(path, data) or _is_object(path, data, budget)
        return False

    return accepts


def _of_branch(tree: FileTree) -> frozenset[str]:
    try:
        branch = branch_of(read_head(tree), read_refs(tree))
    except BadRepository:
        return frozenset()
    return frozenset() if branch is None else branch_paths(branch)


def _is_named_file(path: str, data: bytes) -> bool:
    if path in _PLAIN_FILES or _SAMPLE_HOOK.fullmatch(path):
        return True
    if path in _FORMS:
        return len(data) <= _FORM_BYTES and _FORMS[path].fullmatch(data) is not None
    if path.startswith(SHARED_INDEX):
        return _is_shared_index(path, data)
    return _CHECKSUMMED.fullmatch(path) is not None and _is_checksummed(path, data)


def _is_checksummed(path: str, data: bytes) -> bool:
    stem, _, kind = path.rpartition("/")[2].rpartition(".")
    return data.startswith(_MAGIC[kind]) and has_checksum(data) and _belongs_to_pack(stem, kind, data)


def _belongs_to_pack(stem: str, kind: str, data: bytes) -> bool:
    """Tell whether a pack has the name that its checksum makes, and its companions hold that checksum."""
    if kind == "pack":
        return stem.endswith(data[-20:].hex())
    if kind in ("idx", "rev", "mtimes"):
        return stem.endswith(data[-40:-20].hex())
    return True


def _is_shared_index(path: str, data: bytes) -> bool:
    try:
        parse_shared_index(data, path.removeprefix(SHARED_INDEX))
    except BadRepository:
        return False
    return True


def _is_object(path: str, data: bytes, budget: Budget) -> bool:
    match = LOOSE_OBJECT.fullmatch(path)
    if match is None:
        return False
    try:
        read_loose(data, match[1] + match[2], budget)
    except BadRepository:
        return False
    return True

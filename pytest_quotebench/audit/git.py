"""Changes of a repository: commits, message, committed files, index, refs, objects, and what else lies in .git."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_quotebench.audit import _repository as made
from pytest_quotebench.audit._change import Mutation, content, replaced
from pytest_quotebench.audit._git_same import same_repository
from pytest_quotebench.audit._git_state import State
from pytest_quotebench.audit._repository import Listed
from pytest_quotebench.audit._texts import changes
from pytest_quotebench.core.git_goal import GitGoal
from pytest_quotebench.core.git_objects import GitObject
from pytest_quotebench.core.task import Task
from pytest_quotebench.core.tree import Directory, Entry, File, FileTree, Special, Symlink


def mutations(task: Task, reached: FileTree) -> Iterator[Mutation]:
    """Change a git task's repository in one way each."""
    if isinstance(task.goal, GitGoal):
        state = State.of(task.goal, task.fixture.tree, reached)
        yield from _commits(state)
        yield from _messages(state)
        yield from _committed_files(state)
        yield from _indexes(state)
        yield from _refs(state)
        yield from _heads(state)
        yield from _objects(state)
        yield from _files(state)


def equivalents(task: Task, reached: FileTree) -> Iterator[Mutation]:
    """Write the same repository another way."""
    if isinstance(task.goal, GitGoal):
        yield from same_repository(State.of(task.goal, task.fixture.tree, reached))


def _commits(state: State) -> Iterator[Mutation]:
    tree, message = state.tree.name, state.message + b"\n"
    root = made.commit(tree, message)
    yield Mutation("second-commit", state.at(made.commit(tree, message, [state.head])))
    yield Mutation("earlier-commit", state.at(made.commit(tree, message, [root.name]), root))
    yield Mutation("merge-commit", state.at(made.commit(tree, message, [state.head, root.name]), root))
    third = made.commit(tree, message, [state.head])
    yield Mutation("third-commit", state.at(made.commit(tree, message, [third.name]), third))
    yield Mutation("parent-missing", state.at(made.commit(tree, message, ["1" * 40])))
    yield Mutation("tree-missing", state.at(made.commit("2" * 40, message)))
    yield Mutation("tree-a-blob", state.at(made.commit(state.blob.name, message)))
    yield Mutation("branch-at-a-tree", state.naming(state.branch, state.tree.name))
    tag = GitObject("tag", f"object {state.head}\ntype commit\ntag x\ntagger {made.IDENTITY}\n\nx\n".encode())
    yield Mutation("branch-at-a-tag", state.at(tag))
    yield Mutation("commit-without-headers", state.at(GitObject("commit", message)))


def _messages(state: State) -> Iterator[Mutation]:
    for kind, message in changes(state.message):
        if message.rstrip(b"\n") != state.message:
            yield Mutation(f"message-{kind}", state.at(made.commit(state.tree.name, message + b"\n")))
    signed = state.message + f"\n\nSigned-off-by: {made.IDENTITY}\n".encode()
    yield Mutation("message-signed-off", state.at(made.commit(state.tree.name, signed)))


def _committed_files(state: State) -> Iterator[Mutation]:
    file, other = state.file, made.blob(state.blob.data + b"x")
    subtree = made.tree([file])
    for kind, listing in (
        ("committed-nothing", []),
        ("committed-other-content", [Listed(file.path, other.name)]),
        ("committed-file-more", [file, Listed("zz", file.blob)]),
        ("committed-other-name", [Listed(file.path.upper(), file.blob)]),
        ("committed-file-twice", [file, file]),
        ("committed-executable", [Listed(file.path, file.blob, 0o100755)]),
        ("committed-symlink", [Listed(file.path, file.blob, 0o120000)]),
        ("committed-submodule", [Listed(file.path, state.head, 0o160000)]),
        ("committed-submodule-more", [file, Listed("sub", state.head, 0o160000)]),
        ("committed-directory", [Listed(file.path, subtree.name, 0o040000)]),
        ("committed-in-directory", [Listed("sub", subtree.name, 0o040000)]),
        ("committed-empty-directory", [file, Listed("sub", made.tree([]).name, 0o040000)]),
        ("committed-missing-blob", [Listed(file.path, "3" * 40)]),
        ("committed-odd-mode", [Listed(file.path, file.blob, 0o100664)]),
    ):
        yield Mutation(kind, state.holding(made.tree(listing), other, subtree, made.tree([])))


def _indexes(state: State) -> Iterator[Mutation]:
    file, index = state.file, ".git/index"
    listing, other = content(state.reached, index), made.blob(b"other\n")
    yield from _split_indexes(state)
    yield Mutation("index-missing", state.reached.without(index))
    yield Mutation("index-a-symlink", replaced(state.reached, index, Symlink("index.real")))
    yield Mutation("index-a-fifo", replaced(state.reached, index, Special("fifo")))
    for kind, data in (
        ("index-emptied", b""),
        ("index-cut-short", listing[:-7]),
        ("index-checksum", listing[:-1] + bytes([listing[-1] ^ 1])),
        ("index-garbage", made.checksummed(b"DIRC\0\0\0\2\xff\xff\xff\xff")),
        ("index-without-entries", made.index([])),
        ("index-file-more", made.index([file, Listed("zz", file.blob)])),
        ("index-other-name", made.index([Listed("other.txt", file.blob)])),
        ("index-other-content", made.index([Listed(file.path, other.name)])),
        ("index-executable", made.index([Listed(file.path, file.blob, 0o100755)])),
        ("index-conflict", made.index([file], stage=2)),
    ):
        yield Mutation(kind, state.reached.with_entries({index: File(data), **made.loose(other)}))


def _split_indexes(state: State) -> Iterator[Mutation]:
    file, index = state.file, ".git/index"
    shared = made.split_index([], [file])
    yield Mutation("index-shared-part-missing", state.adding(index, shared[index]))
    for kind, added, held in (
        ("index-shared-file-more", [], [file, Listed("zz", file.blob)]),
        ("index-shared-other-name", [], [Listed("other.txt", file.blob)]),
        ("index-shared-executable", [], [Listed(file.path, file.blob, 0o100755)]),
        ("index-split-file-more", [Listed("zz", file.blob)], [file]),
        ("index-split-executable", [Listed(file.path, file.blob, 0o100755)], [file]),
        ("index-split-empty", [], []),
    ):
        yield Mutation(kind, state.reached.with_entries(made.split_index(added, held)))


def _refs(state: State) -> Iterator[Mutation]:
    for kind, ref in (
        ("branch-more", "refs/heads/other"),
        ("tag-more", "refs/tags/v1"),
        ("stash-more", "refs/stash"),
        ("notes-more", "refs/notes/commits"),
        ("remote-branch-more", "refs/remotes/origin/main"),
        ("replace-ref-more", f"refs/replace/{state.head}"),
        ("original-ref-more", f"refs/original/{state.branch}"),
    ):
        yield Mutation(kind, state.naming(ref))
        line = f"# pack-refs with: peeled fully-peeled sorted \n{state.head} {ref}\n".encode()
        yield Mutation(f"packed-{kind}", state.adding(".git/packed-refs", File(line)))
    branch = f".git/{state.branch}"
    yield Mutation("branch-missing", state.reached.without(branch))
    for kind, data in (
        ("branch-emptied", b""),
        ("branch-symbolic", b"ref: refs/heads/other\n"),
        ("branch-symbolic-loop", f"ref: {state.branch}\n".encode()),
        ("branch-at-nothing", b"0" * 40 + b"\n"),
        ("branch-garbage", b"\xff\0"),
        ("branch-cut-short", state.head[:-1].encode() + b"\n"),
    ):
        yield Mutation(kind, state.adding(branch, File(data)))
    yield Mutation("branch-a-symlink", replaced(state.reached, branch, Symlink("../../ORIG_HEAD")))
    yield Mutation("packed-refs-garbage", state.adding(".git/packed-refs", File(b"garbage\n")))
    yield Mutation("packed-refs-a-directory", state.adding(".git/packed-refs", Directory()))


def _heads(state: State) -> Iterator[Mutation]:
    for kind, data in (
        ("head-on-unborn-branch", b"ref: refs/heads/unborn\n"),
        ("head-on-tag", b"ref: refs/tags/v1\n"),
        ("head-symbolic-loop", b"ref: HEAD\n"),
        ("head-outside-refs", b"ref: refs/heads/../../index\n"),
        ("head-emptied", b""),
        ("head-garbage", b"\0\xff" * 9),
        ("head-detached-at-nothing", b"4" * 40 + b"\n"),
        ("head-huge", b"ref: refs/heads/" + b"x" * 2**20),
    ):
        yield Mutation(kind, state.adding(".git/HEAD", File(data)))
    detached: dict[str, Entry] = {".git/HEAD": File(f"{state.head}\n".encode())}
    other = made.commit(state.tree.name, state.message)
    for kind, tree in (
        ("head-detached-beside-two-branches", state.naming("refs/heads/other")),
        ("head-detached-beside-tag", state.naming("refs/tags/v1")),
        ("head-detached-beside-odd-branch", state.naming("refs/heads/x.lock").without(f".git/{state.branch}")),
        ("head-detached-branch-elsewhere", state.at(other)),
    ):
        yield Mutation(kind, tree.with_entries(detached))
    yield Mutation("head-missing", state.reached.without(".git/HEAD"))
    yield Mutation("head-a-symlink", replaced(state.reached, ".git/HEAD", Symlink(state.branch)))
    yield Mutation("head-a-fifo", replaced(state.reached, ".git/HEAD", Special("fifo")))


def _objects(state: State) -> Iterator[Mutation]:
    for part, name in (("commit", state.head), ("tree", state.tree.name), ("blob", state.blob.name)):
        path = made.loose_path(name)
        data = content(state.reached, path)
        yield Mutation(f"{part}-object-missing", state.reached.without(path))
        yield Mutation(f"{part}-object-cut-short", state.adding(path, File(data[:-5])))
        yield Mutation(f"{part}-object-garbage", state.adding(path, File(b"garbage")))
        yield Mutation(f"{part}-object-another", state.adding(path, File(made.loose_data(made.blob(b"x")))))
        yield Mutation(f"{part}-object-a-symlink", replaced(state.reached, path, Symlink("../aa")))
    for kind, path, entry in (
        ("object-misnamed", f".git/objects/ab/{'0' * 38}", File(made.loose_data(made.blob(b"x")))),
        ("object-no-object", f".git/objects/ab/{'1' * 38}", File(b"a script\n")),
        ("object-left-half-written", ".git/objects/ab/tmp_obj_x", File(b"")),
        ("object-directory-odd", ".git/objects/zz", Directory()),
        ("pack-without-pack", f".git/objects/pack/pack-{'0' * 40}.pack", File(b"a script\n")),
        ("pack-misnamed", f".git/objects/pack/pack-{'0' * 40}.pack", File(made.checksummed(b"PACK"))),
        ("pack-kept", f".git/objects/pack/pack-{'0' * 40}.keep", File(b"")),
        ("graph-without-graph", ".git/objects/info/commit-graph", File(b"a script\n")),
        ("alternates", ".git/objects/info/alternates", File(b"/elsewhere/objects\n")),
    ):
        yield Mutation(kind, state.adding(path, entry))


def _files(state: State) -> Iterator[Mutation]:
    config = content(state.reached, ".git/config")
    for kind, name, data in (
        ("config-changed", "config", config + b"[alias]\n\tx = y\n"),
        ("config-emptied", "config", b""),
        ("exclude-changed", "info/exclude", b"*.log\n"),
        ("hook", "hooks/pre-commit", b"#!/bin/sh\n"),
        ("hook-of-no-name", "hooks/script", b"#!/bin/sh\n"),
        ("attributes", "info/attributes", b"* text\n"),
        ("grafts", "info/grafts", f"{state.head}\n".encode()),
        ("shallow", "shallow", f"{state.head}\n".encode()),
        ("commondir", "commondir", b"..\n"),
        ("gitdir", "gitdir", b"/elsewhere\n"),
        ("worktree-config", "config.worktree", b""),
        ("worktree", "worktrees/w/HEAD", b"ref: refs/heads/w\n"),
        ("submodule-repository", "modules/m/HEAD", b"ref: refs/heads/m\n"),
        ("merge-begun", "MERGE_HEAD", f"{state.head}\n".encode()),
        ("rebase-begun", "rebase-merge/done", b""),
        ("lock-left", "index.lock", b""),
        ("maintenance-lock-with-content", "objects/maintenance.lock", b"a script\n"),
        ("log-of-another-branch", "logs/refs/heads/other", b""),
        ("file-in-git-directory", "script.sh", b"#!/bin/sh\n"),
        ("reroute", "refs.txt", b""),
        ("auto-merge-with-content", "AUTO_MERGE", b"a script\n"),
        ("auto-merge-twice", "AUTO_MERGE", f"{state.tree.name}\n".encode() * 2),
        ("fetch-head-with-content", "FETCH_HEAD", b"a script\n"),
        ("fetch-head-with-more", "FETCH_HEAD", f"{state.head}\t\t.\na script\n".encode()),
        ("fetch-head-odd-mark", "FETCH_HEAD", f"{state.head}\tfor-merge\t.\n".encode()),
        ("conflict-watched", "MERGE_RR", f"{state.head}\t{state.file.path}\0".encode()),
        ("conflict-recorded", f"rr-cache/{state.head}/preimage", b""),
        ("shared-index-with-content", f"sharedindex.{state.head}", b"a script\n"),
        ("shared-index-misnamed", f"sharedindex.{state.head}", made.index([state.file])),
    ):
        yield Mutation(kind, state.adding(f".git/{name}", File(data)))
    yield Mutation("hook-a-symlink", state.adding(".git/hooks/x.sample", Symlink("/bin/sh")))
    yield Mutation("log-a-fifo", replaced(state.reached, ".git/logs/HEAD", Special("fifo")))
    yield Mutation("config-missing", state.reached.without(".git/config"))
    yield Mutation("refs-directory-missing", state.reached.without(".git/refs/tags"))
    yield Mutation("git-directory-missing", state.reached.without(".git"))
    yield Mutation("git-directory-a-file", replaced(state.reached, ".git", File(b"gitdir: /elsewhere\n")))

"""The same repository written another way: the commit, how its objects and the index are stored, its branch."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_quotebench.audit import _repository as made
from pytest_quotebench.audit._change import Mutation, content
from pytest_quotebench.audit._git_state import State
from pytest_quotebench.core.tree import Directory, Entry, File


def same_repository(state: State) -> Iterator[Mutation]:
    """Give the states that are as good as a git task's reached one."""
    yield from _same_commit(state)
    yield from _same_storage(state)
    yield from _same_refs(state)
    yield from _left_by_git(state)


def _same_commit(state: State) -> Iterator[Mutation]:
    tree, message = state.tree.name, state.message
    for kind, commit in (
        ("message-without-newline", made.commit(tree, message)),
        ("message-with-newlines", made.commit(tree, message + b"\n\n\n")),
        ("amended", made.commit(tree, message + b"\n", identity="A <a@example.invalid> 1 -0330")),
        ("author-without-name", made.commit(tree, message + b"\n", identity=" <> 1700000000 +0000")),
    ):
        yield Mutation(kind, state.at(commit))


def _same_storage(state: State) -> Iterator[Mutation]:
    commit = made.commit(state.tree.name, state.message + b"\n")
    objects = (commit, state.tree, state.blob)
    bare = state.reached
    for name in (state.head, state.tree.name, state.blob.name):
        bare = bare.without(f".git/objects/{name[:2]}")
    ref: dict[str, Entry] = {f".git/{state.branch}": File(f"{commit.name}\n".encode())}
    yield Mutation("packed", bare.with_entries({**made.pack(objects), **ref}))
    yield Mutation("packed-by-maintenance", bare.with_entries({**made.pack(objects, "loose"), **ref}))
    yield Mutation("loose-and-packed", state.reached.with_entries({**made.pack(objects), **ref}))
    yield Mutation("index-split", state.reached.with_entries(made.split_index([], [state.file])))
    yield Mutation("index-split-anew", state.reached.with_entries(made.split_index([state.file], [])))
    yield Mutation("index-rewritten", state.adding(".git/index", File(made.index([state.file]))))
    yield Mutation(
        "object-mode",
        state.adding(
            made.loose_path(state.head), File(content(state.reached, made.loose_path(state.head)), 0o644)
        ),
    )
    yield Mutation("object-unreachable", state.reached.with_entries(made.loose(made.blob(b"forgotten\n"))))
    yield Mutation("without-logs", state.reached.without(".git/logs").without(".git/COMMIT_EDITMSG"))


def _same_refs(state: State) -> Iterator[Mutation]:
    without = state.reached.without(f".git/{state.branch}").without(".git/logs")
    name = f"{state.head}\n".encode()
    for branch in ("master", "fix/quotes", "größe"):
        moved = {
            ".git/HEAD": File(f"ref: refs/heads/{branch}\n".encode()),
            f".git/refs/heads/{branch}": File(name),
        }
        yield Mutation("branch-of-another-name", without.with_entries(moved))
    line = f"# pack-refs with: peeled fully-peeled sorted \n{state.head} {state.branch}\n".encode()
    yield Mutation("packed-ref", without.with_entries({".git/packed-refs": File(line)}))
    yield Mutation("packed-and-loose-ref", state.adding(".git/packed-refs", File(line)))
    yield Mutation("detached-beside-branch", state.adding(".git/HEAD", File(name)))
    yield Mutation("detached", without.with_entries({".git/HEAD": File(name)}))


def _left_by_git(state: State) -> Iterator[Mutation]:
    for kind, name, data in (
        ("rebased", "AUTO_MERGE", f"{state.tree.name}\n"),
        ("fetched", "FETCH_HEAD", f"{state.head}\t\t.\n"),
        ("fetched-branch", "FETCH_HEAD", f"{state.head}\tnot-for-merge\tbranch 'it's/é' of file:///x\n"),
        ("fetched-nothing", "FETCH_HEAD", ""),
        ("conflicts-watched", "MERGE_RR", ""),
    ):
        yield Mutation(kind, state.adding(f".git/{name}", File(data.encode())))
    yield Mutation("conflicts-recorded", state.adding(".git/rr-cache", Directory()))
    yield Mutation("maintenance-lock", state.adding(".git/objects/maintenance.lock", File(b"")))

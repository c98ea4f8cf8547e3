"""A git task's reached state, taken apart so that states next to it can be built."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_quotebench.audit import _repository as made
from pytest_quotebench.audit._change import content
from pytest_quotebench.audit._repository import Listed
from pytest_quotebench.core.git_goal import GitGoal
from pytest_quotebench.core.git_objects import GitObject
from pytest_quotebench.core.git_refs import read_head
from pytest_quotebench.core.text import to_bytes
from pytest_quotebench.core.tree import Entry, File, FileTree


@dataclass(frozen=True)
class State:
    """The reached state, and the parts of a right repository to build others from."""

    reached: FileTree
    branch: str
    head: str
    message: bytes
    file: Listed
    blob: GitObject
    tree: GitObject

    @classmethod
    def of(cls, goal: GitGoal, before: FileTree, reached: FileTree) -> State:
        """Take a state apart. Raises ValueError unless HEAD is a branch with a commit."""
        head = read_head(reached)
        if head.branch is None or head.commit is None:
            raise ValueError("the audit starts from a repository whose HEAD is a branch with a commit")
        path = goal.tracked[0]
        blob = made.blob(content(before, path))
        file = Listed(path, blob.name)
        return cls(reached, head.branch, head.commit, to_bytes(goal.message), file, blob, made.tree([file]))

    def at(self, commit: GitObject, *more: GitObject) -> FileTree:
        """Return the reached state with the branch at another commit, and these objects added."""
        entries = {**made.loose(commit, *more), f".git/{self.branch}": File(f"{commit.name}\n".encode())}
        return self.reached.with_entries(entries)

    def holding(self, tree: GitObject, *more: GitObject) -> FileTree:
        """Return the reached state with the branch at a commit of `tree`."""
        return self.at(made.commit(tree.name, self.message + b"\n"), tree, *more)

    def adding(self, path: str, entry: Entry) -> FileTree:
        """Return the reached state with one entry added or replaced."""
        return self.reached.with_entries({path: entry})

    def naming(self, ref: str, name: str | None = None) -> FileTree:
        """Return the reached state with one ref more, at the commit or at another object."""
        return self.adding(f".git/{ref}", File(f"{name or self.head}\n".encode()))

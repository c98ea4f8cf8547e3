"""Changes of what the fixture laid down and the goal does not decide; and of what had to go and did not."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

from pytest_quotebench.audit._change import Mutation, replaced
from pytest_quotebench.core.task import Task
from pytest_quotebench.core.tree import Directory, Entry, File, FileTree, Special, Symlink

_FILE_CHANGES: Mapping[str, Callable[[File], Entry]] = MappingProxyType(
    {
        "fixture-byte-touched": lambda file: File(file.data[:-1] + bytes([file.data[-1] ^ 1]), file.mode),
        "fixture-byte-added": lambda file: File(file.data + b"\n", file.mode),
        "fixture-last-newline-lost": lambda file: File(file.data.removesuffix(b"\n"), file.mode),
        "fixture-emptied": lambda file: File(b"", file.mode),
        "fixture-mode-600": lambda file: File(file.data, 0o600),
        "fixture-mode-executable": lambda file: File(file.data, file.mode ^ 0o111),
        "fixture-mode-setuid": lambda file: File(file.data, file.mode | 0o4000),
        "fixture-to-symlink": lambda _: Symlink("/dev/null"),
        "fixture-to-fifo": lambda _: Special("fifo"),
        "fixture-to-directory": lambda _: Directory(),
    }
)


def mutations(task: Task, reached: FileTree) -> Iterator[Mutation]:
    """Change the first file and directory that must be as they were, and bring back what must be gone."""
    yield from _of_first_file(task, reached)
    yield from _of_first_directory(task, reached)
    yield from _back_again(task, reached)


def _of_first_file(task: Task, reached: FileTree) -> Iterator[Mutation]:
    named = task.goal.named(task.fixture.tree)
    kept = ((path, entry) for path, entry in task.fixture.tree.items() if path not in named)
    for path, entry in kept:
        if isinstance(entry, File) and entry.data and not path.startswith(".git/"):
            for kind, change in _FILE_CHANGES.items():
                yield Mutation(kind, replaced(reached, path, change(entry)))
            yield Mutation("fixture-file-missing", reached.without(path))
            yield Mutation("fixture-file-renamed", reached.without(path).with_entries({f"{path}.old": entry}))
            return


def _of_first_directory(task: Task, reached: FileTree) -> Iterator[Mutation]:
    for path, entry in task.fixture.tree.items():
        if isinstance(entry, Directory):
            yield Mutation("fixture-directory-mode", reached.with_entries({path: Directory(0o700)}))
            yield Mutation("fixture-directory-missing", reached.without(path))
            yield Mutation("fixture-directory-to-symlink", replaced(reached, path, Symlink("/dev")))
            return


def _back_again(task: Task, reached: FileTree) -> Iterator[Mutation]:
    gone = [(path, entry) for path, entry in task.fixture.tree.items() if path not in reached]
    for path, entry in gone[:1]:
        yield Mutation("old-file-left", reached.with_entries({path: entry}))
        yield Mutation("old-file-left-empty", reached.with_entries({path: File(b"")}))
        yield Mutation("old-name-a-symlink", reached.with_entries({path: Symlink("elsewhere")}))
        yield Mutation("old-name-a-directory", reached.with_entries({path: Directory()}))
    if len(gone) > 1:
        yield Mutation("nothing-done", task.fixture.tree)

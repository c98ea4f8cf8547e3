"""Changes of the directory: an entry more, another kind of entry in a file's place, a file missing or misnamed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from pytest_quotebench.audit._change import Mutation, content, replaced, targets
from pytest_quotebench.core.task import Task
from pytest_quotebench.core.tree import Directory, Entry, File, FileTree, Special, Symlink

_MORE: Mapping[str, Mapping[str, Entry]] = MappingProxyType(
    {
        "file-more": {"script.sh": File(b"#!/bin/sh\n")},
        "hidden-file-more": {".swap": File(b"")},
        "odd-file-more": {"\udcff\n": File(b"")},
        "file-in-directory-more": {"tmp/script.sh": File(b"")},
        "empty-directory-more": {"empty": Directory()},
        "hidden-directory-more": {".cache": Directory()},
        "symlink-more": {"link": Symlink("nowhere")},
        "fifo-more": {"pipe": Special("fifo")},
        "socket-more": {"socket": Special("socket")},
    }
)
_IN_PLACE: Mapping[str, Entry] = MappingProxyType(
    {
        "symlink-in-place": Symlink("/dev/stdout"),
        "fifo-in-place": Special("fifo"),
        "socket-in-place": Special("socket"),
        "directory-in-place": Directory(),
    }
)


def mutations(task: Task, reached: FileTree) -> Iterator[Mutation]:
    """Add entries beside the reached state, and change the first file that the goal decides."""
    for kind, more in _MORE.items():
        if not any(path in reached for path in more):
            yield Mutation(kind, reached.with_entries(more))
    for path in targets(task, reached)[:1]:
        yield from _of_target(reached, path)


def _of_target(reached: FileTree, path: str) -> Iterator[Mutation]:
    entry = reached[path]
    yield Mutation("file-missing", reached.without(path))
    for kind, other in _IN_PLACE.items():
        yield Mutation(kind, replaced(reached, path, other))
    right_content = replaced(reached, path, Symlink("right-content"))
    beside = f"{path.rpartition('/')[0]}/right-content".lstrip("/")
    yield Mutation("symlink-to-right-content", right_content.with_entries({beside: File(content(reached, path))}))
    yield Mutation("backup-left", reached.with_entries({f"{path}.bak": entry}))
    for kind, name in _misnamed(path):
        if name not in reached:
            yield Mutation(kind, reached.without(path).with_entries({name: entry}))


def _misnamed(path: str) -> Iterator[tuple[str, str]]:
    yield "name-in-upper-case", path.upper()
    yield "name-with-space", f"{path} "
    yield "name-with-newline", f"{path}\n"
    yield "name-in-quotes", f"{path.rpartition('/')[0]}/'{path.rpartition('/')[2]}'".lstrip("/")
    yield "name-in-subdirectory", f"sub/{path}"
    if "/" in path:
        yield "name-on-the-wrong-side", path.rpartition("/")[2]

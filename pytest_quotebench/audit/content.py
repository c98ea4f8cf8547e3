"""Changes of what the goal's files hold, byte by byte."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_quotebench.audit._change import Mutation, content, targets, with_content
from pytest_quotebench.audit._texts import changes
from pytest_quotebench.core.goals import JsonGoal
from pytest_quotebench.core.task import Task
from pytest_quotebench.core.text import to_bytes
from pytest_quotebench.core.tree import File, FileTree


def mutations(task: Task, reached: FileTree) -> Iterator[Mutation]:
    """Change the first file that the goal decides; JSON has changes of its own, as spacing is free there."""
    if isinstance(task.goal, JsonGoal):
        return
    for path in targets(task, reached)[:1]:
        data = content(reached, path)
        for kind, changed in changes(data):
            yield Mutation(kind, with_content(reached, path, changed))
        for kind, changed in _payloads_exchanged(task, data):
            if changed != data:
                yield Mutation(kind, with_content(reached, path, changed))


def equivalents(task: Task, reached: FileTree) -> Iterator[Mutation]:
    """Change the permissions of a new file: they do not count."""
    for path in targets(task, reached):
        if path not in task.fixture.tree:
            for mode in (0o600, 0o666, 0o755, 0o444):
                yield Mutation(
                    f"mode-{mode:03o}", reached.with_entries({path: File(content(reached, path), mode)})
                )


def _payloads_exchanged(task: Task, data: bytes) -> Iterator[tuple[str, bytes]]:
    """Put one payload where another belongs: exchanged, and at one place only."""
    if len(task.payloads) > 1:
        one, other = (to_bytes(payload) for payload in task.payloads[:2])
        parts = [part.replace(one, other) for part in data.split(other)]
        yield "payloads-exchanged", one.join(parts)
        yield "payload-at-one-place", data.replace(other, one, 1)

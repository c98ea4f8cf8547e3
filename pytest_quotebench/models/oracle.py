"""The oracle: the command built by machine that must pass."""

from __future__ import annotations

from collections.abc import Callable

from pytest_quotebench.core.task import Task


class Oracle:
    """Answers with the task's own right command."""

    def reply(self, task: Task, encode: Callable[[str], str]) -> str:
        """Return the oracle command as a reply under the contract."""
        return encode(task.oracle)


MODEL = Oracle()

"""The naive model: the payload in the most tempting wrong quoting. It must fail every hostile task under raw."""

from __future__ import annotations

from collections.abc import Callable

from pytest_quotebench.core.task import Task


class Naive:
    """Answers with the task's own tempting wrong command."""

    def reply(self, task: Task, encode: Callable[[str], str]) -> str:
        """Return the naive command as a reply under the contract: wrong in its quoting, not in its wrapping."""
        return encode(task.naive)


MODEL = Naive()

"""Models whose replies are made rather than read from a file.

One file each; the file's name is the option's value. Each file defines `MODEL`, an object of the protocol below.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from pytest_quotebench.core.task import Task


class Model(Protocol):
    """A source of replies."""

    def reply(self, task: Task, encode: Callable[[str], str]) -> str:
        """Return the reply to a task; `encode` turns a command into a reply that honours the contract."""
        ...

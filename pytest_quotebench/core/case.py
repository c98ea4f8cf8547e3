"""A case: one task, one reply, one contract, one transport."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from pytest_quotebench.core.reply import Reply
from pytest_quotebench.core.task import Task


@dataclass(frozen=True, kw_only=True)
class Case:
    """What one test item runs. The contract is the reply's own."""

    task: Task
    reply: Reply
    transport: str

    @cached_property
    def id(self) -> str:
        """The item's name: `write-file-t3-raw-nested-gpt-5.5-high-0`."""
        reply = self.reply
        return f"{self.task.id}-{reply.contract}-{self.transport}-{reply.configuration.slug}-{reply.trial}"

    @property
    def cell(self) -> str:
        """Contract and transport: `raw/nested`."""
        return f"{self.reply.contract}/{self.transport}"

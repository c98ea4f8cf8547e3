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
    userland: str = ""
    """The userland that was named; empty for the programs that the sandbox has of its own."""
    mark: str = ""
    """Tells cases apart whose names would otherwise be the same (`json` of `naive-m`, `json-naive` of `m`)."""

    @cached_property
    def id(self) -> str:
        """The item's name: `write-file-t3-raw-nested-gpt-5.5-high-0`, with the userland that was named."""
        reply = self.reply
        configuration = f"{reply.configuration.slug}{self.mark}"
        own = f"{self.task.id}-{reply.contract}-{self.transport}-{configuration}-{reply.trial}"
        return f"{own}-{self.userland}" if self.userland else own

    @property
    def cell(self) -> str:
        """Contract and transport: `raw/nested`."""
        return f"{self.reply.contract}/{self.transport}"

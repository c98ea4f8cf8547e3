"""What the family modules share: a tier's name, the markers of an instruction, and the tempting quotes."""

from __future__ import annotations

from typing import NamedTuple

from pytest_quotebench.core.goals import Goal
from pytest_quotebench.core.task import Fixture, Task

FREE = Fixture()
"""An empty task directory."""


class Tier(NamedTuple):
    """One of a family's four tiers: 0 is the benign control, 3 the most hostile."""

    number: int
    label: str
    """The last part of the published id: `gnarly` in `write-file/t3-gnarly`."""
    hazards: tuple[str, ...]

    def task(  # noqa: PLR0913  they are the parts of a task
        self,
        family: str,
        *,
        payloads: tuple[str, ...],
        instruction: str,
        fixture: Fixture,
        goal: Goal,
        allowed_new_files: tuple[str, ...],
        oracle: str,
        naive: str,
    ) -> Task:
        """Return the family's task of this tier."""
        return Task(
            id=f"{family}-t{self.number}",
            published_id=f"{family}/t{self.number}-{self.label}",
            family=family,
            tier=self.number,
            hazards=self.hazards,
            instruction=instruction,
            payloads=payloads,
            fixture=fixture,
            goal=goal,
            allowed_new_files=allowed_new_files,
            oracle=oracle,
            naive=naive,
        )


def marked(text: str) -> str:
    """Return `text` between the markers that say: every character in here is literal."""
    return f"⟪{text}⟫"


def tempting_quotes(text: str) -> str:
    """Return `text` as a hasty writer quotes it, without looking at what it holds.

    Single quotes around a text whose only trouble is an apostrophe, double quotes around any other.
    """
    apostrophe_only = "'" in text and not any(character in text for character in '"$`\\\n')
    return f"'{text}'" if apostrophe_only else f'"{text}"'

"""The Quoting Gap: how many percentage points hostile payloads cost where nothing lies between reply and shell."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from pytest_quotebench.core.result import Tally
from pytest_quotebench.core.task import CONTROL_TIER
from pytest_quotebench.stats.cells import RAW, Count, Missing

_CELL = f"{RAW}/{RAW}"


@dataclass(frozen=True, slots=True)
class QuotingGap:
    """Controls (tier 0) and hostile tasks (tiers 1 to 3) under raw contract and raw transport."""

    control: Count | Missing
    hostile: Count | Missing

    @property
    def pp(self) -> float | Missing:
        """Control rate minus hostile rate, in percentage points."""
        if isinstance(self.control, Missing):
            return self.control
        if isinstance(self.hostile, Missing):
            return self.hostile
        return self.control.percent - self.hostile.percent


def quoting_gap(tallies: Iterable[Tally]) -> QuotingGap:
    """Return one configuration's Quoting Gap."""
    matched = [tally for tally in tallies if tally.cell == _CELL and not tally.broken]
    return QuotingGap(
        control=_counted((tally for tally in matched if tally.tier == CONTROL_TIER), "control (tier 0)"),
        hostile=_counted(
            (tally for tally in matched if tally.tier != CONTROL_TIER), "hostile task (tiers 1 to 3)"
        ),
    )


def _counted(tallies: Iterable[Tally], name: str) -> Count | Missing:
    passed = [tally.passed for tally in tallies]
    return Count(sum(passed), len(passed)) if passed else Missing(f"no {name} under {_CELL}")

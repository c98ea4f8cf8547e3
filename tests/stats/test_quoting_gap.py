"""The Quoting Gap is the control rate minus the hostile rate under raw/raw."""

from __future__ import annotations

from collections.abc import Callable

from pytest_quotebench.core.result import Tally
from pytest_quotebench.stats.cells import Count, Missing
from pytest_quotebench.stats.quoting_gap import quoting_gap

Cell = Callable[..., list[Tally]]


def test_controls_and_hostile_tasks_are_counted_under_raw_raw_alone(cell: Cell) -> None:
    """Two families: both controls pass, and three of their six hostile tasks."""
    verdicts = ["pass", "pass", "timeout", "silent-wrong", "pass", "pass", "tool-error", "pass"]
    gap = quoting_gap([*cell("raw/raw", verdicts), *cell("raw/nested", 0), *cell("json/raw", 0)])

    assert (gap.control, gap.hostile) == (Count(2, 2), Count(3, 6))
    assert isinstance(gap.pp, float)
    assert f"{gap.pp:.1f}" == "50.0"


def test_a_gap_without_controls_or_hostile_tasks_says_so(cell: Cell) -> None:
    assert quoting_gap(cell("raw/raw", 1, 1)).pp == Missing("no hostile task (tiers 1 to 3) under raw/raw")
    assert quoting_gap(cell("raw/raw", ["broken", "pass"])).pp == Missing("no control (tier 0) under raw/raw")

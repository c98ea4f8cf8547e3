"""How cases failed: counts by class in each cell. Silent-wrong is one of them and the dangerous one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from pytest_quotebench.core.result import Tally


def failure_counts(tallies: Iterable[Tally]) -> Mapping[str, Counter[str]]:
    """Return, for each cell that has a decided case, how many failed in which class."""
    found: dict[str, Counter[str]] = {}
    for tally in tallies:
        if not tally.broken:
            classes = found.setdefault(tally.cell, Counter())
            if not tally.passed:
                classes[tally.verdict] += 1
    return found

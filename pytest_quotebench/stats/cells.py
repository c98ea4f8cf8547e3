"""Counts of a cell, and differences in percentage points made from counts and never from rounded rates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from pytest_quotebench.core.result import Tally

RAW = "raw"
Draw = tuple[str, int]
"""A task and a trial: what pairs a case in one cell with a case in another."""
CellOutcomes = Mapping[str, Mapping[Draw, bool]]
"""For each cell that was run, whether each draw passed; broken cases are left out."""


@dataclass(frozen=True, slots=True)
class Missing:
    """A figure that cannot be computed, and why. It is never 0."""

    reason: str


@dataclass(frozen=True, slots=True)
class Count:
    """Cases that passed, of those that were decided; at least one. Broken cases are in neither number."""

    passed: int
    total: int

    @property
    def percent(self) -> float:
        """The pass rate in percent."""
        return 100 * self.passed / self.total


@dataclass(frozen=True, slots=True)
class Effect:
    """A difference between cells, over the draws that all of them have."""

    pp: float
    """In percentage points."""
    draws: int
    partial: bool
    """Whether one of the cells has more draws than that."""


def outcomes(tallies: Iterable[Tally]) -> CellOutcomes:
    """Return what became of each draw, by cell; of a case that is told twice the last telling counts."""
    found: dict[str, dict[Draw, bool]] = {}
    for tally in tallies:
        cell = found.setdefault(tally.cell, {})
        draw = (tally.task, tally.trial)
        cell.pop(draw, None)
        if not tally.broken:
            cell[draw] = tally.passed
    return found


def count(cells: CellOutcomes, cell: str) -> Count | Missing:
    """Return the count of one cell."""
    if cell not in cells:
        return Missing(f"no case under {cell}")
    decided = cells[cell].values()
    return Count(sum(decided), len(decided)) if decided else Missing(f"every case under {cell} is broken")


def effect(cells: CellOutcomes, weights: Mapping[str, int]) -> Effect | Missing:
    """Return the weighted sum of the cells' pass rates, in percentage points, over the draws that all have.

    `{"raw/nested": 1, "raw/raw": -1}` is damage.
    """
    for cell in weights:
        counted = count(cells, cell)
        if isinstance(counted, Missing):
            return counted
    shared = frozenset[Draw].intersection(*(frozenset(cells[cell]) for cell in weights))
    if not shared:
        return Missing(f"{', '.join(weights)} have no task and trial in common")
    passed = sum(weight * sum(cells[cell][draw] for draw in shared) for cell, weight in weights.items())
    partial = any(len(cells[cell]) > len(shared) for cell in weights)
    return Effect(100 * passed / len(shared), len(shared), partial)


def cell_order(cell: str) -> tuple[bool, str, bool, str]:
    """Return what cells are sorted by: raw comes first, on both sides."""
    contract, _, transport = cell.partition("/")
    return contract != RAW, contract, transport != RAW, transport

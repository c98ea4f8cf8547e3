"""The crossover: what a boundary does to replies that were not told of it, and to replies that were."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from pytest_quotebench.stats.cells import RAW, CellOutcomes, Count, Effect, Missing, count, effect


class Pairing(NamedTuple):
    """The N of RN, NR and NN: a contract that discloses a boundary, and the transport that is this boundary."""

    disclosed: str
    boundary: str


PAIRINGS = (
    Pairing("disclosed", "nested"),
    Pairing("disclosed-single", "nested-single"),
    Pairing("disclosed-advice", "nested"),
)

MASKED_GAP_PP = 5.0
MASKED_EFFECT_PP = 20.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Crossover:
    """The four cells and what follows from them; first letter contract, second transport."""

    pairing: Pairing
    rr: Count | Missing
    rn: Count | Missing
    nr: Count | Missing
    nn: Count | Missing
    damage: Effect | Missing
    """RN - RR."""
    compensation: Effect | Missing
    """NN - RN."""
    matched_gap: Effect | Missing
    """NN - RR."""
    interaction: Effect | Missing
    """(NN - NR) - (RN - RR)."""

    @property
    def masked(self) -> bool | Missing:
        """Masked fragility: a matched gap within 5 pp that hides 20 pp or more of damage and compensation.

        The rule is the paper's (Table 14) and only describes.
        """
        match self.matched_gap, self.damage, self.compensation:
            case Effect() as gap, Effect() as damage, Effect() as compensation:
                hidden = damage.pp <= -MASKED_EFFECT_PP and compensation.pp >= MASKED_EFFECT_PP
                return abs(gap.pp) <= MASKED_GAP_PP and hidden
            case figures:
                return next(figure for figure in figures if isinstance(figure, Missing))


def crossover(cells: CellOutcomes, pairing: Pairing) -> Crossover:
    """Return one configuration's crossover."""
    rr, rn, nr, nn = _names(pairing)
    return Crossover(
        pairing=pairing,
        rr=count(cells, rr),
        rn=count(cells, rn),
        nr=count(cells, nr),
        nn=count(cells, nn),
        damage=effect(cells, {rn: 1, rr: -1}),
        compensation=effect(cells, {nn: 1, rn: -1}),
        matched_gap=effect(cells, {nn: 1, rr: -1}),
        interaction=effect(cells, {nn: 1, nr: -1, rn: -1, rr: 1}),
    )


def pairings_with_data(cells: CellOutcomes, pairings: Iterable[Pairing] = PAIRINGS) -> tuple[Pairing, ...]:
    """Return the pairings of which a run says something.

    Those whose contract was run; and for a boundary that only raw replies met, the first that names it.
    """
    offered = tuple(pairings)
    told = [pairing for pairing in offered if any(cell in cells for cell in _names(pairing)[2:])]
    for pairing in offered:
        met = _names(pairing)[1] in cells
        if met and all(other.boundary != pairing.boundary for other in told):
            told.append(pairing)
    return tuple(pairing for pairing in offered if pairing in told)


def cells_of(pairing: Pairing) -> frozenset[str]:
    """Return the names of the four cells."""
    return frozenset(_names(pairing))


def _names(pairing: Pairing) -> tuple[str, str, str, str]:
    disclosed, boundary = pairing
    return f"{RAW}/{RAW}", f"{RAW}/{boundary}", f"{disclosed}/{RAW}", f"{disclosed}/{boundary}"

"""The same replies on several userlands: which verdicts change from one to the other (the paper's Table 16)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from pytest_quotebench.core.reply import Configuration
from pytest_quotebench.core.result import Tally
from pytest_quotebench.stats.cells import CellOutcomes, Count, Draw, Missing, cell_order, count, outcomes

_REFERENCES = ("gnu", "bsd")


@dataclass(frozen=True, slots=True, kw_only=True)
class Transfer:
    """One cell of a configuration on two userlands, over the draws that both have."""

    configuration: Configuration
    cell: str
    reference: str
    userland: str
    draws: int
    lost: tuple[Draw, ...]
    """Pass on the reference, fail on the other."""
    gained: tuple[Draw, ...]
    """Fail on the reference, pass on the other."""

    @property
    def pp(self) -> float | Missing:
        """The other's pass rate less the reference's, in percentage points."""
        if not self.draws:
            return Missing(f"{self.cell} has no task and trial in common on {self.reference} and {self.userland}")
        return 100 * (len(self.gained) - len(self.lost)) / self.draws


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """What a run on several userlands says of them; empty where there was one."""

    userlands: tuple[str, ...] = ()
    """The reference first."""
    counts: Mapping[Configuration, Mapping[str, Mapping[str, Count | Missing]]]
    """By configuration, cell and userland."""
    transfers: tuple[Transfer, ...] = ()


def reference_of(userlands: Iterable[str]) -> str:
    """Return the one that the others are compared with: gnu, else bsd, else the first by name; empty of none."""
    known = sorted(set(userlands) - {""})
    return next((name for name in _REFERENCES if name in known), known[0] if known else "")


def compare(tallies: Mapping[Configuration, Mapping[str, tuple[Tally, ...]]]) -> Comparison:
    """Compare what each configuration did on each userland; `tallies` is by configuration and userland."""
    names = {userland for by_userland in tallies.values() for userland in by_userland}
    if len(names) < 2:
        return Comparison(counts={})
    reference = reference_of(names)
    userlands = (reference, *sorted(names - {reference}))
    decided = {
        configuration: {userland: outcomes(by_userland.get(userland, ())) for userland in userlands}
        for configuration, by_userland in tallies.items()
    }
    return Comparison(
        userlands=userlands,
        counts={configuration: _counts(found) for configuration, found in decided.items()},
        transfers=tuple(
            _transfer(configuration, cell, reference, userland, found)
            for configuration, found in decided.items()
            for userland in userlands[1:]
            for cell in _cells(found)
        ),
    )


def _cells(found: Mapping[str, CellOutcomes]) -> list[str]:
    return sorted({cell for cells in found.values() for cell in cells}, key=cell_order)


def _counts(found: Mapping[str, CellOutcomes]) -> Mapping[str, Mapping[str, Count | Missing]]:
    return {cell: {userland: count(cells, cell) for userland, cells in found.items()} for cell in _cells(found)}


def _transfer(
    configuration: Configuration, cell: str, reference: str, userland: str, found: Mapping[str, CellOutcomes]
) -> Transfer:
    before, after = found[reference].get(cell, {}), found[userland].get(cell, {})
    shared = sorted(before.keys() & after.keys())
    return Transfer(
        configuration=configuration,
        cell=cell,
        reference=reference,
        userland=userland,
        draws=len(shared),
        lost=tuple(draw for draw in shared if before[draw] and not after[draw]),
        gained=tuple(draw for draw in shared if after[draw] and not before[draw]),
    )

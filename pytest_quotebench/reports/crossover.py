"""The crossover table: a row for each configuration and disclosed contract."""

from __future__ import annotations

from pytest_quotebench.core.text import visible
from pytest_quotebench.reports._table import (
    MASKED,
    Group,
    count_text,
    effect_text,
    footnotes,
    summary_name,
    table,
)
from pytest_quotebench.stats.crossover import Crossover, Pairing
from pytest_quotebench.stats.summary import Summary

TITLE = "crossover"
ORDER = 10

_HEADER = ("", "RR", "RN", "NR", "NN", "damage", "comp.", "gap")
_LEGEND = (
    "passed/total percent; first letter contract, second transport: R raw, N as the heading says",
    "damage RN-RR, compensation NN-RN, matched gap NN-RR, in percentage points",
)
_MASKED_NOTE = f"{MASKED} masked fragility: a gap within 5 pp hides 20 pp or more of damage and compensation"


def lines(summary: Summary) -> list[str]:
    """Return one table for the run, grouped by contract and boundary."""
    groups: dict[Pairing, Group] = {}
    shown: list[Crossover] = []
    for one in summary.configurations:
        for crossover in one.crossovers:
            group = groups.setdefault(crossover.pairing, Group(_heading(crossover.pairing), []))
            group.rows.append((summary_name(one), *_figures(crossover)))
            shown.append(crossover)
    if not shown:
        return []
    return [*table(_HEADER, sorted(groups.values())), *_LEGEND, *_notes(shown)]


def _heading(pairing: Pairing) -> str:
    return visible(f"contract {pairing.disclosed}, transport {pairing.boundary}")


def _figures(one: Crossover) -> tuple[str, ...]:
    return (
        *map(count_text, (one.rr, one.rn, one.nr, one.nn)),
        effect_text(one.damage),
        effect_text(one.compensation),
        effect_text(one.matched_gap) + (MASKED if one.masked is True else ""),
    )


def _notes(shown: list[Crossover]) -> list[str]:
    figures = (
        figure
        for one in shown
        for figure in (one.rr, one.rn, one.nr, one.nn, one.damage, one.compensation, one.matched_gap)
    )
    masked = any(one.masked is True for one in shown)
    return [*footnotes(figures), _MASKED_NOTE] if masked else footnotes(figures)

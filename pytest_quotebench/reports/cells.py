"""Pass counts of every cell, for configurations that have cells beyond their crossovers."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_quotebench.core.text import visible
from pytest_quotebench.reports._table import Group, count_text, footnotes, summary_name, table
from pytest_quotebench.stats.crossover import cells_of
from pytest_quotebench.stats.summary import ConfigurationSummary, Summary

TITLE = "cells"
ORDER = 30

_TRANSPORTS_ABREAST = 5
"""So many columns stay below 100 characters; more transports go into tables below."""


def lines(summary: Summary) -> list[str]:
    """Return contract by transport, passed/total percent; a blank is a cell that the run does not have."""
    shown = [one for one in summary.configurations if _has_more(one)]
    transports = list(dict.fromkeys(_transport(cell) for one in shown for cell in one.cells))
    found: list[str] = []
    for start in range(0, len(transports), _TRANSPORTS_ABREAST):
        abreast = transports[start : start + _TRANSPORTS_ABREAST]
        groups = (_group(one, abreast) for one in shown)
        header = ("contract", *(visible(name) for name in abreast))
        found.extend(table(header, [group for group in groups if group.rows]))
    return [*found, *footnotes(counted for one in shown for counted in one.cells.values())]


def _has_more(one: ConfigurationSummary) -> bool:
    told = frozenset[str]().union(*(cells_of(crossover.pairing) for crossover in one.crossovers))
    return not told.issuperset(one.cells)


def _group(one: ConfigurationSummary, transports: Sequence[str]) -> Group:
    present = [cell for cell in one.cells if _transport(cell) in transports]
    contracts = dict.fromkeys(cell.partition("/")[0] for cell in present)
    return Group(summary_name(one), [_row(one, name, transports) for name in contracts])


def _row(one: ConfigurationSummary, contract: str, transports: Sequence[str]) -> Sequence[str]:
    counted = (one.cells.get(f"{contract}/{transport}") for transport in transports)
    return visible(contract), *("" if cell is None else count_text(cell) for cell in counted)


def _transport(cell: str) -> str:
    return cell.partition("/")[2]

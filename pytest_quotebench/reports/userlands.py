"""The same replies on several userlands: pass counts of every cell, and which verdicts change."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from pytest_quotebench.core.reply import Configuration
from pytest_quotebench.core.text import visible
from pytest_quotebench.reports._table import (
    Group,
    configuration_name,
    count_text,
    entry,
    footnotes,
    signed,
    table,
)
from pytest_quotebench.stats.cells import Count, Draw, Missing
from pytest_quotebench.stats.summary import Summary
from pytest_quotebench.stats.userlands import Comparison, Transfer

TITLE = "userlands"
ORDER = 45

_ABREAST = 5
"""So many columns stay below 100 characters; more userlands go into tables below."""
_NAMED = 8


def lines(summary: Summary) -> list[str]:
    """Return cell by userland, passed/total percent, and each change against the reference; nothing for one."""
    told = summary.userlands
    if not told.userlands:
        return []
    found: list[str] = []
    for start in range(0, len(told.userlands), _ABREAST):
        found.extend(_table(told, told.userlands[start : start + _ABREAST]))
    found.extend(footnotes(_figures(told)))
    changes = [line for transfer in told.transfers for line in _changes(transfer)]
    heading = f"verdicts of the same replies that change against {visible(told.userlands[0])}"
    return [*found, *([heading, *changes] if changes else [f"{heading}: none"])]


def _table(told: Comparison, userlands: Sequence[str]) -> list[str]:
    groups = [_group(configuration, cells, userlands) for configuration, cells in told.counts.items()]
    return table(("", *map(visible, userlands)), groups)


def _group(
    configuration: Configuration, cells: Mapping[str, Mapping[str, Count | Missing]], userlands: Sequence[str]
) -> Group:
    rows: list[Sequence[str]] = [
        (visible(cell), *(count_text(counts[name]) for name in userlands)) for cell, counts in cells.items()
    ]
    return Group(configuration_name(configuration), rows)


def _figures(told: Comparison) -> Iterable[Count | Missing]:
    return (figure for cells in told.counts.values() for counts in cells.values() for figure in counts.values())


def _changes(transfer: Transfer) -> list[str]:
    """Return what changes in one cell; nothing where nothing does."""
    if not (transfer.lost or transfer.gained) or isinstance(transfer.pp, Missing):
        return []
    where = f"{configuration_name(transfer.configuration)} {visible(transfer.cell)}"
    kinds = (("pass to fail", transfer.lost), ("fail to pass", transfer.gained))
    parts = [f"{len(draws)} {kind} ({_named(draws)})" for kind, draws in kinds if draws]
    return entry(visible(transfer.userland), f"{where}: {signed(transfer.pp)} pp: {'; '.join(parts)}")


def _named(draws: Sequence[Draw]) -> str:
    names = [visible(f"{task}, trial {trial}" if trial else task, 80) for task, trial in draws[:_NAMED]]
    more = len(draws) - len(names)
    return ", ".join(names) + (f" and {more} more" if more else "")

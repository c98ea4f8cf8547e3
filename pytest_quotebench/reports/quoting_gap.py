"""The Quoting Gap: benign controls against hostile payloads, raw contract and raw transport."""

from __future__ import annotations

from pytest_quotebench.reports._table import (
    NOT_COMPUTED,
    Group,
    count_text,
    footnotes,
    signed,
    summary_name,
    table,
)
from pytest_quotebench.stats.cells import Missing
from pytest_quotebench.stats.quoting_gap import QuotingGap
from pytest_quotebench.stats.summary import Summary

TITLE = "quoting gap"
ORDER = 20

_HEADER = ("", "controls", "hostile", "gap")
_HEADING = "tier 0 minus tiers 1 to 3, under raw/raw, in percentage points"


def lines(summary: Summary) -> list[str]:
    """Return one table for the run; configurations without a raw/raw case are left out."""
    shown = [one for one in summary.configurations if _has_data(one.quoting_gap)]
    if not shown:
        return []
    group = Group(_HEADING, [(summary_name(one), *_figures(one.quoting_gap)) for one in shown])
    return [*table(_HEADER, [group]), *footnotes(one.quoting_gap.pp for one in shown)]


def _has_data(gap: QuotingGap) -> bool:
    return not (isinstance(gap.control, Missing) and isinstance(gap.hostile, Missing))


def _figures(gap: QuotingGap) -> tuple[str, str, str]:
    pp = gap.pp
    return (
        count_text(gap.control),
        count_text(gap.hostile),
        NOT_COMPUTED if isinstance(pp, Missing) else signed(pp),
    )

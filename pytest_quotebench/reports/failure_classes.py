"""How cases failed, by cell; silent-wrong, the dangerous one, in a column of its own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from pytest_quotebench.core.text import visible
from pytest_quotebench.core.verdict import FAILURE_CLASSES, VerdictClass
from pytest_quotebench.reports._table import Group, summary_name, table
from pytest_quotebench.stats.summary import ConfigurationSummary, Summary

TITLE = "failure classes"
ORDER = 40

_SILENT = VerdictClass.SILENT_WRONG.value
_RULE = "|"


def lines(summary: Summary) -> list[str]:
    """Return one table for the run: the cells with a failure, the classes that occur."""
    occurring = {
        kind for one in summary.configurations for counts in one.failure_classes.values() for kind in counts
    }
    if not occurring:
        return []
    loud = [kind.value for kind in FAILURE_CLASSES if kind.value in occurring and kind.value != _SILENT]
    groups = (_group(one, loud) for one in summary.configurations)
    return table(("", "failed", *loud, _RULE, _SILENT), [group for group in groups if group.rows])


def _group(one: ConfigurationSummary, loud: Sequence[str]) -> Group:
    failing = ((cell, one.failure_classes[cell]) for cell in one.cells if one.failure_classes.get(cell))
    return Group(summary_name(one), [_row(cell, counts, loud) for cell, counts in failing])


def _row(cell: str, counts: Counter[str], loud: Sequence[str]) -> Sequence[str]:
    return visible(cell), str(counts.total()), *(str(counts[kind]) for kind in loud), _RULE, str(counts[_SILENT])

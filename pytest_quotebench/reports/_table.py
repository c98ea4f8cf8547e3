"""How tables and figures are written: aligned plain text, `-` and a footnote for what cannot be computed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from textwrap import wrap
from typing import NamedTuple

from pytest_quotebench.core.reply import Configuration
from pytest_quotebench.core.text import visible
from pytest_quotebench.stats.cells import Count, Effect, Missing
from pytest_quotebench.stats.summary import ConfigurationSummary

NOT_COMPUTED = "-"
PARTIAL = "~"
MASKED = "*"
PARTIAL_NOTE = f"{PARTIAL} over the tasks and trials that all its cells have; one of them has more"
_NAME_WIDTH = 36
_BETWEEN = "  "
_INDENT = "  "
_UNSAID_USERLANDS = ("", "gnu")
_ENTRY_INDENT = 16
_LINE = 100


class Group(NamedTuple):
    """Rows below a line of their own."""

    heading: str
    rows: list[Sequence[str]]


def table(header: Sequence[str], groups: Sequence[Group]) -> list[str]:
    """Return an aligned table: the first column to the left, all others to the right, marks beyond the figures."""
    rows = [header, *(row for group in groups for row in group.rows)]
    columns = zip(*rows, strict=True)
    aligned = zip(_left(next(columns)), *(_right(column) for column in columns), strict=True)
    lines = [_INDENT + _BETWEEN.join(row) for row in aligned]
    found = [lines[0]]
    start = 1
    for group in groups:
        found.extend([group.heading, *lines[start : start + len(group.rows)]])
        start += len(group.rows)
    return [line.rstrip() for line in found]


def _left(column: Sequence[str]) -> list[str]:
    width = max(map(len, column))
    return [text.ljust(width) for text in column]


def _right(column: Sequence[str]) -> list[str]:
    figures = [text.rstrip(PARTIAL + MASKED) for text in column]
    width = max(map(len, figures))
    room = max(len(text) - len(figure) for text, figure in zip(column, figures, strict=True))
    pairs = zip(column, figures, strict=True)
    return [figure.rjust(width) + text[len(figure) :].ljust(room) for text, figure in pairs]


def configuration_name(configuration: Configuration) -> str:
    """Return a configuration for a table: printable, and shortened in the middle where it is long."""
    shown = visible(str(configuration), 400)
    if len(shown) <= _NAME_WIDTH:
        return shown
    half = (_NAME_WIDTH - 1) // 2
    return f"{shown[:half]}…{shown[-half:]}"


def summary_name(one: ConfigurationSummary) -> str:
    """Return a configuration's name, and its userland where that is not GNU's."""
    name = configuration_name(one.configuration)
    return name if one.userland in _UNSAID_USERLANDS else f"{name} on {visible(one.userland, 40)}"


def entry(name: str, text: str) -> list[str]:
    """Return a name and a text beside it, in lines of at most 100 columns where words allow."""
    return wrap(
        text,
        _LINE,
        initial_indent=f"{name:<{_ENTRY_INDENT}}",
        subsequent_indent=" " * _ENTRY_INDENT,
        break_long_words=False,
        break_on_hyphens=False,
    )


def count_text(figure: Count | Missing) -> str:
    """Return `17/56 30.4`: passed, total, percent."""
    return NOT_COMPUTED if isinstance(figure, Missing) else f"{figure.passed}/{figure.total} {figure.percent:.1f}"


def effect_text(figure: Effect | Missing) -> str:
    """Return `-69.6`, marked where it is over fewer draws than one of its cells has."""
    if isinstance(figure, Missing):
        return NOT_COMPUTED
    return signed(figure.pp) + (PARTIAL if figure.partial else "")


def signed(pp: float) -> str:
    """Return percentage points with one decimal and always a sign; zero is `+0.0`."""
    return f"{round(pp, 1) + 0.0:+.1f}"


def footnotes(figures: Iterable[object]) -> list[str]:
    """Return one line for each reason for which a figure is missing, and one for partial effects."""
    shown = list(figures)
    reasons = dict.fromkeys(figure.reason for figure in shown if isinstance(figure, Missing))
    notes = [f"{NOT_COMPUTED} {visible(reason, 200)}" for reason in reasons]
    partial = any(isinstance(figure, Effect) and figure.partial for figure in shown)
    return [*notes, PARTIAL_NOTE] if partial else notes

"""Terminal sections, one file each, found by file name; a name that begins with `_` is none.

Each file defines `TITLE`, `ORDER` (sections are printed from the lowest) and `lines(summary)`, which returns
plain text and nothing where the run has nothing to say. Tables are at most 100 columns wide where they can be.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import NamedTuple, Protocol, cast

from pytest_quotebench.stats.summary import Summary


class Report(Protocol):
    """What a file in this folder defines."""

    TITLE: str
    ORDER: int

    def lines(self, summary: Summary) -> list[str]:
        """Return the section's lines, without line breaks and without colour."""
        ...


class Section(NamedTuple):
    """A title and the lines below it."""

    title: str
    lines: list[str]


def report_names() -> list[str]:
    """Return the sections' names from the file names alone; nothing is imported."""
    names = sorted(path.stem for path in Path(__file__).parent.glob("*.py") if not path.stem.startswith("_"))
    return [name.replace("_", "-") for name in names]


def render(summary: Summary) -> list[Section]:
    """Return every section that has something to say, in order."""
    modules = (import_module(f"{__name__}.{name.replace('-', '_')}") for name in report_names())
    reports = sorted((cast("Report", module) for module in modules), key=lambda report: report.ORDER)
    sections = (Section(report.TITLE, report.lines(summary)) for report in reports)
    return [section for section in sections if section.lines]

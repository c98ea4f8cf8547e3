"""Counters beside the verdict: marker leakage, and idioms that only one userland understands."""

from __future__ import annotations

import re

MARKERS = ("⟪", "⟫")

_BSD = re.compile(r"\bsed\s+(?:-[Een]+\s+)*-i\s+(?:''|\"\")|\bstat\s+-f\b|\bdate\s+-v|\bxargs\s+-J\b")
_GNU = re.compile(
    r"\bsed\s+(?:-[Eenrz]+\s+)*(?:-i(?:\s+(?!''|\"\")|[Eenrz]+\s)|--in-place|-z\b|-r\b)"
    r"|\bgrep\s+-[A-Za-z]*P|\bfind\b[^|;&]*-printf\b|\breadlink\s+-f\b|\bstat\s+(?:-c|--format|--printf)"
    r"|\bdate\s+(?:-d|--date)\b|\bsort\s+-[A-Za-z]*[Vz]|\bxargs\s+-[A-Za-z]*[dr]\b"
)


def leaks_markers(command: str) -> bool:
    """Tell whether the command holds one of the two signs that only delimit literal text in a prompt."""
    return any(marker in command for marker in MARKERS)


def dialect(command: str) -> str | None:
    """Return `gnu` or `bsd` where the command uses an idiom of that userland alone, else None.

    A reading of the text, not of what it does: it is a counter and never decides a verdict.
    """
    if _BSD.search(command):
        return "bsd"
    return "gnu" if _GNU.search(command) else None

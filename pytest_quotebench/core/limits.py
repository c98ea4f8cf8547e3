"""What one command may use before the harness ends it. The verdict's detail names the limit that was hit."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from math import inf
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeLimits:
    """How much of a directory a capture reads; beyond it the detail is `limit:tree`."""

    entries: int = 10_000
    depth: int = 64
    file_bytes: int = 16 * 2**20
    """Bytes of one file, which a command may not write more of (`limit:file-size`)."""
    total_bytes: int = 64 * 2**20


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The limits of one execution."""

    wall_s: float = 15.0
    """Wall clock, in seconds, measured by a monotonic clock."""
    output_bytes: int = 64 * 2**20
    """Bytes of standard output and error together; beyond it the command is ended (`limit:output`)."""
    kept_output_bytes: int = 128 * 2**10
    """Bytes kept of each stream: the first and the last half of this, joined by a note of what is missing."""
    cpu_s: int = 60
    """CPU time of one process, in whole seconds (`limit:cpu`)."""
    memory_bytes: int = 2**30
    """Memory of all processes together where a cgroup is granted, else of each one (`limit:memory`)."""
    processes: int = 256
    """Processes and threads at one time (`limit:pids`)."""
    tree: TreeLimits = field(default_factory=TreeLimits)

    def __post_init__(self) -> None:
        """Refuse a deadline that is none."""
        if not 0 < self.wall_s < inf:
            raise ValueError(f"a number of seconds above 0, not {self.wall_s}")


def parse_seconds(text: str) -> float:
    """Return a number of seconds above 0. Raises ValueError that says what is allowed."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < inf:
        raise ValueError("a number of seconds above 0")
    return seconds


LIMIT_FIELDS = {
    "cpu": "cpu_s",
    "memory": "memory_bytes",
    "processes": "processes",
    "output": "output_bytes",
    "kept-output": "kept_output_bytes",
    "entries": "tree.entries",
    "depth": "tree.depth",
    "file-size": "tree.file_bytes",
    "directory": "tree.total_bytes",
}
"""The names by which limits can be set, and the fields they stand for."""

_UNITS = {"k": 2**10, "m": 2**20, "g": 2**30}


def with_limits(limits: Limits, assignments: Iterable[str]) -> Limits:
    """Return `limits` changed as `NAME=VALUE` says: a whole number above 0, with K, M and G as binary units.

    Raises ValueError that says what is allowed.
    """
    for assignment in assignments:
        name, _, value = assignment.partition("=")
        if name.strip() not in LIMIT_FIELDS:
            raise ValueError(f"NAME=VALUE with one of the names {', '.join(LIMIT_FIELDS)}")
        limits = _with_field(limits, LIMIT_FIELDS[name.strip()], _number(value.strip().lower()))
    return limits


def _with_field(limits: Limits, path: str, value: int) -> Limits:
    outer, _, inner = path.rpartition(".")
    changes: dict[str, Any] = {inner: value}
    return replace(limits, tree=replace(limits.tree, **changes)) if outer else replace(limits, **changes)


def _number(text: str) -> int:
    digits, unit = (text[:-1], _UNITS[text[-1]]) if text[-1:] in _UNITS else (text, 1)
    if not (digits.isascii() and digits.isdigit()) or not 0 < int(digits[:15]) * unit < 2**62:
        raise ValueError("a whole number above 0, such as 64 or 512M")
    return int(digits[:15]) * unit

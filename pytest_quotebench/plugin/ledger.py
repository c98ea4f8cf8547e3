"""What the controller knows: what was collected, what began, what was recorded. It knows nothing of pytest.

At the end the three are compared; a difference is an error, because a lost item looks like one that never was.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from pytest_quotebench.core.result import Tally
from pytest_quotebench.store.results import ResultsWriter


def parameter_id(item: str) -> str:
    """Return what stands in brackets at the end of an item's id."""
    return item.partition("[")[2].removesuffix("]")


@dataclass
class Ledger:
    """One run's bookkeeping, by item id."""

    writer: ResultsWriter | None = None
    collected: set[str] = field(default_factory=set)
    running: set[str] = field(default_factory=set)
    """Begun and not ended. What is left here at the end took its process with it."""
    skipped: set[str] = field(default_factory=set)
    crashed: set[str] = field(default_factory=set)
    """What killed a worker."""
    tallies: dict[str, Tally] = field(default_factory=dict)
    """By item id; where an item was reported twice the last report counts."""
    gate: dict[str, dict[str, Any]] = field(default_factory=dict)
    complaints: list[str] = field(default_factory=list)
    """What went wrong at the end of the run, for the summary."""

    def begin(self, item: str) -> None:
        """Note that an item's run began."""
        self.running.add(item)

    def end(self, item: str) -> None:
        """Note that an item's run ended, whatever came of it."""
        self.running.discard(item)

    def record(self, item: str, line: str) -> None:
        """Take a `qb-result/1` line. Raises Broken, naming the file, where it cannot be written."""
        self.tallies[item] = Tally.from_record(json.loads(line))
        if self.writer is not None:
            self.writer.append(item, line)

    def record_gate(self, item: str, line: str) -> None:
        """Take what a gate item counted."""
        self.gate[item] = json.loads(line)

    @property
    def is_used(self) -> bool:
        """Whether any item of ours was recorded."""
        return bool(self.tallies or self.gate)

    def lost(self, ours: Iterable[str]) -> tuple[str, ...]:
        """Return the collected items that have no record and whose parameters are ours, sorted."""
        recorded = self.tallies.keys() | self.gate.keys() | self.skipped
        ids = frozenset(ours)
        return tuple(sorted(item for item in self.collected - recorded if parameter_id(item) in ids))

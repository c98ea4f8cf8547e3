"""Measuring a path by the raw one, and the time that it may take."""

from __future__ import annotations

import re
import time
from typing import NamedTuple

from pytest_quotebench.core.tree import FileTree
from pytest_quotebench.lossless.carrying import Carried, CommandPath, Fate, RawPath, fate, same_contents
from pytest_quotebench.lossless.probes import FIXTURE, Probe

_FOLLOWS_ENVIRONMENT = re.compile(rb"[$`~]")
_OTHERWISE = {"PATH": "/usr/bin:/bin", "HOME": "/"}


class Budget:
    """Seconds that may be used, from the making of this object on, by a monotonic clock."""

    def __init__(self, seconds: float) -> None:
        """Start the clock."""
        self.seconds = seconds
        self._started = time.monotonic()

    @property
    def used(self) -> float:
        """The seconds that have passed."""
        return time.monotonic() - self._started

    def has(self, share: float = 1.0, cost: float = 0.0) -> bool:
        """Tell whether this share of the seconds has not passed, nor will have after `cost` more of them."""
        return self.used + cost < share * self.seconds


class Measured(NamedTuple):
    """What became of one probe."""

    fate: Fate
    right: tuple[FileTree, ...]
    """The final states that count as unharmed."""
    carried: Carried


class Comparison:
    """Carries commands along the raw path and another one, and remembers what became of them."""

    def __init__(self, path: CommandPath) -> None:
        """Take the path."""
        self.path = path
        self.commands = 0
        self._raw = RawPath()
        self._right: dict[bytes, FileTree | None] = {}
        self._measured: dict[bytes, Measured | None] = {}

    def measure(self, probe: Probe) -> Measured:
        """Return what the path does to a probe."""
        right = probe.right or (self._raw.carry(FIXTURE, probe.command).tree,)
        carried = self.carry(FIXTURE, probe.command)
        return Measured(fate(carried, right), right, carried)

    def carry(self, tree: FileTree, command: bytes) -> Carried:
        """Run `command` along the path."""
        self.commands += 1
        return self.path.carry(tree, command)

    def right(self, command: bytes) -> FileTree | None:
        """Return what a command must leave; None where the raw path is no measure.

        That is where bash itself complains, where the command leaves nothing, and where what it leaves depends on
        the environment.
        """
        if command not in self._right:
            self._right[command] = self._reliable(command)
        return self._right[command]

    def is_harmed(self, command: bytes) -> bool:
        """Tell whether the path does otherwise than the raw one; False where that is no measure."""
        if command not in self._measured:
            right = self.right(command)
            self._measured[command] = None if right is None else self.measure(Probe("", command, (right,)))
        measured = self._measured[command]
        return measured is not None and measured.fate is not Fate.INTACT

    def measured(self, command: bytes) -> Measured | None:
        """Return what was found out about a command that `is_harmed` was asked about."""
        return self._measured.get(command)

    def survives(self, command: bytes, right: FileTree) -> bool:
        """Tell whether the path brings the directory to the state `right`."""
        return fate(self.carry(FIXTURE, command), (right,)) is Fate.INTACT

    def _reliable(self, command: bytes) -> FileTree | None:
        found = self._raw.carry(FIXTURE, command)
        if found.exit_status != 0 or found.output or not FIXTURE.changes_to(found.tree):
            return None
        if _FOLLOWS_ENVIRONMENT.search(command):
            other = self._raw.carry_with(FIXTURE, command, _OTHERWISE)
            if same_contents(other.tree) != same_contents(found.tree):
                return None
        return found.tree

"""What a check says: what it covered, and what it found."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pytest_quotebench.core.text import visible, visible_command
from pytest_quotebench.core.tree import Change, File, FileTree
from pytest_quotebench.lossless.carrying import Carried, Fate, same_contents
from pytest_quotebench.lossless.hazards import TITLES, Named
from pytest_quotebench.lossless.probes import FIXTURE
from pytest_quotebench.lossless.repairing import Repair

_SHOWN = 300
_SHOWN_CHANGES = 3


@dataclass(frozen=True, kw_only=True)
class Coverage:
    """What was carried along the path, and in what time."""

    commands: int
    """Commands that the path carried, all told."""
    oracles: int
    """Oracles of tasks among them."""
    searched: int
    """Commands that the search made."""
    hazards: tuple[str, ...]
    """Classes of hazard of which every probe was carried."""
    left_out: tuple[str, ...]
    """Classes for which time did not suffice, or that came after a finding."""
    seconds: float

    def __str__(self) -> str:
        """Say it in one line."""
        left = f"; not reached: {', '.join(self.left_out)}" if self.left_out else ""
        return (
            f"{self.commands} commands in {self.seconds:.1f} s: {len(self.hazards)} classes of hazard, "
            f"{self.oracles} oracles, {self.searched} commands of a search{left}"
        )


@dataclass(frozen=True, kw_only=True)
class Finding:
    """A command that a path harms, and what is known about it."""

    command: bytes
    """The smallest one that was found."""
    named: Named
    fate: Fate
    expected: FileTree
    """What the raw path leaves."""
    carried: Carried
    fixture: FileTree = FIXTURE
    repair: Repair | None = None
    harmed: tuple[str, ...] = ()
    """Every class of hazard of which a probe was harmed."""
    task: str = ""
    """The task, where the command is its oracle."""


class Lossy(AssertionError):
    """A command path harms commands. The message names the hazard, what went in, what came out, and the repair."""

    def __init__(self, finding: Finding, coverage: Coverage) -> None:
        """Take what was found and what was tried."""
        self.finding = finding
        self.coverage = coverage
        super().__init__("\n".join(_lines(finding, coverage)))

    @property
    def command(self) -> bytes:
        """The smallest command that is harmed."""
        return self.finding.command

    @property
    def hazard(self) -> str:
        """The class of hazard: `exclamation`, `trailing-newline`, ..."""
        return self.finding.named.hazard


def _lines(finding: Finding, coverage: Coverage) -> Iterator[str]:
    yield f"the path harms commands: {finding.named.title}"
    size = len(finding.command)
    yield f"  went in    {visible_command(finding.command, _SHOWN)}  ({size} {'byte' if size == 1 else 'bytes'})"
    if finding.task:
        yield f"             the oracle of the task {finding.task}"
    yield from _changes("raw leaves", finding.fixture, finding.expected)
    yield from _came_out(finding)
    yield f"  repair     {_repair_text(finding.repair)}"
    others = [TITLES.get(name, name) for name in finding.harmed if name != finding.named.hazard]
    if others:
        yield f"  also harmed: {', '.join(others)}"
    yield f"  tried      {coverage}"


def _came_out(finding: Finding) -> Iterator[str]:
    carried = finding.carried
    yield from _changes("came out", finding.fixture, carried.tree)
    if finding.fate is Fate.HANG:
        yield f"             it hangs: {visible(carried.problem, _SHOWN)}"
    elif finding.fate is Fate.REFUSED:
        yield f"             it is refused: {visible(carried.problem, _SHOWN)}"
    else:
        said = f", output {visible(carried.output, _SHOWN)}" if carried.output else ", no output"
        yield f"             exit status {carried.exit_status}{said}"


def _changes(label: str, before: FileTree, after: FileTree) -> Iterator[str]:
    changes = same_contents(before).changes_to(same_contents(after))
    if not changes:
        yield f"  {label:<10} nothing changed"
    for change in changes[:_SHOWN_CHANGES]:
        yield f"  {label:<10} {_change_text(change)}"
        label = ""


def _change_text(change: Change) -> str:
    path = visible(change.path, 80)
    match change.after:
        case None:
            return f"{path} is gone"
        case File(data):
            return f"{path} = {visible(data, _SHOWN)}  ({len(data)} bytes)"
    return f"{path} is {type(change.after).__name__.lower()}"


def _repair_text(repair: Repair | None) -> str:
    if repair is None:
        return "none of the escapers in core/escaping.py: these bytes are lost whatever stands around them"
    more = f", and {repair.repaired} of {repair.tried} other harmed commands" if repair.tried else ""
    return f"escape the command with core.escaping.{repair.escaper}: this command survives{more}"

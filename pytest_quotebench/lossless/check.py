"""The check: is this command path lossless?

First the directed probes, one of each class and then the others, then the oracles of the tasks, then a search for
the rest of the time. The first harm ends that order: what is left of the time goes into the smallest command, its
name, its repair, and which other classes are harmed.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from dataclasses import dataclass, field

import quotebench_tasks
from pytest_quotebench.core.errors import Broken
from pytest_quotebench.core.judge import check_state, extra_entries
from pytest_quotebench.core.task import Task
from pytest_quotebench.core.tree import File, FileTree
from pytest_quotebench.lossless.carrying import CalledPath, Carried, Fate, RawPath
from pytest_quotebench.lossless.comparison import Budget, Comparison, Measured
from pytest_quotebench.lossless.hazards import TITLES, Named, name_hazard
from pytest_quotebench.lossless.outcome import Coverage, Finding, Lossy
from pytest_quotebench.lossless.probes import FIXTURE, HAZARDS, LADDER, Probe, is_harmless
from pytest_quotebench.lossless.repairing import Repair, find_repair
from pytest_quotebench.lossless.search import search
from pytest_quotebench.lossless.shrinking import shrink
from pytest_quotebench.processes.calling import Caller, Run

DEFAULT_BUDGET_S = 10.0

_OTHERS_SHARE, _SHRINK_SHARE, _NAME_SHARE, _REPAIR_SHARE = 0.5, 0.85, 0.95, 1.05
"""When, in shares of the budget, each step after the first harm must be at its end."""
_DEADLINE_SHARE, _LEAST_DEADLINE_S, _LONGEST_DEADLINE_S = 0.2, 0.5, 5.0


def assert_lossless(run: Run, budget_s: float = DEFAULT_BUDGET_S) -> Coverage:
    """Return what was covered where the path `run` delivers every command unharmed.

    Args:
        run: `run(command, cwd)` runs the command (bytes) in the directory `cwd` (a Path) and returns its exit
            status and output; it may be a coroutine function. It is called in a thread of its own, one call at
            a time.
        budget_s: seconds of wall clock, kept within a fifth as far as a single call of `run` lets it. A
            call that takes longer than a fifth of this (5 s at most) counts as hung, and is abandoned.

    Raises:
        Lossy: some command has another effect than `bash -c` has with it; the message says all about it.
        BadInput: `run` does not return a pair.
        Broken: the raw path itself cannot be run here.

    What is run is harmless however the path mangles it (`lossless.probes` says why), provided that `run` uses
    `cwd`: that is tried first, with a file whose name nothing else has.

    """
    budget = Budget(budget_s)
    deadline = min(max(_DEADLINE_SHARE * budget_s, _LEAST_DEADLINE_S), _LONGEST_DEADLINE_S)
    with Caller(run) as caller:
        return _Check(Comparison(CalledPath(caller, deadline)), budget, deadline).run()


@dataclass
class _Harm:
    """A probe that was harmed."""

    probe: Probe
    measured: Measured


@dataclass
class _Check:
    comparison: Comparison
    budget: Budget
    deadline_s: float
    harms: list[_Harm] = field(default_factory=list)
    probed: dict[str, int] = field(default_factory=dict)
    oracles: int = 0
    searched: list[int] = field(default_factory=lambda: [0])

    def run(self) -> Coverage:
        self._check_place()
        self._climb()
        if not self.harms:
            self._try_oracles()
            found = search(self.comparison.is_harmed, self.budget.has, tried=self.searched)
            if found is not None:
                probe = Probe("mixed-quotes", found)
                self.harms.append(_Harm(probe, self.comparison.measure(probe)))
        if self.harms:
            raise Lossy(self._finding(), self._coverage())
        return self._coverage()

    def _check_place(self) -> None:
        """See that the path works in the directory that it is given, before a file is written by a fixed name."""
        stem = f"f{secrets.token_hex(8)}"
        command = _writing_to(f"{stem}a")
        carried = self.comparison.carry(FIXTURE, command)
        named = Named("plain", f"{TITLES['plain']} leaves nothing in the directory that the path was given")
        if stem in carried.tree and all(stem in self._tree_after(_writing_to(f"{stem}{last}")) for last in "bfz"):
            named = Named("last-character", TITLES["last-character"])
        elif FIXTURE.changes_to(carried.tree):
            return
        expected = FIXTURE.with_entries({f"{stem}a": File(b"a\n")})
        finding = Finding(
            command=command, named=named, fate=carried.fate_if_wrong, expected=expected, carried=carried
        )
        raise Lossy(finding, self._coverage())

    def _tree_after(self, command: bytes) -> FileTree:
        return self.comparison.carry(FIXTURE, command).tree

    def _climb(self) -> None:
        """Try the probes; after one that hangs no more, because each would cost its deadline."""
        for probe in _by_value():
            if not self.budget.has(_OTHERS_SHARE if self.harms else 1.0) or self._has_hung:
                return
            assert probe.right or is_harmless(probe.command)
            measured = self.comparison.measure(probe)
            self.probed[probe.hazard] = self.probed.get(probe.hazard, 0) + 1
            if measured.fate is not Fate.INTACT:
                self.harms.append(_Harm(probe, measured))

    @property
    def _has_hung(self) -> bool:
        return any(harm.measured.fate is Fate.HANG for harm in self.harms)

    def _has_time(self, share: float) -> bool:
        """Tell whether there is time for one more command, which may hang where others did."""
        return self.budget.has(share, self.deadline_s if self._has_hung else 0.0)

    def _try_oracles(self) -> None:
        for task in _oracles_by_value():
            if not self.budget.has():
                return
            carried = self.comparison.carry(task.fixture.tree, task.oracle.encode())
            self.oracles += 1
            if carried.problem or not _is_reached(task, carried):
                self._note_oracle(task, carried)

    def _note_oracle(self, task: Task, carried: Carried) -> None:
        raw = RawPath().carry(task.fixture.tree, task.oracle.encode())
        if not _is_reached(task, raw):
            raise Broken(
                "oracle", f"bash itself does not get through the oracle of {task.id} here: {raw.output!r:.200}"
            )
        title = TITLES["oracle"]
        finding = Finding(
            command=task.oracle.encode(),
            named=Named("oracle", f"{title}: {', '.join(task.hazards)}"),
            fate=carried.fate_if_wrong,
            expected=raw.tree,
            carried=carried,
            fixture=task.fixture.tree,
            task=task.id,
        )
        raise Lossy(finding, self._coverage())

    def _finding(self) -> Finding:
        """Make the most of the first harm: what comes later in the order is quoted with what came before."""
        harm = self.harms[0]
        smallest, measured = harm.probe.command, harm.measured
        named = Named(harm.probe.hazard, TITLES[harm.probe.hazard])
        if not harm.probe.right and self._has_time(_SHRINK_SHARE):
            smallest, measured, named = self._shrunk(harm, named)
        return Finding(
            command=smallest,
            named=named,
            fate=measured.fate,
            expected=measured.right[0],
            carried=measured.carried,
            repair=self._repair(smallest),
            harmed=tuple(dict.fromkeys(harm.probe.hazard for harm in self.harms)),
        )

    def _shrunk(self, harm: _Harm, named: Named) -> tuple[bytes, Measured, Named]:
        command, is_harmed = harm.probe.command, self.comparison.is_harmed
        if not is_harmed(command):
            return command, harm.measured, Named(named.hazard, f"{named.title}, though not every time")
        smallest = shrink(command, is_harmed, lambda: self._has_time(_SHRINK_SHARE))
        found = name_hazard(smallest, harm.probe.hazard, self._is_harmed_in_time)
        return smallest, self.comparison.measured(smallest) or harm.measured, found

    def _is_harmed_in_time(self, command: bytes) -> bool:
        return not self._has_time(_NAME_SHARE) or self.comparison.is_harmed(command)

    def _repair(self, smallest: bytes) -> Repair | None:
        others = [harm.probe.command for harm in self.harms if harm.probe.command != smallest]
        return find_repair(smallest, others, self.comparison, lambda: self._has_time(_REPAIR_SHARE))

    def _coverage(self) -> Coverage:
        wanted = {hazard: sum(probe.hazard == hazard for probe in LADDER) for hazard in HAZARDS}
        covered = tuple(hazard for hazard in HAZARDS if self.probed.get(hazard) == wanted[hazard])
        return Coverage(
            commands=self.comparison.commands,
            oracles=self.oracles,
            searched=self.searched[0],
            hazards=covered,
            left_out=tuple(hazard for hazard in HAZARDS if hazard not in covered),
            seconds=self.budget.used,
        )


def _writing_to(name: str) -> bytes:
    return b"echo a>" + name.encode()


def _by_value() -> Iterator[Probe]:
    """Yield the first probe of each class, then the others."""
    first = {probe.hazard: probe for probe in reversed(LADDER)}
    yield from (probe for probe in LADDER if first[probe.hazard] is probe)
    yield from (probe for probe in LADDER if first[probe.hazard] is not probe)


def _oracles_by_value() -> list[Task]:
    """Return the tasks, the most hostile first; one that removes files comes last."""
    return sorted(quotebench_tasks.load_tasks(), key=lambda task: ("rm " in task.oracle, -task.tier, task.id))


def _is_reached(task: Task, carried: Carried) -> bool:
    return check_state(task, carried.tree) is None and not extra_entries(task, carried.tree)

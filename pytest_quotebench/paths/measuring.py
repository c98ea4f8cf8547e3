"""What every path does to commands: the probes of each class of hazard, the oracles, and stored replies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pytest_quotebench.availability import missing_programs
from pytest_quotebench.core.case import Case
from pytest_quotebench.core.errors import Broken, TransportError
from pytest_quotebench.core.reply import Configuration, Reply
from pytest_quotebench.core.task import Task
from pytest_quotebench.core.text import to_text
from pytest_quotebench.core.tree import FileTree
from pytest_quotebench.core.verdict import VerdictClass
from pytest_quotebench.lossless.carrying import Carried, Fate, fate
from pytest_quotebench.lossless.probes import FIXTURE, LADDER, Probe
from pytest_quotebench.replay import Bench, carry, conclude, replay

RAW = "raw"
ORACLE = Configuration("oracle")
_PLAIN = LADDER[0]


@dataclass(frozen=True)
class Replies:
    """How the replies of one configuration fared on one path."""

    passed: int
    total: int
    broken: int = 0
    """Replies that the harness could not run; they count nowhere else."""


@dataclass(frozen=True, kw_only=True)
class Measured:
    """What one path does."""

    hazards: Mapping[str, Counter[Fate]]
    """By class of hazard: how many of its probes met which fate."""
    replies: Mapping[Configuration, Replies]

    @property
    def fates(self) -> Counter[Fate]:
        """The fates of all probes."""
        return sum(self.hazards.values(), Counter())


@dataclass(frozen=True, kw_only=True)
class Report:
    """All paths that could be measured, and why others could not."""

    sandbox: str
    paths: Mapping[str, Measured]
    left_out: Mapping[str, str]

    def damage_pp(self, path: str, configuration: Configuration) -> float | None:
        """Return the difference to the raw path in percentage points; None where one of them has no replies."""
        here = self.paths[path].replies.get(configuration)
        raw = self.paths[RAW].replies.get(configuration)
        if here is None or raw is None or not here.total or not raw.total:
            return None
        return 100 * (here.passed / here.total - raw.passed / raw.total)


Progress = Callable[[str], None]


def measure_paths(
    names: Sequence[str], bench: Bench, tasks: Sequence[Task], replies: Iterable[Reply], progress: Progress
) -> Report:
    """Measure the named transports and raw; `progress` is told before each what comes.

    A path is left out where the sandbox lacks one of the programs it needs, or cannot run a plain command on it.
    """
    measuring = _Measuring(bench, {task.id: task for task in tasks}, [*_oracles(tasks), *replies])
    found: dict[str, Measured] = {}
    left_out: dict[str, str] = {}
    wanted = [RAW, *(name for name in names if name != RAW)]
    for number, name in enumerate(wanted, 1):
        progress(f"{number}/{len(wanted)} {name}")
        reason = measuring.why_not(name)
        if reason is None:
            found[name] = measuring.measured(name)
        else:
            left_out[name] = reason
    return Report(sandbox=bench.sandbox.name, paths=found, left_out=left_out)


class _Measuring:
    def __init__(self, bench: Bench, tasks: Mapping[str, Task], replies: Sequence[Reply]) -> None:
        self._bench = bench
        self._tasks = tasks
        self._replies = replies
        self._right: dict[Probe, tuple[FileTree, ...]] = {}

    def why_not(self, name: str) -> str | None:
        missing = missing_programs(self._bench.sandbox, getattr(self._bench.transports[name], "needs", ()))
        if missing:
            return f"the sandbox has no {', '.join(missing)}"
        try:
            self._carry(name, _PLAIN)
        except Broken as error:
            return str(error)
        return None

    def measured(self, name: str) -> Measured:
        hazards: dict[str, Counter[Fate]] = {}
        for probe in LADDER:
            hazards.setdefault(probe.hazard, Counter())[self._fate(name, probe)] += 1
        return Measured(hazards=hazards, replies=dict(self._fared(name)))

    def _fate(self, name: str, probe: Probe) -> Fate:
        if probe not in self._right:
            self._right[probe] = probe.right or (self._carry(RAW, probe).tree,)
        return fate(self._carry(name, probe), self._right[probe])

    def _carry(self, name: str, probe: Probe) -> Carried:
        transport = self._bench.transports[name]
        try:
            outcome = carry(transport, to_text(probe.command), FIXTURE, self._bench.sandbox, self._bench.limits)
        except TransportError as error:
            outcome = error
        if isinstance(outcome, TransportError):
            return Carried(FIXTURE, problem=str(outcome))
        hung = outcome.timed_out or outcome.detail == "hang"
        problem = "no end within the limit" if hung else outcome.detail or ""
        return Carried(outcome.tree, outcome.exit_status, outcome.stdout + outcome.stderr, problem, hung)

    def _fared(self, name: str) -> Iterator[tuple[Configuration, Replies]]:
        verdicts: dict[Configuration, Counter[VerdictClass]] = {}
        for reply in self._replies:
            case = Case(task=self._tasks[reply.task], reply=reply, transport=name)
            verdict = conclude(replay(case, self._bench)).verdict
            verdicts.setdefault(reply.configuration, Counter())[verdict.kind] += 1
        for configuration, counted in verdicts.items():
            broken = counted[VerdictClass.BROKEN]
            yield configuration, Replies(counted[VerdictClass.PASS], counted.total() - broken, broken)


def _oracles(tasks: Sequence[Task]) -> Iterator[Reply]:
    for task in tasks:
        yield Reply(
            task=task.id, configuration=ORACLE, contract=RAW, trial=0, text=task.oracle, made_by_machine=True
        )

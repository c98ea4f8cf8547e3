"""Which cases a run consists of: stored replies crossed with transports, filtered by what was asked for."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from pytest_quotebench.core.case import Case
from pytest_quotebench.core.reply import CellKey, Configuration, Reply
from pytest_quotebench.core.task import Task


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """What was asked for; an empty tuple means no restriction."""

    contracts: tuple[str, ...]
    transports: tuple[str, ...]
    userlands: tuple[str, ...] = ("",)
    """As `Case.userland`."""
    models: tuple[str, ...] = ()
    efforts: tuple[str, ...] = ()
    trials: tuple[int, ...] = ()
    families: tuple[str, ...] = ()
    tiers: tuple[int, ...] = ()
    tasks: tuple[str, ...] = ()


@dataclass(frozen=True)
class Selection:
    """The cases of a run, sorted by id, and the cells for which no reply is stored."""

    cases: tuple[Case, ...]
    missing: tuple[CellKey, ...]


def select_tasks(tasks: Iterable[Task], wanted: Wanted) -> tuple[Task, ...]:
    """Return the tasks that were asked for."""
    return tuple(
        task
        for task in tasks
        if (not wanted.families or task.family in wanted.families)
        and (not wanted.tiers or task.tier in wanted.tiers)
        and (not wanted.tasks or task.id in wanted.tasks)
    )


def select(tasks: Sequence[Task], replies: Iterable[Reply], wanted: Wanted) -> Selection:
    """Return the cases for the wanted tasks and replies, and which replies a full grid lacks.

    The grid of a configuration and contract spans the trials that the configuration has under any wanted
    contract.
    """
    chosen = {task.id: task for task in select_tasks(tasks, wanted)}
    kept = [reply for reply in replies if reply.task in chosen and _is_wanted(reply, wanted)]
    cases = [
        Case(task=chosen[reply.task], reply=reply, transport=transport, userland=userland)
        for reply in kept
        for transport in wanted.transports
        for userland in wanted.userlands
    ]
    return Selection(tuple(sorted(_distinct(cases), key=lambda case: case.id)), _missing(chosen, kept, wanted))


def configuration_matches(configuration: Configuration, value: str) -> bool:
    """Tell whether `--qb-model=value` means this configuration: by model, or by model and effort."""
    return value in (configuration.model, str(configuration))


def _is_wanted(reply: Reply, wanted: Wanted) -> bool:
    configuration = reply.configuration
    return (
        reply.contract in wanted.contracts
        and (not wanted.models or any(configuration_matches(configuration, value) for value in wanted.models))
        and (not wanted.efforts or (configuration.effort or "default") in wanted.efforts)
        and (not wanted.trials or reply.trial in wanted.trials)
    )


def _missing(chosen: Mapping[str, Task], kept: list[Reply], wanted: Wanted) -> tuple[CellKey, ...]:
    have = {reply.key for reply in kept}
    trials: dict[Configuration, set[int]] = {}
    for reply in kept:
        trials.setdefault(reply.configuration, set()).add(reply.trial)
    grid = (
        CellKey(task, configuration, contract, trial)
        for configuration, drawn in trials.items()
        for contract in wanted.contracts
        for trial in (set(wanted.trials) or drawn)
        for task in chosen
    )
    return tuple(sorted((key for key in grid if key not in have), key=str))


def _distinct(cases: list[Case]) -> list[Case]:
    """Give cases that share a name a mark each, the same in every process."""
    times = Counter(case.id for case in cases)
    return [case if times[case.id] == 1 else replace(case, mark=_mark(case)) for case in cases]


def _mark(case: Case) -> str:
    whole = f"{case.transport}\n{case.reply.configuration!r}"
    return f"-{hashlib.sha256(whole.encode('utf-8', 'surrogatepass')).hexdigest()[:6]}"

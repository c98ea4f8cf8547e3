"""Everything that a run says, as numbers: what the terminal sections print and the summary file holds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

from pytest_quotebench.core.reply import Configuration
from pytest_quotebench.core.result import Tally
from pytest_quotebench.stats.cells import Count, Missing, cell_order, count, outcomes
from pytest_quotebench.stats.crossover import PAIRINGS, Crossover, Pairing, crossover, pairings_with_data
from pytest_quotebench.stats.failures import failure_counts
from pytest_quotebench.stats.quoting_gap import QuotingGap, quoting_gap
from pytest_quotebench.stats.usage import Usage, usage
from pytest_quotebench.stats.userlands import Comparison, compare, reference_of

_Group = TypeVar("_Group")
_EFFORTS = (None, "none", "minimal", "low", "medium", "high", "xhigh", "max")
"""The providers' names for effort settings, from least to most; others are sorted after them by name."""

Breakdown = Mapping[str, Mapping[str, Count | Missing]]
"""Counts by group (a family, a hazard) and cell."""


class MissingCase(NamedTuple):
    """A case that the run should have had and does not."""

    case: str
    """The item's name, or what else tells a person which one."""
    reason: str


@dataclass(frozen=True, kw_only=True)
class RunFacts:
    """What the run knows about itself beyond its cases."""

    versions: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    options: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    """The options as used, as JSON values; nothing secret."""
    missing: tuple[MissingCase, ...] = ()
    problems: tuple[str, ...] = ()
    """One line each, such as what was wrong with the reply files."""


@dataclass(frozen=True, kw_only=True)
class ReplyCounters:
    """Counters beside the verdict, over replies: one that met three transports counts once."""

    replies: int
    prompt_not_current: int
    marker_leakage: int
    dialects: Counter[str]
    cleanup: Counter[str]
    """By step; a reply may have needed several."""


@dataclass(frozen=True, kw_only=True)
class ConfigurationSummary:
    """What a run says about one configuration on one userland."""

    configuration: Configuration
    userland: str
    """Empty where the records do not say."""
    trials: tuple[int, ...]
    cells: Mapping[str, Count | Missing]
    crossovers: tuple[Crossover, ...]
    quoting_gap: QuotingGap
    failure_classes: Mapping[str, Counter[str]]
    families: Breakdown
    hazards: Breakdown
    usage: Usage | Missing
    counters: ReplyCounters


@dataclass(frozen=True, kw_only=True)
class Summary:
    """What a run says."""

    run: RunFacts
    cases: int
    broken: Counter[str]
    """Broken cases by detail."""
    sandboxes: tuple[str, ...]
    configurations: tuple[ConfigurationSummary, ...]
    userlands: Comparison

    @property
    def each_configuration(self) -> tuple[ConfigurationSummary, ...]:
        """One for each configuration: what its replies are, which is the same on every userland."""
        return tuple({one.configuration: one for one in reversed(self.configurations)}.values())[::-1]


def summarise(tallies: Iterable[Tally], run: RunFacts, pairings: Iterable[Pairing] = PAIRINGS) -> Summary:
    """Return the summary of a run. Of a case that is told twice the last telling counts."""
    offered = tuple(pairings)
    every = tuple(tallies)
    # A case that never ran does not say whose programs it would have found: they are the sandbox's own.
    own = reference_of(tally.userland for tally in every)
    told = (tally if tally.userland else replace(tally, userland=own) for tally in every)
    cases = tuple({_case(tally): tally for tally in told}.values())
    by_configuration = {
        configuration: _grouped(tallies, lambda tally: (tally.userland,))
        for configuration, tallies in _grouped(cases, lambda tally: (tally.configuration,)).items()
    }
    order = sorted(by_configuration, key=_configuration_order)
    return Summary(
        run=run,
        cases=len(cases),
        broken=Counter(tally.detail or "unknown" for tally in cases if tally.broken),
        sandboxes=tuple(sorted({tally.sandbox for tally in cases if tally.sandbox})),
        configurations=tuple(
            _summarise_one(configuration, userland, by_configuration[configuration][userland], offered)
            for configuration in order
            for userland in sorted(by_configuration[configuration], key=lambda name: (name != own, name))
        ),
        userlands=compare({configuration: by_configuration[configuration] for configuration in order}),
    )


def _summarise_one(
    configuration: Configuration, userland: str, tallies: tuple[Tally, ...], pairings: tuple[Pairing, ...]
) -> ConfigurationSummary:
    cells = outcomes(tallies)
    replies = tuple({(tally.task, tally.contract, tally.trial): tally for tally in tallies}.values())
    return ConfigurationSummary(
        configuration=configuration,
        userland=userland,
        trials=tuple(sorted({tally.trial for tally in tallies})),
        cells=_counts(tallies),
        crossovers=tuple(crossover(cells, pairing) for pairing in pairings_with_data(cells, pairings)),
        quoting_gap=quoting_gap(tallies),
        failure_classes=failure_counts(tallies),
        families=_breakdown(tallies, lambda tally: (tally.family,)),
        hazards=_breakdown(tallies, lambda tally: tally.hazards),
        usage=usage(replies),
        counters=_counters(replies),
    )


def _counts(tallies: Iterable[Tally]) -> Mapping[str, Count | Missing]:
    cells = outcomes(tallies)
    return {cell: count(cells, cell) for cell in sorted(cells, key=cell_order)}


def _breakdown(tallies: Iterable[Tally], groups: Callable[[Tally], Iterable[str]]) -> Breakdown:
    grouped = _grouped(tallies, groups)
    return {name: _counts(grouped[name]) for name in sorted(grouped)}


def _grouped(
    tallies: Iterable[Tally], groups: Callable[[Tally], Iterable[_Group]]
) -> Mapping[_Group, tuple[Tally, ...]]:
    found: dict[_Group, list[Tally]] = {}
    for tally in tallies:
        for group in groups(tally):
            found.setdefault(group, []).append(tally)
    return {group: tuple(members) for group, members in found.items()}


def _counters(replies: tuple[Tally, ...]) -> ReplyCounters:
    return ReplyCounters(
        replies=len(replies),
        prompt_not_current=sum(tally.prompt_current is False for tally in replies),
        marker_leakage=sum(bool(tally.marker_leakage) for tally in replies),
        dialects=Counter(tally.dialect for tally in replies if tally.dialect),
        cleanup=Counter(step for tally in replies for step in tally.cleanup),
    )


def _case(tally: Tally) -> tuple[Configuration, str, str, str, int]:
    return tally.configuration, tally.userland, tally.cell, tally.task, tally.trial


def _configuration_order(configuration: Configuration) -> tuple[str, int, str]:
    effort = configuration.effort
    rung = _EFFORTS.index(effort) if effort in _EFFORTS else len(_EFFORTS)
    return configuration.model, rung, effort or ""

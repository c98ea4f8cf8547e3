"""What a reader of the tables has to know beside them; a healthy run says nothing here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from pytest_quotebench.core.text import visible
from pytest_quotebench.reports._table import configuration_name, entry
from pytest_quotebench.stats.summary import ReplyCounters, Summary

TITLE = "health"
ORDER = 50

_NAMED = 3
_PROBLEMS = 20
_NOT_RUN = "not-run"


def lines(summary: Summary) -> list[str]:
    """Return one line for each thing there is to say."""
    return [
        *_broken(summary),
        *_missing(summary),
        *_problems(summary),
        *_replies(
            summary, "old prompt", "answered another prompt than today's", lambda one: one.prompt_not_current
        ),
        *_replies(summary, "marker leakage", "have a ⟪ or ⟫ in the command", lambda one: one.marker_leakage),
        *_counted(summary, "cleanup", "replies that needed a step of it", lambda one: one.cleanup),
        *_counted(summary, "dialect", "commands with an idiom of one userland alone", lambda one: one.dialects),
    ]


def _broken(summary: Summary) -> list[str]:
    broken = Counter({detail: number for detail, number in summary.broken.items() if detail != _NOT_RUN})
    found = []
    if broken:
        text = f"{broken.total()} of {summary.cases} cases, outside every rate: {_listed(broken)}"
        found += entry("broken", text)
    if summary.broken[_NOT_RUN]:
        found += entry(
            "not run", f"{summary.broken[_NOT_RUN]} of {summary.cases} cases were collected and never ran"
        )
    return found


def _missing(summary: Summary) -> list[str]:
    missing = summary.run.missing
    found = []
    for reason, number in sorted(Counter(case.reason for case in missing).items()):
        names = [visible(case.case, 80) for case in missing if case.reason == reason]
        found.extend(entry("missing cells", f"{number}: {visible(reason, 200)} ({_first(names)})"))
    return found


def _problems(summary: Summary) -> list[str]:
    problems = summary.run.problems
    more = len(problems) - _PROBLEMS
    shown = [line for problem in problems[:_PROBLEMS] for line in entry("problem", visible(problem, 400))]
    return [*shown, *entry("", f"and {more} more")] if more > 0 else shown


def _replies(summary: Summary, name: str, what: str, number: Callable[[ReplyCounters], int]) -> list[str]:
    counters = [(configuration_name(one.configuration), one.counters) for one in summary.each_configuration]
    affected = [f"{configuration} {number(one)}" for configuration, one in counters if number(one)]
    if not affected:
        return []
    total = sum(number(one) for _, one in counters)
    replies = sum(one.replies for _, one in counters)
    return entry(name, f"{total} of {replies} replies {what} ({_first(affected)})")


def _counted(summary: Summary, name: str, what: str, counts: Callable[[ReplyCounters], Counter[str]]) -> list[str]:
    total: Counter[str] = Counter()
    for one in summary.each_configuration:
        total.update(counts(one.counters))
    return entry(name, f"{what}: {_listed(total)}") if total else []


def _listed(counts: Counter[str]) -> str:
    return ", ".join(f"{visible(name, 80)} {number}" for name, number in sorted(counts.items()))


def _first(names: list[str]) -> str:
    more = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {more} more" if more > 0 else "")

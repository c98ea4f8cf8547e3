"""Token counts, summed over replies; a reply that was replayed on three transports was paid once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from pytest_quotebench.core.result import Tally
from pytest_quotebench.stats.cells import Missing


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Sums in tokens, each over the replies that tell it."""

    replies: int
    replies_with_usage: int
    prompt: int | Missing
    completion: int | Missing
    reasoning: int | Missing
    cached: int | Missing
    total: int | Missing


def usage(replies: Iterable[Tally]) -> Usage | Missing:
    """Return the sums over `replies`, one tally for each reply."""
    everything = tuple(replies)
    told = [tally.usage for tally in everything if tally.usage]
    if not told:
        return Missing("no reply tells its usage")

    def summed(kind: str) -> int | Missing:
        counts = [record[kind] for record in told if isinstance(record.get(kind), int)]
        return sum(counts) if counts else Missing(f"no reply tells its {kind} tokens")

    return Usage(
        replies=len(everything),
        replies_with_usage=len(told),
        prompt=summed("prompt"),
        completion=summed("completion"),
        reasoning=summed("reasoning"),
        cached=summed("cached"),
        total=summed("total"),
    )

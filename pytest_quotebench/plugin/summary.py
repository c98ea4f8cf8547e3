"""From the ledger to the summary: what a run says about itself, whatever process it ran in."""

from __future__ import annotations

from collections.abc import Mapping

from pytest_quotebench.core.errors import BadInput
from pytest_quotebench.core.result import Tally
from pytest_quotebench.plugin.ledger import Ledger
from pytest_quotebench.plugin.run import Run
from pytest_quotebench.stats.crossover import PAIRINGS, Pairing
from pytest_quotebench.stats.summary import MissingCase, RunFacts, Summary, summarise
from pytest_quotebench.versions import harness_versions


def summary_of(run: Run, ledger: Ledger) -> Summary:
    """Return the summary of what the ledger recorded."""
    facts = RunFacts(
        versions=harness_versions(),
        options=_options(run),
        missing=_missing(run),
        problems=(
            *(f"{problem.origin}: {problem.message}" for problem in run.problems),
            *contradictions(ledger.tallies),
            *ledger.complaints,
        ),
    )
    return summarise(ledger.tallies.values(), facts, _pairings(run))


def contradictions(tallies: Mapping[str, Tally]) -> tuple[str, ...]:
    """Return a line for each case that ran as two items (in two suites) with different verdicts.

    The tables count a case once, by its last item.
    """
    seen: dict[tuple[object, ...], str] = {}
    found = []
    for item, tally in tallies.items():
        case = (tally.configuration, tally.userland, tally.cell, tally.task, tally.trial)
        other = seen.setdefault(case, item)
        if tallies[other].verdict != tally.verdict:
            found.append(f"{other} is {tallies[other].verdict}, and {item}, the same case, is {tally.verdict}")
    return tuple(found)


def _pairings(run: Run) -> tuple[Pairing, ...]:
    boundary = run.settings.boundary
    chosen = Pairing("disclosed", boundary)
    return PAIRINGS if chosen in PAIRINGS else (chosen, *PAIRINGS)


def _options(run: Run) -> dict[str, str]:
    return {name: ",".join(given.texts) for name, given in sorted(run.settings.given.items())}


def _missing(run: Run) -> tuple[MissingCase, ...]:
    try:
        keys = run.selection.missing
    except BadInput:
        return ()
    return tuple(
        MissingCase(
            f"{key.task}-{key.contract}-{transport}-{key.configuration.slug}-{key.trial}"
            f"{userland and '-'}{userland}",
            "no stored reply",
        )
        for key in keys
        for transport in run.settings.transports
        for userland in run.wanted.userlands
    )

"""The summary as a JSON object, schema `qb-summary/1`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from pytest_quotebench.stats.cells import Count, Effect, Missing
from pytest_quotebench.stats.crossover import Crossover
from pytest_quotebench.stats.quoting_gap import QuotingGap
from pytest_quotebench.stats.summary import Breakdown, ConfigurationSummary, RunFacts, Summary
from pytest_quotebench.stats.usage import Usage
from pytest_quotebench.stats.userlands import Transfer

SUMMARY_SCHEMA = "qb-summary/1"
_NOT_YET = Missing("not computed by this version")

Json = dict[str, Any]


def to_json(summary: Summary) -> Json:
    """Return the object of a summary file. A figure that cannot be computed is null with its reason, never 0."""
    return {
        "schema": SUMMARY_SCHEMA,
        "run": _run(summary),
        "configurations": [
            {**_configuration(one), "against_userland": _transfers(one, summary.userlands.transfers)}
            for one in summary.configurations
        ],
        "ranking": _value(_NOT_YET),
    }


def _run(summary: Summary) -> Json:
    run: RunFacts = summary.run
    return {
        "versions": dict(run.versions),
        "options": dict(run.options),
        "sandboxes": list(summary.sandboxes),
        "userlands": sorted({one.userland for one in summary.configurations if one.userland}),
        "cases": summary.cases,
        "broken": summary.broken.total(),
        "broken_details": _plain(summary.broken),
        "missing": len(run.missing),
        "missing_reasons": _plain(Counter(case.reason for case in run.missing)),
        "problems": list(run.problems),
    }


def _configuration(one: ConfigurationSummary) -> Json:
    return {
        "model": one.configuration.model,
        "effort": one.configuration.effort,
        "userland": one.userland or None,
        "trials": list(one.trials),
        "cells": _counts(one.cells),
        "crossover": [_crossover(crossover) for crossover in one.crossovers],
        "quoting_gap": _quoting_gap(one.quoting_gap),
        "failure_classes": {cell: _plain(classes) for cell, classes in one.failure_classes.items()},
        "families": _breakdown(one.families),
        "hazards": _breakdown(one.hazards),
        "reliability": _value(_NOT_YET),
        "usage": _usage(one.usage),
        "counters": _counters(one),
    }


def _crossover(one: Crossover) -> Json:
    return {
        "disclosed": one.pairing.disclosed,
        "boundary": one.pairing.boundary,
        "RR": _value(one.rr),
        "RN": _value(one.rn),
        "NR": _value(one.nr),
        "NN": _value(one.nn),
        "damage": _effect(one.damage, ("ci", "p", "p_holm")),
        "compensation": _effect(one.compensation, ("ci", "p", "p_holm")),
        "matched_gap": _effect(one.matched_gap, ("ci",)),
        "interaction": _effect(one.interaction, ()),
        "masked": _value(one.masked),
    }


def _transfers(one: ConfigurationSummary, transfers: Iterable[Transfer]) -> Json | None:
    """Return how verdicts differ from those of the same replies on the userland of reference, None for itself."""
    key = one.configuration, one.userland
    found = [transfer for transfer in transfers if (transfer.configuration, transfer.userland) == key]
    if not found:
        return None
    return {"userland": found[0].reference, "cells": {transfer.cell: _transfer(transfer) for transfer in found}}


def _transfer(one: Transfer) -> Json:
    return {
        "draws": one.draws,
        "pp": _value(one.pp),
        "pass_to_fail": [{"task": task, "trial": trial} for task, trial in one.lost],
        "fail_to_pass": [{"task": task, "trial": trial} for task, trial in one.gained],
    }


def _effect(one: Effect | Missing, inferred: Iterable[str]) -> Json:
    pp = _null(one) if isinstance(one, Missing) else one.pp
    return {"pp": pp, **{name: _null(_NOT_YET) for name in inferred}}


def _quoting_gap(gap: QuotingGap) -> Json:
    return {
        "pp": _value(gap.pp),
        "control": _value(gap.control),
        "hostile": _value(gap.hostile),
        "lofo": _null(_NOT_YET),
    }


def _usage(sums: Usage | Missing) -> Json:
    if isinstance(sums, Missing):
        return _null(sums)
    return {
        "replies": sums.replies,
        "replies_with_usage": sums.replies_with_usage,
        "prompt": _value(sums.prompt),
        "completion": _value(sums.completion),
        "reasoning": _value(sums.reasoning),
        "cached": _value(sums.cached),
        "total": _value(sums.total),
    }


def _counters(one: ConfigurationSummary) -> Json:
    counters = one.counters
    return {
        "replies": counters.replies,
        "prompt_not_current": counters.prompt_not_current,
        "marker_leakage": counters.marker_leakage,
        "dialect": _plain(counters.dialects),
        "cleanup": _plain(counters.cleanup),
    }


def _breakdown(groups: Breakdown) -> Json:
    return {name: _counts(cells) for name, cells in groups.items()}


def _counts(cells: Mapping[str, Count | Missing]) -> Json:
    return {cell: _value(counted) for cell, counted in cells.items()}


def _plain(counter: Counter[str]) -> Json:
    return {name: counter[name] for name in sorted(counter)}


def _null(missing: Missing) -> Json:
    return {"value": None, "reason": missing.reason}


def _value(figure: Count | float | Missing) -> Any:
    match figure:
        case Missing():
            return _null(figure)
        case Count():
            return asdict(figure)
        case _:
            return figure

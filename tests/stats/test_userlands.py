"""The same replies on several userlands, counted by hand."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pytest_quotebench.core.reply import Configuration
from pytest_quotebench.core.result import Tally
from pytest_quotebench.stats.cells import Count, Missing
from pytest_quotebench.stats.summary import RunFacts, Summary, summarise
from pytest_quotebench.stats.summary_json import to_json
from pytest_quotebench.stats.userlands import reference_of

Cell = Callable[..., list[Tally]]


def summary_of(*tallies: list[Tally]) -> Summary:
    return summarise([one for part in tallies for one in part], RunFacts())


@pytest.fixture
def two(cell: Cell) -> Summary:
    """GNU passes the first 3 of 4; BusyBox the first and the last."""
    return summary_of(
        cell("raw/raw", ["pass", "pass", "pass", "tool-error"], userland="gnu"),
        cell("raw/raw", ["pass", "silent-wrong", "tool-error", "pass"], userland="busybox"),
    )


def test_one_userland_is_no_comparison(cell: Cell) -> None:
    found = summary_of(cell("raw/raw", 3, 4, userland="gnu"))

    assert found.userlands.userlands == ()
    assert found.userlands.transfers == ()
    assert [one.userland for one in found.configurations] == ["gnu"]


def test_what_flips_is_named_and_counted(two: Summary) -> None:
    """Pass to fail, fail to pass, and the difference over what both have."""
    (transfer,) = two.userlands.transfers

    assert (transfer.reference, transfer.userland, transfer.cell) == ("gnu", "busybox", "raw/raw")
    assert transfer.lost == (("f0-t1", 0), ("f0-t2", 0))
    assert transfer.gained == (("f0-t3", 0),)
    assert (transfer.draws, transfer.pp) == (4, -25.0)
    assert two.userlands.counts[Configuration("gpt-5.5")]["raw/raw"] == {
        "gnu": Count(3, 4),
        "busybox": Count(2, 4),
    }


def test_userlands_are_never_mixed_in_a_cell(two: Summary) -> None:
    """Each has its own counts, classes and gap; the reference comes first."""
    assert [(one.userland, one.cells["raw/raw"]) for one in two.configurations] == [
        ("gnu", Count(3, 4)),
        ("busybox", Count(2, 4)),
    ]
    assert [dict(one.failure_classes["raw/raw"]) for one in two.configurations] == [
        {"tool-error": 1},
        {"silent-wrong": 1, "tool-error": 1},
    ]
    assert two.cases == 8


def test_only_what_both_have_is_compared(cell: Cell) -> None:
    """Broken cases are in no count, and a cell that one lacks has a reason instead of a figure."""
    found = summary_of(
        cell("raw/raw", ["pass", "pass"], userland="gnu"),
        cell("raw/raw", ["tool-error", "broken"], userland="toybox"),
        cell("raw/nested", ["pass"], userland="gnu"),
    )

    raw, nested = found.userlands.transfers

    assert (raw.draws, raw.lost, raw.gained, raw.pp) == (1, (("f0-t0", 0),), (), -100.0)
    assert nested.pp == Missing("raw/nested has no task and trial in common on gnu and toybox")


def test_a_case_that_never_ran_is_the_sandboxs_own(cell: Cell) -> None:
    """A lost item's record does not say whose programs it would have found."""
    found = summary_of(
        cell("raw/raw", ["pass"], userland="gnu"),
        cell("raw/raw", ["broken"], userland="", trial=1, detail="crashed"),
        cell("raw/raw", ["broken"], userland="toybox", trial=1, detail="crashed"),
    )

    assert [(one.userland, one.trials) for one in found.configurations] == [("gnu", (0, 1)), ("toybox", (1,))]
    assert found.broken == {"crashed": 2}


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["busybox", "gnu"], "gnu"),
        (["busybox", "bsd"], "bsd"),
        (["toybox", "", "busybox"], "busybox"),
        ([""], ""),
        ([], ""),
    ],
)
def test_gnu_is_what_others_are_compared_with(names: list[str], expected: str) -> None:
    assert reference_of(names) == expected


def test_the_json_tells_each_userland_apart(two: Summary) -> None:
    found = to_json(two)

    assert found["run"]["userlands"] == ["busybox", "gnu"]
    gnu, busybox = found["configurations"]
    assert (gnu["userland"], gnu["against_userland"]) == ("gnu", None)
    assert (busybox["userland"], busybox["cells"]) == ("busybox", {"raw/raw": {"passed": 2, "total": 4}})
    assert busybox["against_userland"] == {
        "userland": "gnu",
        "cells": {
            "raw/raw": {
                "draws": 4,
                "pp": -25.0,
                "pass_to_fail": [{"task": "f0-t1", "trial": 0}, {"task": "f0-t2", "trial": 0}],
                "fail_to_pass": [{"task": "f0-t3", "trial": 0}],
            }
        },
    }

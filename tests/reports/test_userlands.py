"""The cross-userland table, character by character."""

from __future__ import annotations

from collections.abc import Callable

from pytest_quotebench import reports
from pytest_quotebench.core.result import Tally
from pytest_quotebench.stats.summary import RunFacts, Summary, summarise

Cell = Callable[..., list[Tally]]


def section(title: str, *tallies: list[Tally]) -> list[str]:
    summary: Summary = summarise([one for part in tallies for one in part], RunFacts())
    return dict(reports.render(summary)).get(title, [])


def test_one_userland_has_no_table(cell: Cell) -> None:
    assert section("userlands", cell("raw/raw", 56, userland="busybox")) == []


def test_every_cell_has_a_row_and_every_change_is_named(cell: Cell) -> None:
    """GNU first, the others by name; eight names at most, the rest as a number."""
    found = section(
        "userlands",
        cell("raw/raw", 56, userland="gnu"),
        cell("raw/raw", 44, userland="toybox"),
        cell("raw/raw", 56, userland="busybox"),
        cell("raw/nested", 16, userland="gnu"),
        cell("raw/nested", 18, userland="toybox"),
    )

    assert found == [
        "                      gnu      busybox      toybox",
        "gpt-5.5",
        "  raw/raw     56/56 100.0  56/56 100.0  44/56 78.6",
        "  raw/nested   16/56 28.6            -  18/56 32.1",
        "- no case under raw/nested",
        "verdicts of the same replies that change against gnu",
        "toybox          gpt-5.5 raw/raw: -21.4 pp: 12 pass to fail (f11-t0, f11-t1, f11-t2, f11-t3, f12-t0,",
        "                f12-t1, f12-t2, f12-t3 and 4 more)",
        "toybox          gpt-5.5 raw/nested: +3.6 pp: 2 fail to pass (f4-t0, f4-t1)",
    ]


def test_where_nothing_changes_it_says_so(cell: Cell) -> None:
    found = section("userlands", cell("raw/raw", 50, userland="gnu"), cell("raw/raw", 50, userland="bwk", trial=0))

    assert found[-1] == "verdicts of the same replies that change against gnu: none"


def test_a_later_trial_is_named_with_its_number(cell: Cell) -> None:
    found = section(
        "userlands",
        cell("raw/raw", 1, 1, userland="gnu", trial=2),
        cell("raw/raw", 0, 1, userland="dash", trial=2),
    )

    assert found[-1] == "dash            gpt-5.5 raw/raw: -100.0 pp: 1 pass to fail (f0-t0, trial 2)"


def test_more_than_five_go_into_tables_below(cell: Cell) -> None:
    names = ("gnu", "a", "b", "c", "d", "e", "f")

    found = section("userlands", *(cell("raw/raw", 56, userland=name) for name in names))

    assert [line.split() for line in found if "/" not in line][:4] == [
        ["gnu", "a", "b", "c", "d"],
        ["gpt-5.5"],
        ["e", "f"],
        ["gpt-5.5"],
    ]


def test_other_tables_have_a_row_for_each_userland(cell: Cell) -> None:
    """Named where it is not GNU's."""
    found = section("quoting gap", cell("raw/raw", 56, userland="gnu"), cell("raw/raw", 14, userland="busybox"))

    assert found == [
        "                         controls      hostile   gap",
        "tier 0 minus tiers 1 to 3, under raw/raw, in percentage points",
        "  gpt-5.5             14/14 100.0  42/42 100.0  +0.0",
        "  gpt-5.5 on busybox    4/14 28.6   10/42 23.8  +4.8",
    ]


def test_a_reply_counts_once_however_many_userlands_it_met(cell: Cell) -> None:
    found = section(
        "health",
        cell("raw/raw", 56, userland="gnu", dialect="gnu"),
        cell("raw/raw", 56, userland="busybox", dialect="gnu"),
    )

    assert found == ["dialect         commands with an idiom of one userland alone: gnu 56"]

"""The crossover's effects come from counts, over the tasks and trials that the cells share."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pytest_quotebench.core.result import Tally
from pytest_quotebench.stats.cells import Count, Effect, Missing, outcomes
from pytest_quotebench.stats.crossover import PAIRINGS, Pairing, crossover, pairings_with_data

Cell = Callable[..., list[Tally]]
NESTED = Pairing("disclosed", "nested")


def pp(figure: Effect | Missing) -> str:
    assert isinstance(figure, Effect)
    return f"{figure.pp:+.1f}"


@pytest.mark.parametrize(
    ("counts", "effects"),
    [
        # Table 4: RR, RN, NR, NN of 56 from the printed rates; damage, compensation, matched gap as printed.
        ((53, 17, 31, 51), ("-64.3", "+60.7", "-3.6")),  # GPT-5.6-sol 94.6 30.4 55.4 91.1
        ((56, 16, 28, 50), ("-71.4", "+60.7", "-10.7")),  # GPT-5.5 100.0 28.6 50.0 89.3
        ((54, 17, 24, 50), ("-66.1", "+58.9", "-7.1")),  # Opus-5 96.4 30.4 42.9 89.3
        ((55, 14, 19, 45), ("-73.2", "+55.4", "-17.9")),  # Gemini-3.1-Pro 98.2 25.0 33.9 80.4
        ((54, 16, 38, 33), ("-67.9", "+30.4", "-37.5")),  # Gemini-3.5-Flash 96.4 28.6 67.9 58.9
        ((51, 15, 35, 32), ("-64.3", "+30.4", "-33.9")),  # Opus-4.8 91.1 26.8 62.5 57.1
        ((48, 17, 47, 17), ("-55.4", "+0.0", "-55.4")),  # Qwen3.5-27B 85.7 30.4 83.9 30.4
        ((44, 11, 45, 8), ("-58.9", "-5.4", "-64.3")),  # Gemini-3.1-Flash-Lite 78.6 19.6 80.4 14.3
        # Table 14, three rungs.
        ((55, 16, 30, 51), ("-69.6", "+62.5", "-7.1")),  # GPT-5.6-sol low 98.2 28.6 53.6 91.1
        ((56, 18, 26, 55), ("-67.9", "+66.1", "-1.8")),  # Opus-5 max 100.0 32.1 46.4 98.2
        ((55, 18, 24, 56), ("-66.1", "+67.9", "+1.8")),  # Opus-5 xhigh 98.2 32.1 42.9 100.0
    ],
)
def test_the_papers_rows_follow_from_their_counts(
    counts: tuple[int, ...], effects: tuple[str, str, str], cell: Cell
) -> None:
    names = ("raw/raw", "raw/nested", "disclosed/raw", "disclosed/nested")
    tallies = [tally for name, passed in zip(names, counts, strict=True) for tally in cell(name, passed)]

    found = crossover(outcomes(tallies), NESTED)

    assert (found.rr, found.rn, found.nr, found.nn) == tuple(Count(passed, 56) for passed in counts)
    assert (pp(found.damage), pp(found.compensation), pp(found.matched_gap)) == effects


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        # Table 5: 42 tasks.
        ((39, 8, 21, 41), "+121.4"),  # GPT-5.6-sol 92.9 19.0 50.0 97.6
        ((39, 7, 25, 18), "+59.5"),  # Opus-4.8 92.9 16.7 59.5 42.9
    ],
)
def test_the_papers_interactions_follow_from_their_counts(
    counts: tuple[int, ...], expected: str, cell: Cell
) -> None:
    names = ("raw/raw", "raw/nested", "disclosed/raw", "disclosed/nested")
    tallies = [tally for name, passed in zip(names, counts, strict=True) for tally in cell(name, passed, 42)]

    assert pp(crossover(outcomes(tallies), NESTED).interaction) == expected


@pytest.mark.parametrize(
    ("counts", "masked"),
    [
        ((53, 17, 27, 52), True),  # GPT-5.6-sol medium, asterisk in Table 14
        ((54, 17, 24, 54), True),  # Opus-5 high, asterisk
        ((56, 18, 23, 51), False),  # Opus-5 medium, -8.9: none
        ((48, 47, 47, 48), False),  # nothing to hide
        ((50, 37, 40, 48), False),  # compensation +19.6
        ((48, 37, 40, 49), False),  # damage -19.6
    ],
)
def test_masked_fragility_is_a_small_gap_over_large_effects(
    counts: tuple[int, ...], masked: object, cell: Cell
) -> None:
    names = ("raw/raw", "raw/nested", "disclosed/raw", "disclosed/nested")
    tallies = [tally for name, passed in zip(names, counts, strict=True) for tally in cell(name, passed)]

    assert crossover(outcomes(tallies), NESTED).masked is masked


def test_an_effect_counts_only_draws_that_both_cells_have(cell: Cell) -> None:
    """Trial 1 exists under the raw contract alone; there it is all failures and would move every effect."""
    tallies = [*cell("raw/raw", 56), *cell("raw/raw", 0, trial=1), *cell("disclosed/nested", 28)]

    found = crossover(outcomes(tallies), NESTED)

    assert found.rr == Count(56, 112)
    assert found.matched_gap == Effect(-50.0, 56, partial=True)


def test_broken_cases_are_outside_rates_and_effects(cell: Cell) -> None:
    tallies = [*cell("raw/raw", ["pass", "pass", "broken"]), *cell("raw/nested", ["silent-wrong", "pass", "pass"])]

    found = crossover(outcomes(tallies), NESTED)

    assert (found.rr, found.rn) == (Count(2, 2), Count(2, 3))
    assert found.damage == Effect(-50.0, 2, partial=True)


def test_a_figure_that_cannot_be_computed_says_why_and_is_never_0(cell: Cell) -> None:
    tallies = [*cell("raw/raw", 1, 1), *cell("raw/nested", ["broken"]), *cell("disclosed/nested", 1, 1, trial=1)]

    found = crossover(outcomes(tallies), NESTED)

    assert found.rn == Missing("every case under raw/nested is broken")
    assert found.nr == Missing("no case under disclosed/raw")
    assert found.damage == Missing("every case under raw/nested is broken")
    assert found.matched_gap == Missing("disclosed/nested, raw/raw have no task and trial in common")
    assert found.interaction == Missing("no case under disclosed/raw")
    assert isinstance(found.masked, Missing)


def test_of_a_case_told_twice_the_last_telling_counts(cell: Cell) -> None:
    cells = outcomes([*cell("raw/raw", ["broken"]), *cell("raw/raw", ["pass"])])

    assert crossover(cells, NESTED).rr == Count(1, 1)
    assert outcomes([*cell("raw/raw", ["pass"]), *cell("raw/raw", ["broken"])]) == {"raw/raw": {}}


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["raw/raw"], []),
        (["raw/raw", "raw/nested"], [NESTED]),
        (["raw/raw", "raw/nested", "raw/nested-single"], [NESTED, PAIRINGS[1]]),
        (["raw/raw", "raw/nested", "disclosed-advice/nested"], [PAIRINGS[2]]),
        (["disclosed/raw", "disclosed-advice/nested", "disclosed-single/raw"], list(PAIRINGS)),
        (["json/raw", "script/script"], []),
    ],
)
def test_a_run_shows_the_pairings_of_which_it_says_something(
    names: list[str], expected: list[Pairing], cell: Cell
) -> None:
    tallies = [tally for name in names for tally in cell(name, 1, 1)]

    assert list(pairings_with_data(outcomes(tallies))) == expected


def test_another_boundary_can_be_named(cell: Cell) -> None:
    tallies = [*cell("raw/raw", 4, 4), *cell("raw/ssh", 1, 4)]

    assert pairings_with_data(outcomes(tallies), [Pairing("disclosed", "ssh")]) == (("disclosed", "ssh"),)
    assert pp(crossover(outcomes(tallies), Pairing("disclosed", "ssh")).damage) == "-75.0"

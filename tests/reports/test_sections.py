"""The terminal sections, character by character."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from pytest_quotebench import reports
from pytest_quotebench.core.result import Tally
from pytest_quotebench.stats.summary import MissingCase, RunFacts, Summary, summarise

Cell = Callable[..., list[Tally]]
FOUR = ("raw/raw", "raw/nested", "disclosed/raw", "disclosed/nested")


def four(cell: Cell, model: str, *passed: int) -> list[Tally]:
    return [tally for name, count in zip(FOUR, passed, strict=True) for tally in cell(name, count, model=model)]


def section(title: str, summary: Summary) -> list[str]:
    return dict(reports.render(summary)).get(title, [])


def test_sections_are_found_by_file_name_and_printed_in_order(cell: Cell) -> None:
    tallies = [*four(cell, "gpt-5.5", 56, 16, 28, 50), *cell("json/raw", 56, cleanup=("fence",))]

    titles = [found.title for found in reports.render(summarise(tallies, RunFacts()))]

    assert reports.report_names() == [
        *("cells", "crossover", "failure-classes", "health", "quoting-gap"),
        "userlands",
    ]
    assert titles == ["crossover", "quoting gap", "cells", "failure classes", "health"]


def test_a_run_with_nothing_to_say_prints_nothing() -> None:
    assert reports.render(summarise([], RunFacts())) == []


def test_the_crossover_has_a_row_for_each_configuration_and_contract(cell: Cell) -> None:
    tallies = [
        *four(cell, "gpt-5.5", 56, 16, 28, 50),
        *four(cell, "Opus-5", 54, 17, 24, 54),
        *cell("disclosed-advice/nested", 53),
        *cell("raw/raw", 55, model="new", trial=1),
        *cell("raw/raw", 56, model="new"),
        *cell("raw/nested", 20, model="new"),
    ]

    assert section("crossover", summarise(tallies, RunFacts())) == [
        "                     RR          RN          NR          NN  damage   comp.    gap",
        "contract disclosed, transport nested",
        "  Opus-5     54/56 96.4  17/56 30.4  24/56 42.9  54/56 96.4   -66.1   +66.1   +0.0*",
        "  gpt-5.5   56/56 100.0  16/56 28.6  28/56 50.0  50/56 89.3   -71.4   +60.7  -10.7",
        "  new      111/112 99.1  20/56 35.7           -           -   -64.3~      -      -",
        "contract disclosed-advice, transport nested",
        "  gpt-5.5   56/56 100.0  16/56 28.6           -  53/56 94.6   -71.4   +66.1   -5.4",
        "passed/total percent; first letter contract, second transport: R raw, N as the heading says",
        "damage RN-RR, compensation NN-RN, matched gap NN-RR, in percentage points",
        "- no case under disclosed-advice/raw",
        "- no case under disclosed/raw",
        "- no case under disclosed/nested",
        "~ over the tasks and trials that all its cells have; one of them has more",
        "* masked fragility: a gap within 5 pp hides 20 pp or more of damage and compensation",
    ]


def test_the_quoting_gap_leaves_out_who_has_no_raw_case(cell: Cell) -> None:
    tallies = [*cell("raw/raw", 28), *cell("raw/raw", 1, 1, model="short"), *cell("json/raw", 9, model="other")]

    assert section("quoting gap", summarise(tallies, RunFacts())) == [
        "            controls     hostile   gap",
        "tier 0 minus tiers 1 to 3, under raw/raw, in percentage points",
        "  gpt-5.5  7/14 50.0  21/42 50.0  +0.0",
        "  short    1/1 100.0           -     -",
        "- no hostile task (tiers 1 to 3) under raw/raw",
    ]


def test_cells_beyond_the_crossover_are_shown_with_the_others(cell: Cell) -> None:
    tallies = [
        *four(cell, "gpt-5.5", 56, 16, 28, 50),
        *four(cell, "plain", 56, 16, 28, 50),
        *cell("json/raw", 56),
        *cell("raw/nested-escaped", 56),
        *cell("script/script", 3, 3, failed="broken"),
        *cell("script/raw", 0, 2, failed="broken"),
    ]

    assert section("cells", summarise(tallies, RunFacts())) == [
        "  contract           raw      nested  nested-escaped     script",
        "gpt-5.5",
        "  raw        56/56 100.0  16/56 28.6     56/56 100.0",
        "  disclosed   28/56 50.0  50/56 89.3",
        "  json       56/56 100.0",
        "  script               -                              3/3 100.0",
        "- every case under script/raw is broken",
    ]


def test_many_transports_stay_below_100_columns(cell: Cell) -> None:
    names = [f"disclosed-single/transport-{number:02}" for number in range(12)]
    tallies = [tally for name in names for tally in cell(name, 56, model="unnamed-frontier")]

    found = section("cells", summarise(tallies, RunFacts()))

    assert max(map(len, found)) <= 100
    assert sum(line.count("56/56 100.0") for line in found) == 12


def test_failure_classes_keep_silent_wrong_apart(cell: Cell) -> None:
    tallies = [
        *cell("raw/raw", 56),
        *cell("raw/nested", 50, failed="shell-syntax"),
        *cell("json/raw", 0, 2, failed="contract-error"),
        *cell("disclosed/nested", 53, failed="silent-wrong"),
        *cell("disclosed/raw", 0, 3, failed="broken"),
    ]

    assert section("failure classes", summarise(tallies, RunFacts())) == [
        "                    failed  contract-error  shell-syntax  |  silent-wrong",
        "gpt-5.5",
        "  raw/nested             6               0             6  |             0",
        "  disclosed/nested       3               0             0  |             3",
        "  json/raw               2               2             0  |             0",
    ]


def test_health_says_what_a_reader_has_to_know(cell: Cell) -> None:
    tallies = [
        *cell("raw/raw", 0, 2, failed="broken", detail="sandbox-gone", prompt_current=False),
        *cell("raw/nested", 4, 4, cleanup=("fence", "whitespace"), dialect="bsd", marker_leakage=True),
    ]
    run = RunFacts(
        missing=tuple(MissingCase(f"write-file-t{tier}-raw-raw-gpt-5.5-0", "not run") for tier in range(4)),
        problems=("a.jsonl:3: error: not a JSON object",),
    )

    assert section("health", summarise(tallies, run)) == [
        "broken          2 of 6 cases, outside every rate: sandbox-gone 2",
        "missing cells   4: not run (write-file-t0-raw-raw-gpt-5.5-0, write-file-t1-raw-raw-gpt-5.5-0,",
        "                write-file-t2-raw-raw-gpt-5.5-0 and 1 more)",
        "problem         a.jsonl:3: error: not a JSON object",
        "marker leakage  4 of 4 replies have a ⟪ or ⟫ in the command (gpt-5.5 4)",
        "cleanup         replies that needed a step of it: fence 4, whitespace 4",
        "dialect         commands with an idiom of one userland alone: bsd 4",
    ]
    old = summarise(cell("raw/raw", 2, 2, prompt_current=False), RunFacts())
    assert section("health", old) == [
        "old prompt      2 of 2 replies answered another prompt than today's (gpt-5.5 2)"
    ]


def test_a_healthy_run_has_no_health_section(cell: Cell) -> None:
    assert section("health", summarise(four(cell, "gpt-5.5", 56, 16, 28, 50), RunFacts())) == []


def test_names_from_outside_are_printable_and_bounded(cell: Cell) -> None:
    model = "\x1b[31m\ud83d\n" + "x" * 500
    tallies = [
        *cell("raw/raw", 1, 2, model=model, contract="\x1b", detail="\x07"),
        *cell("raw/nested", 0, 1, model=model, failed="broken", detail="\x1b"),
    ]
    run = RunFacts(missing=(MissingCase("\x1b", "\u202e"),), problems=("\ud83d\n" * 10,))

    for found in reports.render(summarise(tallies, run)):
        assert all(line.isprintable() and len(line) <= 100 for line in found.lines)


def test_a_minus_is_one_sign_and_zero_has_a_plus(cell: Cell) -> None:
    text = "\n".join(section("crossover", summarise(four(cell, "m", 50, 20, 20, 50), RunFacts())))

    assert "+0.0" in text
    assert "-0.0" not in text
    assert "\u2212" not in text


def test_a_file_that_begins_with_an_underscore_is_no_section() -> None:
    assert (Path(reports.__file__).parent / "_table.py").is_file()
    assert not [name for name in reports.report_names() if "table" in name]

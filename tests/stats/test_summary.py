"""The summary holds what a run says, and its JSON form says null with a reason where it says nothing."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from pytest_quotebench.core.reply import Configuration
from pytest_quotebench.core.result import Tally, to_line
from pytest_quotebench.stats.cells import Count, Missing
from pytest_quotebench.stats.summary import MissingCase, RunFacts, summarise
from pytest_quotebench.stats.summary_json import to_json

Cell = Callable[..., list[Tally]]


def crossover_tallies(cell: Cell, **changes: Any) -> list[Tally]:
    return [
        *cell("raw/raw", 56, **changes),
        *cell("raw/nested", 16, **changes),
        *cell("disclosed/raw", 28, **changes),
        *cell("disclosed/nested", 50, **changes),
    ]


def nulls(value: Any) -> Iterator[dict[Any, Any]]:
    match value:
        case {"value": None, **others}:
            yield others
        case dict():
            for inner in value.values():
                yield from nulls(inner)
        case list():
            for inner in value:
                yield from nulls(inner)


def test_the_json_has_the_designs_keys_and_figures(cell: Cell) -> None:
    found = to_json(summarise(crossover_tallies(cell), RunFacts(versions={"bash": "5.2"}, options={"n": 2})))

    assert list(found) == ["schema", "run", "configurations", "ranking"]
    assert found["schema"] == "qb-summary/1"
    assert (found["run"]["versions"], found["run"]["options"]) == ({"bash": "5.2"}, {"n": 2})
    (one,) = found["configurations"]
    (crossed,) = one["crossover"]
    assert {name: value["pp"] for name, value in crossed.items() if isinstance(value, dict) and "pp" in value} == {
        "damage": 100 * -40 / 56,
        "compensation": 100 * 34 / 56,
        "matched_gap": 100 * -6 / 56,
        "interaction": 100 * 62 / 56,
    }
    assert (crossed["disclosed"], crossed["boundary"], crossed["masked"]) == ("disclosed", "nested", False)
    assert crossed["RN"] == one["cells"]["raw/nested"] == {"passed": 16, "total": 56}
    assert {name: set(value) for name, value in crossed.items() if name in ("damage", "matched_gap")} == {
        "damage": {"pp", "ci", "p", "p_holm"},
        "matched_gap": {"pp", "ci"},
    }
    assert one["quoting_gap"]["control"] == {"passed": 14, "total": 14}
    assert one["failure_classes"]["raw/nested"] == {"silent-wrong": 40}
    assert one["families"]["f13"]["disclosed/nested"] == {"passed": 0, "total": 4}
    assert one["hazards"]["dollar"]["disclosed/raw"] == {"passed": 28, "total": 56}


def test_what_cannot_be_computed_is_null_with_a_reason(cell: Cell) -> None:
    found = to_json(summarise(cell("raw/nested", ["broken"]), RunFacts()))

    (one,) = found["configurations"]
    broken = {"value": None, "reason": "every case under raw/nested is broken"}
    assert one["cells"] == {"raw/nested": broken}
    assert one["crossover"][0]["RN"] == broken
    assert one["crossover"][0]["damage"]["pp"] == broken
    assert one["crossover"][0]["RR"] == {"value": None, "reason": "no case under raw/raw"}
    assert one["usage"] == {"value": None, "reason": "no reply tells its usage"}
    assert found["ranking"] == {"value": None, "reason": "not computed by this version"}
    assert all(list(null) == ["reason"] and null["reason"] for null in nulls(found))


def test_the_json_is_one_valid_line_whatever_a_model_is_called(cell: Cell) -> None:
    tallies = cell("raw/raw", 1, 1, configuration=Configuration("\ud83d\n", "\x1b"))
    found = to_json(summarise(tallies, RunFacts()))

    assert json.loads(to_line(found)) == found


def test_a_run_without_a_case_has_a_summary() -> None:
    found = to_json(summarise([], RunFacts()))

    assert (found["configurations"], found["run"]["cases"]) == ([], 0)


def test_a_case_that_was_run_twice_counts_once_and_its_last_record_counts(cell: Cell) -> None:
    """ST05: xdist runs a crashed item again."""
    summary = summarise([*cell("raw/raw", ["broken", "pass"]), *cell("raw/raw", ["pass"])], RunFacts())

    assert (summary.cases, summary.broken.total()) == (2, 0)
    assert summary.configurations[0].cells == {"raw/raw": Count(2, 2)}


def test_broken_and_missing_cases_are_counted_by_reason(cell: Cell) -> None:
    tallies = [*cell("raw/raw", ["broken"], detail="sandbox-gone"), *cell("raw/nested", ["broken", "pass"])]
    run = RunFacts(missing=(MissingCase("a", "crashed"), MissingCase("b", "crashed")), problems=("x: error: y",))
    found = to_json(summarise(tallies, run))["run"]

    assert (found["broken"], found["broken_details"]) == (2, {"sandbox-gone": 1, "unknown": 1})
    assert (found["missing"], found["missing_reasons"], found["problems"]) == (2, {"crashed": 2}, ["x: error: y"])


def test_configurations_stand_in_the_order_of_their_efforts(cell: Cell) -> None:
    names = [("b", None), ("a", "xhigh"), ("a", "odd"), ("a", "low"), ("a", None), ("a", "high")]
    tallies = [tally for name in names for tally in cell("raw/raw", 1, 1, configuration=Configuration(*name))]

    found = [str(one.configuration) for one in summarise(tallies, RunFacts()).configurations]

    assert found == ["a", "a@low", "a@high", "a@xhigh", "a@odd", "b"]


def test_tokens_and_counters_are_told_once_for_each_reply(cell: Cell) -> None:
    """Each reply met two transports."""
    told: dict[str, Any] = {
        "usage": {"prompt": 10, "completion": 5, "reasoning": None, "cached": None, "total": 15},
        "cleanup": ("fence", "whitespace"),
        "marker_leakage": True,
        "dialect": "gnu",
        "prompt_current": False,
    }
    tallies = [
        *cell("raw/raw", 3, 3, **told),
        *cell("raw/nested", 3, 3, **told),
        *cell("disclosed/raw", 2, 2, usage=None),
    ]
    (one,) = to_json(summarise(tallies, RunFacts()))["configurations"]

    assert one["usage"] == {
        "replies": 5,
        "replies_with_usage": 3,
        "prompt": 30,
        "completion": 15,
        "reasoning": {"value": None, "reason": "no reply tells its reasoning tokens"},
        "cached": {"value": None, "reason": "no reply tells its cached tokens"},
        "total": 45,
    }
    assert one["counters"] == {
        "replies": 5,
        "prompt_not_current": 3,
        "marker_leakage": 3,
        "dialect": {"gnu": 3},
        "cleanup": {"fence": 3, "whitespace": 3},
    }


def test_failures_are_counted_by_class_without_broken_cases(cell: Cell) -> None:
    verdicts = ["pass", "silent-wrong", "silent-wrong", "tool-error", "broken"]
    (one,) = summarise([*cell("raw/raw", verdicts), *cell("raw/nested", 2, 2)], RunFacts()).configurations

    assert one.failure_classes == {"raw/raw": {"silent-wrong": 2, "tool-error": 1}, "raw/nested": {}}


def test_trials_are_listed_and_hazards_count_every_task_that_has_them(cell: Cell) -> None:
    tallies = [*cell("raw/raw", 1, 2, hazards=("a", "b")), *cell("raw/raw", 2, 2, trial=3, hazards=("b",))]
    (one,) = summarise(tallies, RunFacts()).configurations

    assert one.trials == (0, 3)
    assert one.hazards == {"a": {"raw/raw": Count(1, 2)}, "b": {"raw/raw": Count(3, 4)}}
    assert not isinstance(one.cells["raw/raw"], Missing)

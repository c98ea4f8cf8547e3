"""Stored replies crossed with transports, filtered, and what is missing from the grid."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from pytest_quotebench.core.reply import Configuration, Reply
from pytest_quotebench.selection import Wanted, select
from quotebench_tasks import load_tasks

TASKS = load_tasks(["write-file"])
REPLY = Reply(task="write-file-t0", configuration=Configuration("m"), contract="raw", trial=0, text="x")
WANTED = Wanted(contracts=("raw", "disclosed"), transports=("raw", "nested"), tasks=("write-file-t0",))


def test_each_reply_meets_each_transport() -> None:
    """Two transports, two cases; sorted by id."""
    cases = select(TASKS, [REPLY], WANTED).cases

    assert [case.id for case in cases] == ["write-file-t0-raw-nested-m-0", "write-file-t0-raw-raw-m-0"]


def test_what_a_full_grid_lacks_is_missing() -> None:
    """A configuration that has a reply under one contract lacks it under the other, trial by trial."""
    second = replace(REPLY, trial=1)

    missing = select(TASKS, [REPLY, second], WANTED).missing

    assert [(key.contract, key.trial) for key in missing] == [("disclosed", 0), ("disclosed", 1)]


def test_a_trial_that_was_asked_for_and_is_not_stored_is_missing() -> None:
    """Asking for trial 3 of a configuration that has trial 0 and 3 in part."""
    wanted = replace(WANTED, contracts=("raw",), trials=(0, 3))

    assert [key.trial for key in select(TASKS, [REPLY], wanted).missing] == [3]


@pytest.mark.parametrize(
    ("wanted", "kept"),
    [
        ({"models": ("m",)}, {"m", "m@high"}),
        ({"models": ("m@high",)}, {"m@high"}),
        ({"models": ("m",), "efforts": ("default",)}, {"m"}),
        ({"efforts": ("high",)}, {"m@high"}),
        ({}, {"m", "m@high", "other"}),
    ],
)
def test_configurations_are_chosen_by_model_and_effort(wanted: dict[str, Any], kept: set[str]) -> None:
    """A model's name means all of its efforts; `default` is the effort that was not set."""
    configurations = (Configuration("m"), Configuration("m", "high"), Configuration("other"))
    stored = [replace(REPLY, configuration=one) for one in configurations]

    cases = select(TASKS, stored, replace(WANTED, **wanted)).cases

    assert {str(case.reply.configuration) for case in cases} == kept


def test_cases_whose_names_would_be_the_same_are_told_apart() -> None:
    """`m` at effort `high` and a model `m-high`; the transport `json` of `naive-m` and `json-naive` of `m`."""
    stored = [
        replace(REPLY, configuration=Configuration(model, effort))
        for model, effort in (("m", "high"), ("m-high", None), ("m", None), ("naive-m", None))
    ]

    cases = select(TASKS, stored, replace(WANTED, transports=("json", "json-naive"))).cases

    names = [case.id for case in cases]
    assert len(set(names)) == len(names) == 8
    assert "write-file-t0-raw-json-m-0" in names
    assert names == [
        case.id for case in select(TASKS, stored[::-1], replace(WANTED, transports=("json-naive", "json"))).cases
    ]


@pytest.mark.parametrize("model", ["a/b:c", "ü", "", " ", "x" * 300, "../../etc", "a\nb", "\ud800", "😀"])
def test_every_name_gives_a_valid_item_name(model: str) -> None:
    """Whatever a model is called, its slug is made of letters, digits, dot, underscore and minus, and bounded."""
    slug = Configuration(model).slug

    assert slug == "".join(
        filter(lambda character: character.isascii() and (character.isalnum() or character in "._-"), slug)
    )
    assert 1 < len(slug) <= 70

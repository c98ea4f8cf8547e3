"""The controller's bookkeeping: collected, begun, recorded."""

from __future__ import annotations

import json

from pytest_quotebench.plugin.ledger import Ledger
from pytest_quotebench.plugin.summary import contradictions

IDS = frozenset({"a", "b", "c"})
RECORD = {
    "task": "t", "family": "f", "tier": 0, "hazards": [], "model": "m", "effort": None, "contract": "raw",
    "transport": "raw", "trial": 0, "sandbox": "local", "verdict": "pass", "detail": None, "cleanup": [],
    "marker_leakage": False, "dialect": None, "prompt_current": None,
}  # fmt: skip


def test_what_was_collected_and_not_recorded_is_lost() -> None:
    """Items of other modules are none of ours, and skipped ones are not lost."""
    ledger = Ledger(
        collected={"x.py::test_replay[a]", "x.py::test_replay[b]", "x.py::test_replay[c]", "x.py::test_other"}
    )
    ledger.begin("x.py::test_replay[a]")
    ledger.record("x.py::test_replay[a]", json.dumps(RECORD))
    ledger.end("x.py::test_replay[a]")
    ledger.skipped.add("x.py::test_replay[b]")

    assert ledger.lost(IDS) == ("x.py::test_replay[c]",)


def test_the_last_report_of_an_item_counts() -> None:
    """A rerun replaces what was recorded before."""
    ledger = Ledger()
    ledger.record("a", json.dumps({**RECORD, "verdict": "timeout"}))
    ledger.record("a", json.dumps(RECORD))

    assert [tally.passed for tally in ledger.tallies.values()] == [True]
    assert ledger.is_used


def test_an_unused_ledger_says_so() -> None:
    """Nothing recorded: nothing to print."""
    assert not Ledger(collected={"x.py::test_replay[a]"}).is_used


def test_one_case_in_two_suites_with_two_verdicts_is_told() -> None:
    """The tables count it once; nobody is left to wonder which."""
    ledger = Ledger()
    ledger.record("a.py::test_replay[x]", json.dumps(RECORD))
    ledger.record("b.py::test_replay[x]", json.dumps({**RECORD, "verdict": "timeout"}))
    ledger.record("c.py::test_replay[y]", json.dumps({**RECORD, "trial": 1}))

    assert contradictions(ledger.tallies) == (
        "a.py::test_replay[x] is pass, and b.py::test_replay[x], the same case, is timeout",
    )

"""One plain parametrized test function that does the plugin's work by hand: what the plugin is measured against.

QB_CASES=CASES.json python -m pytest -p no:quotebench plain_test.py
"""

from __future__ import annotations

import os
import tempfile

import pytest
from by_hand import Case, commit_message, final_state, lay_out, read_cases, run

CASES = read_cases(os.environ["QB_CASES"])


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_by_hand(case: Case) -> None:
    """The command leaves the expected files, and the expected commit where one is asked for."""
    with tempfile.TemporaryDirectory() as directory:
        lay_out(case, directory)
        run(case, directory)
        found = final_state(directory)
        message = commit_message(directory) if case["message"] is not None else None
    if found != case["expected"]:
        pytest.fail("the files differ", pytrace=False)
    if message != case["message"]:
        pytest.fail("the commit's message differs", pytrace=False)

"""Where state lives: stash keys, and the names of the report attributes that carry results to the controller."""

from __future__ import annotations

import pytest

from pytest_quotebench.core.result import Result

RESULT = pytest.StashKey[Result]()
"""The result of a replayed item, from its run to its report."""

GATE = pytest.StashKey[dict[str, object]]()
"""What a gate item counted: plain JSON values."""

RESULT_ATTRIBUTE = "quotebench_result"
"""A report's attribute: a `qb-result/1` record as one ASCII JSON string."""

GATE_ATTRIBUTE = "quotebench_gate"
"""A report's attribute: what a gate item counted, as one ASCII JSON string."""

"""What `-m` asks for."""

from __future__ import annotations

import pytest

from pytest_quotebench.plugin.marks import wants_gate, wants_replays


@pytest.mark.parametrize(
    ("expression", "replays", "gate"),
    [
        ("", True, False),
        ("validate", False, True),
        (" validate ", False, True),
        ("not validate", True, False),
        ("validate or slow", False, True),
        ("validate and not slow", False, True),
        ("validate and slow", False, False),
        ("slow", False, False),
        ("not slow", True, False),
        ("validated", False, False),
        ("not (validate or slow)", True, False),
        ("validate or not slow", True, True),
        ("device(serial=1) or validate", False, True),
        ("and and", True, False),
    ],
)
def test_the_expression_decides(expression: str, replays: bool, gate: bool) -> None:  # noqa: FBT001
    """Replays have no mark, the gate has `validate`; the gate never runs unless it is mentioned."""
    assert (wants_replays(expression), wants_gate(expression)) == (replays, gate)

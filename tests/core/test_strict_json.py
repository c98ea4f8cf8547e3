"""JSON as RFC 8259 and nothing else."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_quotebench.core.strict_json import parse_strict, same

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(VALUES)
def test_what_the_standard_writer_writes_is_read(value: Any) -> None:
    assert same(parse_strict(json.dumps(value)), value)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "NaN",
        "[Infinity]",
        '{"a":1,"a":1}',
        "{'a':1}",
        "[1,]",
        "1 2",
        "\ufeff1",
        "[" * 100_000,
        "9" * 5000,
        '"\n"',
        "1e400x",
    ],
)
def test_everything_else_is_a_value_error(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse_strict(text)


@pytest.mark.parametrize(
    ("one", "other"),
    [(True, 1), (1, 1.0), ([1], [True]), ({"a": 0}, {"a": False}), ([1], [1, 2]), (None, 0), ({}, [])],
)
def test_values_of_other_types_are_other_values(one: Any, other: Any) -> None:
    assert not same(one, other)
    assert same(one, one)

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_quotebench.core.text import has_surrogate, to_bytes, to_text, visible, visible_block


@given(st.binary())
def test_every_byte_string_survives_as_text(data: bytes) -> None:
    assert to_bytes(to_text(data)) == data


def test_a_surrogate_that_stands_for_no_byte_has_no_bytes() -> None:
    with pytest.raises(UnicodeEncodeError):
        to_bytes("\ud800")


@given(st.one_of(st.binary(), st.text(st.characters())))
def test_what_is_visible_is_printable_and_valid_in_every_encoding(value: str | bytes) -> None:
    shown = visible(value)
    assert shown.isprintable()
    assert not has_surrogate(shown)
    assert json.loads(json.dumps(shown)) == shown


@given(st.text(max_size=50), st.text(max_size=50))
def test_different_values_never_give_the_same_text(one: str, other: str) -> None:
    assert (visible(one) == visible(other)) == (one == other)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("plain é 雪", "plain é 雪"),
        ("a\nb\tc\r", "a\\nb\\tc\\r"),
        ("\\", "\\\\"),
        ("\x1b[31m\x00\x7f", "\\x1b[31m\\x00\\x7f"),
        ("\u202e\u200b", "\\u202e\\u200b"),
        ("\ud800", "\\ud800"),
        (b"\xff\xc3(", "\\xff\\xc3("),
        ("\U000e0001", "\\U000e0001"),
    ],
)
def test_what_cannot_be_seen_is_written_as_an_escape(value: str | bytes, shown: str) -> None:
    assert visible(value) == shown


def test_a_long_value_is_cut_and_says_by_how_much() -> None:
    assert visible("x" * 12, limit=10) == "x" * 10 + "… (2 more characters)"


def test_a_block_keeps_its_lines_and_backslashes() -> None:
    assert visible_block("a\\\nb\x1b") == "a\\\nb\\x1b"

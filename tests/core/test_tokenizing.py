"""The word splitter is Python's, in linear time."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pytest_quotebench.core.errors import TransportError
from pytest_quotebench.core.tokenizing import shlex_words


def by_python(text: str) -> tuple[str, ...] | str:
    try:
        return tuple(shlex.split(text))
    except ValueError as error:
        return f"shlex: {error}"


@given(text=st.text(" \t\r\n'\"\\#$ab\vé\udcff", max_size=14))
@example(text='"\\')
@example(text="'\\")
@example(text="a \\\n b")
@settings(max_examples=1500)
def test_the_words_and_the_errors_are_those_of_shlex(text: str) -> None:
    assert by_the_splitter(text) == by_python(text)


def by_the_splitter(text: str) -> tuple[str, ...] | str:
    try:
        return shlex_words(text)
    except TransportError as error:
        return str(error)


@pytest.mark.parametrize("text", ["x" * 2_000_000, "\\x" * 200_000, '"a"' * 200_000, "a " * 100_000])
def test_a_long_text_takes_no_time(text: str) -> None:
    assert shlex_words(text)

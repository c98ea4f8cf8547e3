"""The tokeniser of OpenHands' launch commands, rule by rule."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_quotebench.core.errors import TransportError
from pytest_quotebench.core.escaping import shell_word
from pytest_quotebench.transports.openhands_acp import TRANSPORT, parse_command


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (" a\tb\nc\rd ", ("a", "b", "c", "d")),
        ("'a \"$x\\' b", ('a "$x\\', "b")),
        ('"a\\"b\\\\c\\n\'d"', ("a\"b\\c\\n'd",)),
        ("a\\ b\\\\\\'", ("a b\\'",)),
        ("a\\\nb", ("a\nb",)),
        ("\"\" ''", ("", "")),
        ("a'b c", ("ab c",)),
        ('a "b c', ("a", "b c")),
        ("a\\", ("a\\",)),
        ('a "b\\', ("a", "b\\")),
        (
            "$x `y` * ~ {a,b} > c | d; e & #f",
            ("$x", "`y`", "*", "~", "{a,b}", ">", "c", "|", "d;", "e", "&", "#f"),
        ),
        ("a\vb", ("a\vb",)),
        ("  ", ()),
    ],
)
def test_the_words_follow_its_rules(command: str, words: tuple[str, ...]) -> None:
    assert parse_command(command) == words


@given(words=st.lists(st.text("ab'\"\\ \n\t$*", max_size=6), max_size=5))
def test_words_that_a_shell_would_read_are_read(words: list[str]) -> None:
    assert parse_command(" ".join(map(shell_word, words))) == tuple(words)


def test_no_words_are_refused() -> None:
    with pytest.raises(TransportError) as raised:
        TRANSPORT.plan(" \n")

    assert raised.value.detail == "refused"

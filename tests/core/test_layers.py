"""The layer that lost the first byte is named."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_quotebench.core.layers import CARRIER, NOT_OBSERVABLE, Layer, Loss, first_loss
from pytest_quotebench.registry import Registry, built_in
from pytest_quotebench.transports import Transport

TRANSPORTS: Registry[Transport] = Registry("transport", built_in("transports", "TRANSPORT"))


@pytest.mark.parametrize(
    ("transport", "command", "loss"),
    [
        ("nested", 'echo "é!" x', Loss("bash -c", 5, '"é!" x')),
        ("nested", 'echo "a b" | x', Loss("bash -c", 5, '"a b" | x')),
        ("nested", "echo é $HOME", Loss("bash -c", 8, "$HOME")),
        ("nested-double", r"echo '\\'", Loss("bash -c", 7, "\\'")),
        ("json-naive", r"printf '\n'", Loss("JSON parser", 8, r"\n'")),
        ("gemini-cli", "\fecho a", Loss(CARRIER, 0, "\fecho a")),
        ("make", "echo a\necho b", Loss(CARRIER, 7, "echo b")),
        ("make", "echo a$$b", Loss("make", 7, "$b")),
    ],
)
def test_the_parser_that_first_changes_a_command_is_named(transport: str, command: str, loss: Loss) -> None:
    """With the number of bytes that came through together, and the rest."""
    found = first_loss(command, TRANSPORTS[transport].layers(command))

    assert found == loss


@pytest.mark.parametrize("transport", ["raw", "nested", "json", "script", "stdin", "nested-escaped", "langchain"])
def test_a_command_that_comes_through_has_no_loss(transport: str) -> None:
    """Whatever was written around it, or was an escape on the way."""
    assert first_loss("echo 'a  b'", TRANSPORTS[transport].layers("echo 'a  b'")) is None


@pytest.mark.parametrize("command", ["echo \"a\" '\\n' \\\\ $(:)", "é\udcff\n"])
def test_an_escaped_command_comes_through_the_control(command: str) -> None:
    """`nested-escaped` adds what is taken away."""
    assert first_loss(command, TRANSPORTS["nested-escaped"].layers(command)) is None


def test_a_layer_that_cannot_be_observed_is_blamed_where_the_next_one_lacks_something() -> None:
    """And nobody, where nothing behind it can be seen."""
    typed = Layer("tmux", "echo a\tb"), Layer("line editor", NOT_OBSERVABLE)

    assert first_loss("echo a\tb", (*typed, Layer("bash", "echo ab"))) == Loss("line editor", 6, "\tb")
    assert first_loss("echo a\tb", typed) is None
    assert first_loss("echo a", (Layer("line editor", NOT_OBSERVABLE),)) is None


@given(st.text(), st.text())
def test_the_rest_begins_at_the_first_character_that_is_not_there(command: str, text: str) -> None:
    """Any two texts."""
    found = first_loss(command, (Layer("first", command), Layer("last", text)))

    if found is None:
        assert command in text
    else:
        kept = command.removesuffix(found.rest)
        assert kept in text
        assert kept + found.rest[:1] not in text
        assert found.offset == len(kept.encode())

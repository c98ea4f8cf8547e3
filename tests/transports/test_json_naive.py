"""Pasting into JSON: what the parser makes of it is the command, and what it refuses is a transport error."""

from __future__ import annotations

import pytest

from pytest_quotebench.core.errors import TransportError
from pytest_quotebench.transports.json_naive import TRANSPORT


@pytest.mark.parametrize(
    ("command", "received"),
    [
        ("ls -l", b"ls -l"),
        ("printf 'a\\\\nb'", b"printf 'a\\nb'"),
        ("printf 'a\\nb'", b"printf 'a\nb'"),
        ("echo \\u00e9", b"echo \xc3\xa9"),
        ('ls", "why": "x', b"ls"),
    ],
)
def test_the_parser_acts_on_escapes_and_quotes(command: str, received: bytes) -> None:
    assert TRANSPORT.plan(command).argv == (b"bash", b"-c", received)


@pytest.mark.parametrize(
    "command",
    [
        'echo "x"',
        "a\nb",
        "\\$x",
        "a\\",
        'x", "command": "y',
        'x"} {"',
        "\\ud83d",
        "\\udcff",
        "\udcff",
    ],
)
def test_what_is_not_strict_json_is_unparseable(command: str) -> None:
    with pytest.raises(TransportError) as raised:
        TRANSPORT.plan(command)

    assert raised.value.detail == "unparseable"
    assert TRANSPORT.layers(command)[-1].text == ""


def test_a_nul_that_the_parser_gives_cannot_be_part_of_an_argument() -> None:
    with pytest.raises(TransportError) as raised:
        TRANSPORT.plan("a\\u0000b")

    assert raised.value.detail == "nul"


def test_bytes_that_are_no_utf8_have_an_escaped_form() -> None:
    """JSON is text: they go as octal escapes of a shell word. Found by the fuzz of escaped forms."""
    command = r"printf %s '" + "\udcff" + "'>f"

    matched = TRANSPORT.matched(command)

    assert matched.isascii()
    assert TRANSPORT.layers(matched)[-1].text == r"bash -c $'printf %s \047\377\047\076f' </dev/null"

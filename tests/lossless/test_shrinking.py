"""Shrinking: pieces are taken away until none can be."""

from __future__ import annotations

import pytest

from pytest_quotebench.lossless.shrinking import shrink


@pytest.mark.parametrize(
    ("command", "needed", "smallest"),
    [
        (b"echo 'a!b' \"c\">f", b"!'", b"!'"),
        (b"printf %s 'abc~'>f", b"~", b"~"),
        (b"echo a b c>f", b"", b""),
        (b"echo '{}' \"{}\">f", b'"{', b'"{'),
    ],
)
def test_what_is_left_is_what_the_harm_needs(command: bytes, needed: bytes, smallest: bytes) -> None:
    """Every character that is not needed is gone."""
    assert shrink(command, lambda one: needed in one, lambda: True) == smallest


def test_a_length_is_found_exactly() -> None:
    """Of a long command the smallest harmed length is left, in few steps."""
    asked = []

    def is_harmed(command: bytes) -> bool:
        asked.append(command)
        return len(command) > 4095

    assert len(shrink(b"echo " + b"ab" * 2500 + b">f", is_harmed, lambda: True)) == 4096
    assert len(asked) < 200


def test_time_ends_it() -> None:
    """The smallest so far is the answer."""
    assert shrink(b"echo a>f", lambda one: True, lambda: False) == b"echo a>f"


def test_an_event_of_the_history_is_never_made() -> None:
    """No piece is taken away between `!` and what an old command could begin with."""
    asked = []

    def is_harmed(command: bytes) -> bool:
        asked.append(command)
        return False

    shrink(b"echo '!]a'>f", is_harmed, lambda: True)

    assert b"echo '!a'>f" not in asked

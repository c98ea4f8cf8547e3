"""The model of xargs reads what the real one reads."""

from __future__ import annotations

import subprocess

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pytest_quotebench.core.text import to_bytes
from pytest_quotebench.transports.xargs import Items, read_items


def by_xargs(text: str) -> tuple[list[bytes], bool]:
    """Return the items that the real xargs makes, and whether it found an open quote."""
    done = subprocess.run(
        ["xargs", "-I{}", "printf", "%s\\0", "{}"],
        input=to_bytes(text),
        capture_output=True,
        check=False,
        env={"PATH": "/usr/bin:/bin", "LC_ALL": "C"},
    )
    return done.stdout.split(b"\0")[:-1], b"unmatched" in done.stderr


@given(text=st.text("ab'\"\\ \t\n\r\v\f-{}é\udcff$", max_size=12))
@example(text="'")
@example(text="a'")
@example(text="''\n''a\n")
@example(text="a\\")
@example(text="a \\\n b\n  c")
@example(text="ok\nit's\nnever")
@example(text="{}{}\n")
@settings(max_examples=150)
def test_the_items_are_those_of_the_real_one(text: str) -> None:
    items = read_items(text)

    assert ([to_bytes(line) for line in items.lines], bool(items.unmatched)) == by_xargs(text)


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("echo 'a b' \"c\"", Items(("echo a b c",))),
        ("  x\n\n\\ y", Items(("x", " y"))),
        ("a\n'b\nc", Items(("a",), "'")),
    ],
)
def test_quotes_and_blanks_are_its_own(text: str, items: Items) -> None:
    assert read_items(text) == items

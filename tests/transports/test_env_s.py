"""The model of `env -S` splits as the real one does."""

from __future__ import annotations

import subprocess

import pytest
from hypothesis import example, given, reject, settings
from hypothesis import strategies as st

from pytest_quotebench.core.text import to_bytes
from pytest_quotebench.transports.env_s import TRANSPORT, NotModelledError, split_words

HEAD = "printf %s\\\\0 x "


def by_env(text: str) -> list[bytes] | None:
    """Return the words that the real env makes of the text, None where it refuses."""
    done = subprocess.run(
        ["env", "-S", to_bytes(HEAD + text)],
        capture_output=True,
        check=False,
        env={"PATH": "/usr/bin:/bin", "LC_ALL": "C"},
    )
    return None if done.returncode == 125 else done.stdout.split(b"\0")[1:-1]


@given(text=st.text("ab'\"\\ \t\n\v#$_c{}té\udcff", max_size=12))
@example(text='a\\_b "c\\_d" \\c e')
@example(text="a#b #c")
@example(text="'\\'\\\\\\n' \"\\n\\$\"")
@example(text='"\\c"')
@example(text="''#a \"\" ''")
@settings(max_examples=150)
def test_the_words_are_those_of_the_real_one(text: str) -> None:
    try:
        words: list[bytes] | None = [to_bytes(word) for word in split_words(HEAD + text)[3:]]
    except ValueError:
        words = None
    except NotModelledError:
        reject()

    assert words == by_env(text)


@pytest.mark.parametrize(
    ("command", "received"),
    [
        ("echo a", "echo a"),
        ("A=b C=d echo e", "echo e"),
        ("echo ${HOME}", None),
        ("-i echo", None),
        ("echo $x", ""),
        ("", ""),
    ],
)
def test_the_last_layer_is_the_process_where_that_is_known(command: str, received: str | None) -> None:
    assert TRANSPORT.layers(command)[-1].text == received

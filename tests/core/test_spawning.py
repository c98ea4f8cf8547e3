"""A process without a shell, and the layers of a command that is handed on as one word of `bash -c`."""

from __future__ import annotations

import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_quotebench.core.errors import TransportError
from pytest_quotebench.core.spawning import bash_line, bash_word, shell_layers, spawned, word_layers

commands = st.text("'\"$\\ \n-ab", max_size=8)


@pytest.mark.parametrize(
    ("words", "status", "stdout"),
    [
        (["printf", "%s,", "a b", "$x", "", "-n"], 0, b"a b,$x,,-n,"),
        (["bash", "-c", "exit 3"], 3, b""),
        (["no-such-program", "x"], 127, b""),
        (["-n", "x"], 127, b""),
        (["a=b", "true"], 127, b""),
        ([""], 127, b""),
        (["/"], 126, b""),
    ],
)
def test_words_are_a_process_or_a_status_that_says_there_is_none(
    words: list[str], status: int, stdout: bytes
) -> None:
    argv = [part for part in spawned(words).argv if isinstance(part, bytes)]

    done = subprocess.run(argv, capture_output=True, check=False)

    assert (done.returncode, done.stdout) == (status, stdout)


def test_no_words_are_refused() -> None:
    with pytest.raises(TransportError) as raised:
        spawned([])

    assert raised.value.detail == "refused"


@given(command=commands)
def test_what_is_handed_on_is_shown_layer_by_layer(command: str) -> None:
    for source in (bash_word(command), bash_line(command), bash_word(bash_line(command))):
        layers = shell_layers("bash -c", source)

        assert (layers[0].text, layers[-1].text) == (source, command)


@pytest.mark.parametrize(
    "source",
    [
        "bash -c",
        "bash -c ",
        "bash -c a b",
        "bash -c 'a'b",
        "bash -c 'a' 'b'",
        'bash -c "a"',
        "bash -c 'ls'",
        " bash -c a",
    ],
)
def test_only_one_word_in_the_form_that_is_made_here_is_followed(source: str) -> None:
    assert len(shell_layers("bash -c", source)) == 1


def test_dash_takes_no_ansi_c_word() -> None:
    assert len(shell_layers("sh -c", bash_line("a\nb"), is_bash=False)) == 1


def test_words_show_what_a_bash_among_them_receives() -> None:
    assert [layer.text for layer in word_layers("execvp", ["bash", "-c", "echo 'a'"])] == [
        "bash -c 'echo '\\''a'\\'''",
        "echo 'a'",
    ]
    assert [layer.text for layer in word_layers("execvp", ["echo", "a b"])] == ["echo 'a b'"]
    assert [layer.text for layer in word_layers("execvp", ["a\0b"])] == [""]

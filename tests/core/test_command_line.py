"""Arguments are gated, and each shell's layer shows what it receives."""

from __future__ import annotations

import subprocess

import pytest

from pytest_quotebench.core.command_line import (
    MAX_ARGUMENT_BYTES,
    argument,
    bash_c,
    bash_layers,
    in_double_quotes,
    in_single_quotes,
)
from pytest_quotebench.core.errors import TransportError
from pytest_quotebench.core.layers import Layer


def test_the_longest_argument_is_the_longest_that_the_kernel_takes() -> None:
    longest = argument(f"#{'é' * (MAX_ARGUMENT_BYTES // 2)}")

    assert len(longest) == MAX_ARGUMENT_BYTES
    assert subprocess.run([b"bash", b"-c", longest], check=False).returncode == 0
    with pytest.raises(OSError, match="Argument list too long"):
        subprocess.run([b"bash", b"-c", longest + b"x"], check=False)


@pytest.mark.parametrize(
    ("detail", "text"), [("nul", "\0"), ("too-long", "é" * 65_536), ("lone-surrogate", "\udc7f")], ids=lambda _: ""
)
def test_what_no_argument_can_hold_is_refused(detail: str, text: str) -> None:
    with pytest.raises(TransportError) as raised:
        bash_c(text)

    assert raised.value.detail == detail


@pytest.mark.parametrize(
    ("source", "layers"),
    [
        (in_double_quotes("echo hi"), [("inner bash -c", "echo hi")]),
        (in_double_quotes("echo $x '$1' \\$x \\\\"), [("inner bash -c", "echo  '' $x \\")]),
        (in_double_quotes("ls $HOME"), [("inner bash -c", "ls «$HOME»")]),
        (
            in_double_quotes('printf "a; b > c" > out.txt'),
            [("bash -c, outside the quotes", '; b > c" > out.txt"'), ("inner bash -c", "printf a")],
        ),
        (
            in_double_quotes("""awk '{print $2, "a b"}' f"""),
            [("inner bash -c, as $0 and on", "'b}'\\'' f'"), ("inner bash -c", "awk '{print , a")],
        ),
        (in_single_quotes("echo 'a b'"), [("inner bash -c, as $0 and on", "b"), ("inner bash -c", "echo a")]),
        (in_double_quotes("it's \""), [('inner bash -c, never started: " is never closed', "")]),
        (in_double_quotes('print"("'), [("inner bash -c, never started: an unquoted ( cannot stand here", "")]),
        (in_double_quotes('"{a,b}"'), [("inner bash -c", None)]),
    ],
)
def test_layers_show_what_each_shell_receives_and_runs(source: str, layers: list[tuple[str, str | None]]) -> None:
    assert bash_layers(source, depth=2) == (Layer("bash -c", source), *(Layer(*layer) for layer in layers))


def test_three_shells_give_three_layers() -> None:
    source = in_double_quotes('bash -c \\"echo \\\\\\"$x\\\\\\"\\"')

    assert bash_layers(source, depth=3) == (
        Layer("bash -c", source),
        Layer("inner bash -c", 'bash -c "echo \\"\\""'),
        Layer("inner inner bash -c", 'echo ""'),
    )


def test_a_shell_that_does_not_start_bash_leaves_the_next_one_unobservable() -> None:
    assert bash_layers("echo hi", depth=2)[-1] == Layer("inner bash -c", None)

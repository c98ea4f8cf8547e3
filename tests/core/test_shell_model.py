"""Whenever the model of bash claims to know, bash itself does just that.

In the fuzz, `record` is a shell function that stores its arguments, PATH leads nowhere, and the alphabets hold no
name of a builtin: nothing that is generated can do harm.
"""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from pytest_quotebench.core.escaping import inside_double_quotes, inside_single_quotes, shell_word
from pytest_quotebench.core.execution import execution_environment
from pytest_quotebench.core.shell_model import Parsed, parse_first_command
from pytest_quotebench.core.shell_variables import known_value
from pytest_quotebench.core.text import to_bytes, to_text

RECORDER = """record() { test -e "$RECORD" || printf '%s\\0' record "$@" > "$RECORD"; exit; }\n"""

PIECES = [
    *'"""""\'\'\'\\\\\\$$`;|&<>()#{}[]*?~!=,.: \t\n\n  xxyyzz12@-_',
    *(
        "$x",
        "${x}",
        '"$x"',
        "$1",
        "$?",
        "$#",
        "$@",
        '"$@"',
        "$*",
        "$HOME",
        "$TERM",
        "$0",
        "$-",
        "$$",
        "$(",
        "$((",
        "${",
    ),
    *(
        "${x:-y}",
        "$'",
        '$"',
        "\\\n",
        "\\\\",
        '\\"',
        "\\$",
        "\\`",
        "&&",
        "||",
        ">>",
        "2>",
        ">&2",
        "<<<",
        "if ",
        "é",
        "\udcff",
    ),
    *(' "', '" ', " '", "' ", "a=b", "{x,y}", "{x}", "z z", "[x]", "..", "\x01", "\x7f", "\r"),
]
sources = st.lists(st.sampled_from(PIECES), max_size=14).map("".join)


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("model")


fuzz = settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def _received(source: str, directory: Path) -> tuple[str, ...] | None:
    """The arguments that the first command named `record` gets in real bash, or None where none is run."""
    record = directory / "record.bin"
    record.unlink(missing_ok=True)
    work = directory / "work"
    work.mkdir(exist_ok=True)
    subprocess.run(
        [b"bash", b"-c", to_bytes(RECORDER + source)],
        env={**execution_environment(str(work), "/nonexistent"), "RECORD": str(record)},
        executable="/bin/bash",
        cwd=work,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=20,
        check=False,
    )
    return tuple(to_text(record.read_bytes()).split("\0")[:-1]) if record.exists() else None


def _check(source: str, directory: Path) -> None:
    parsed = parse_first_command(source)
    if parsed.never_runs:
        assert _received(source, directory) is None, parsed
    elif parsed.exact and parsed.words and parsed.words[0] == "record":
        received = _received(source, directory)
        # A redirection that cannot be opened keeps the command from being run.
        assert received == parsed.words or (received is None and any(sign in parsed.rest for sign in "<>")), parsed


@given(text=sources)
@example(text="\\\x01$x")
@example(text='"$@"')
@example(text='" ;]]')
@example(text='" | in "')
@example(text="a\\\n#b")
@fuzz
def test_a_text_pasted_between_double_quotes_becomes_the_words_that_the_model_says(
    directory: Path, text: str
) -> None:
    _check(f'record -c "{text}"', directory)


@given(text=sources)
@fuzz
def test_a_text_pasted_between_single_quotes_becomes_the_words_that_the_model_says(
    directory: Path, text: str
) -> None:
    _check(f"record -c '{text}'", directory)


@given(text=sources)
@fuzz
def test_unquoted_text_becomes_the_words_that_the_model_says(directory: Path, text: str) -> None:
    _check(f"record {text}", directory)


@pytest.mark.parametrize(
    ("source", "parsed"),
    [
        ("echo 'a b' \"c\"d \\e", Parsed(("echo", "a b", "cd", "e"))),
        ('echo "$x" $x "$LC_ALL" $# $?', Parsed(("echo", "", "C", "0", "0"))),
        ('echo $"x" a$', Parsed(("echo", "x", "a$"))),
        ("2>f x >g y <<<z w", Parsed(("x", "y", "w"), "2>f x >g y <<<z w")),
        ("x y; z", Parsed(("x", "y"), "; z")),
        ("x # y", Parsed(("x",))),
        ("x#y # z\nw", Parsed(("x#y",), "\nw")),
        ("x;\n", Parsed(("x",), ";\n")),
        ("x && \n y", Parsed(("x",), "&& \n y")),
        ("x {} {a} [b", Parsed(("x", "{}", "{a}", "[b"))),
    ],
)
def test_words_and_what_the_shell_does_with_the_rest(source: str, parsed: Parsed) -> None:
    assert parse_first_command(source) == parsed


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("x $HOME", "«$HOME»"),
        ('x "a ${PWD}"', "a «${PWD}»"),
        ("x *.txt", "«*».txt"),
        ("x ~", "«~»"),
        ("x a=~", "a=«~»"),
        ("x [a]", "«[»a]"),
        ("x `date`", "«`date`»"),
        ('x "$(date "+%s")"', '«$(date "+%s")»'),
        ("x $((1+2))", "«$((1+2))»"),
        ("x ${x:-y}", "«${x:-y}»"),
        ("x $'a\\n'", "«$'a\\n'»"),
    ],
)
def test_what_cannot_be_known_is_marked_and_makes_the_words_inexact(source: str, shown: str) -> None:
    assert parse_first_command(source) == Parsed(("x", shown), exact=False)


@pytest.mark.parametrize(
    "source",
    ["x '", 'x "', "x `", "x $(", "x ${", "x $'", "x y)", "x y(", "x |", "x ;;", "x && | y", "x >", "x > ; y"],
)
def test_a_line_that_bash_refuses_never_runs(source: str, directory: Path) -> None:
    assert parse_first_command(source).never_runs
    assert _received(source.replace("x", "record"), directory) is None


@pytest.mark.parametrize(
    "source",
    [
        "",
        "a=1 x",
        "if x",
        "x {a,b}",
        "x {1..3}",
        "x <<E\nE",
        "x <(y)",
        "(x)",
        "x()",
        "x $[1]",
        "x ${}",
        "x; for",
        "x \\",
        "x\0",
    ],
)
def test_beyond_the_model_it_does_not_know(source: str) -> None:
    parsed = parse_first_command(source)

    assert (parsed.words, parsed.exact) == (None, False)
    assert parsed.reason


@given(text=st.text(st.characters(codec="utf-8", exclude_characters="\0")))
@settings(deadline=None)
def test_escaped_text_is_known_for_certain(text: str) -> None:
    source = f"""x {shell_word(text)} "{inside_double_quotes(text)}" '{inside_single_quotes(text)}'"""

    assert parse_first_command(source) == Parsed(("x", text, text, text))


@given(source=st.text(st.characters()) | sources)
@settings(deadline=None)
def test_any_source_has_an_answer(source: str) -> None:
    parsed = parse_first_command(source)

    assert (parsed.words is None) == bool(parsed.reason)


@pytest.mark.parametrize(
    "piece", ["{,", "[", "~:", "$(", '"$(', "`", "\\", "<", "${", "a ", "$x", ";a", "(", "$((", "'", '"', "\\\n"]
)
def test_the_time_grows_with_the_length_alone(piece: str) -> None:
    started = time.process_time()
    parse_first_command(f"x {piece * (100_000 // len(piece))}")

    assert time.process_time() - started < 3


def test_every_variable_that_a_fresh_bash_sets_is_called_unknown_or_known_rightly() -> None:
    script = 'for name in $(compgen -v); do printf "%s=%s\\0" "$name" "${!name}"; done'
    environment = execution_environment("/", os.environ["PATH"])
    output = subprocess.run(["bash", "-c", script], env=environment, capture_output=True, check=True).stdout
    held = dict(line.split("=", 1) for line in output.decode().split("\0")[:-1] if not line.startswith("name="))

    assert {name: known_value(name) for name in held if known_value(name) not in (None, held[name])} == {}
    assert "HOME" in held

"""Whenever the model of bash claims to know, bash itself does just that.

In the fuzz, `record` is a shell function that stores its arguments, PATH leads nowhere, and the alphabets hold no
name of a builtin: nothing that is generated can do harm.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from pytest_quotebench.core.escaping import inside_double_quotes
from pytest_quotebench.core.execution import execution_environment
from pytest_quotebench.core.shell_model import Parsed, parse_first_command
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


fuzz = settings(max_examples=600, deadline=None, suppress_health_check=[HealthCheck.too_slow])


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
@fuzz
def test_a_text_pasted_between_double_quotes_becomes_the_words_that_the_model_says(directory, text):
    _check(f'record -c "{text}"', directory)


@given(text=sources)
@fuzz
def test_a_text_pasted_between_single_quotes_becomes_the_words_that_the_model_says(directory, text):
    _check(f"record -c '{text}'", directory)


@given(text=sources)
@fuzz
def test_unquoted_text_becomes_the_words_that_the_model_says(directory, text):
    _check(f"record {text}", directory)

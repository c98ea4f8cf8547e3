"""What goes into an escaper comes out of the real parser, byte for byte.

Each fuzz example is a batch of texts that one process gets at once, so that thousands of texts cost some
hundred processes.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
from collections.abc import Callable, Iterable, Sequence

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from pytest_quotebench.core.escaping import (
    awk_literal,
    awk_string,
    grep_pattern,
    inside_double_quotes,
    inside_single_quotes,
    json_string,
    sed_pattern,
    sed_replacement,
    shell_word,
    two_layers,
)
from pytest_quotebench.core.execution import execution_environment
from pytest_quotebench.core.text import to_bytes, to_text

SHELLS = ("bash", "dash", "busybox sh")
SEDS = ("sed", "busybox sed")
AWKS = ("awk", "mawk", "gawk", "original-awk", "busybox awk")
GREPS = ("grep", "busybox grep")
PRINTF = r"printf '%s\0'"
DELIMITERS = "/,:;@%#!~=_-"

HARD = [
    "",
    " ",
    "plain",
    "-n",
    "-e x",
    "a=b",
    "~",
    "~root",
    "*",
    "{a,b}",
    "!!",
    "'",
    '"',
    "`id`",
    "$(id)",
    "${HOME}$1$?",
    "\\",
    "\\\\",
    "a\\",
    "\\n",
    "\\\n",
    "a\\\nb",
    "\n",
    "\n\n",
    "x\n",
    "a\r\nb",
    "\t",
    "'\\''",
    '"\'"',
    "$'a'",
    "&",
    "\\&",
    "\\1",
    "\\/",
    "/",
    "|",
    "\\|",
    "[a-z]",
    "[[:alpha:]]",
    "]",
    "^",
    "^*",
    "a$",
    "\\{1\\}",
    "\\(x\\)",
    "\\+\\?",
    "\\x26",
    "\\cA",
    "\\d065",
    "\\o101",
    "%s%n",
    "\x01",
    "\x7f",
    "\x01\x7f'\"",
    "\x1b[31m",
    "ä→😀",
    "\udcff\udc80",
    "\udce2\udc86",
    "\udcff\\",
    "# x",
    "a;b",
    "if",
]

ALPHABET = "'\"$`\\!*?[]{}()<>|&;#~=^.+%/,:@_- \n\t\r\x01\x02\x1b\x7f" + "anbxc1d0oä😀\udc80\udcff\udcc3\udce2"
# Bytes that happen to form a character are that character: the text is what its bytes decode to.
texts = (
    st.lists(st.sampled_from(ALPHABET), max_size=12).map("".join)
    | st.text(st.characters(min_codepoint=1, codec="utf-8"), max_size=12)
).map(lambda text: to_text(to_bytes(text)))
lines = texts.map(lambda text: text.replace("\n", "/"))
batches = st.lists(texts, min_size=1, max_size=60)
line_batches = st.lists(lines, min_size=1, max_size=60)
delimiters = st.sampled_from(DELIMITERS)

fuzz = settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@pytest.fixture(params=SHELLS, scope="module")
def shell(request: pytest.FixtureRequest) -> list[str]:
    return _installed(request.param)


@pytest.fixture(params=SEDS, scope="module")
def sed(request: pytest.FixtureRequest) -> list[str]:
    return _installed(request.param)


@pytest.fixture(params=AWKS, scope="module")
def awk(request: pytest.FixtureRequest) -> list[str]:
    return _installed(request.param)


@pytest.fixture(params=GREPS, scope="module")
def grep(request: pytest.FixtureRequest) -> list[str]:
    return _installed(request.param)


def _installed(program: str) -> list[str]:
    name, *applet = program.split()
    if shutil.which(name) is None:
        pytest.skip(f"{name} is not installed")
    return [name, *applet]


def _run(argv: Sequence[str], stdin: str = "") -> bytes:
    done = subprocess.run(
        [to_bytes(argument) for argument in argv],
        input=to_bytes(stdin),
        capture_output=True,
        env=execution_environment("/nonexistent", os.environ["PATH"]),
        timeout=60,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, b""), argv
    return done.stdout


class TestShell:
    @given(batch=batches)
    @example(batch=HARD)
    @fuzz
    def test_a_word_reaches_a_command_as_the_text_it_was(self, shell: list[str], batch: list[str]) -> None:
        assert _printed(shell, (shell_word(text) for text in batch)) == batch

    @given(batch=batches)
    @example(batch=HARD)
    @fuzz
    def test_text_between_double_quotes_is_the_text_it_was(self, shell: list[str], batch: list[str]) -> None:
        assert _printed(shell, (f'"{inside_double_quotes(text)}"' for text in batch)) == batch

    @given(batch=batches)
    @example(batch=HARD)
    @fuzz
    def test_text_between_single_quotes_is_the_text_it_was(self, shell: list[str], batch: list[str]) -> None:
        assert _printed(shell, (f"'{inside_single_quotes(text)}'" for text in batch)) == batch

    @given(batch=batches)
    @example(batch=HARD)
    @fuzz
    def test_two_layers_survive_a_shell_within_a_shell(self, shell: list[str], batch: list[str]) -> None:
        assert _printed(shell, map(two_layers, batch), f'eval "{PRINTF}"') == batch

    @given(batch=batches)
    @example(batch=HARD)
    @fuzz
    def test_a_whole_command_survives_pasting_between_double_quotes(self, batch: list[str]) -> None:
        command = f"{PRINTF} {' '.join(map(shell_word, ['', *batch]))}"

        assert _records(_run(["bash", "-c", f'bash -c "{inside_double_quotes(command)}"'])) == ["", *batch]

    @given(text=texts)
    @example(text="a=b")
    @settings(deadline=None)
    def test_a_word_is_what_shlex_reads_back(self, text: str) -> None:
        assert shlex.split(shell_word(text)) == [text]

    @given(text=texts)
    @settings(deadline=None)
    def test_a_word_is_bare_only_where_shlex_leaves_it_bare_too(self, text: str) -> None:
        assert shell_word(text) != text or shlex.quote(text) == text

    def test_a_plain_word_stays_bare(self) -> None:
        assert shell_word("src/a-b_c.py:1") == "src/a-b_c.py:1"


class TestSed:
    @given(batch=line_batches, delimiter=delimiters)
    @example(batch=[text for text in HARD if "\n" not in text], delimiter="/")
    @fuzz
    def test_a_pattern_matches_its_text_and_nothing_else(
        self, sed: list[str], batch: list[str], delimiter: str
    ) -> None:
        """Line n of the input holds text n between others; expression n replaces in line n alone."""
        batch = [text for text in batch if text] or ["x"]
        content = [_amid(text, other) for text, other in zip(batch, [*batch[1:], "x"], strict=True)]
        script = "\n".join(f"{n}{_replacing(text, delimiter)}" for n, text in enumerate(batch, 1))

        assert _run([*sed, "-e", script], "".join(f"{line}\n" for line in content)) == b"".join(
            _replaced(line, text) + b"\n" for line, text in zip(content, batch, strict=True)
        )

    @given(batch=st.lists(texts.filter(bool), max_size=5))
    @example(batch=[text for text in HARD if "\n" in text])
    @fuzz
    def test_a_pattern_with_newlines_matches_where_sed_sees_all_lines(
        self, sed: list[str], batch: list[str]
    ) -> None:
        for text in batch:
            content = _amid(text, "x\ny")
            slurp = ["-e", ":a", "-e", "$!{", "-e", "N", "-e", "ba", "-e", "}"]

            assert (
                _run([*sed, *slurp, "-e", _replacing(text, "/")], f"{content}\n")
                == _replaced(content, text) + b"\n"
            )

    @given(batch=batches, delimiter=delimiters)
    @example(batch=HARD, delimiter="/")
    @fuzz
    def test_a_replacement_is_put_in_as_it_is(self, sed: list[str], batch: list[str], delimiter: str) -> None:
        script = "\n".join(
            f"{number}s{delimiter}x{delimiter}{sed_replacement(text, delimiter)}{delimiter}"
            for number, text in enumerate(batch, 1)
        )

        assert to_text(_run([*sed, "-e", script], "<x>\n" * len(batch))) == "".join(
            f"<{text}>\n" for text in batch
        )

    @pytest.mark.parametrize("delimiter", ["n", "\\", "\n", "&", ".", "1", "|", "//", ""])
    def test_a_delimiter_that_escaping_would_change_is_refused(self, delimiter: str) -> None:
        with pytest.raises(ValueError, match="the delimiter must be one of"):
            sed_pattern("x", delimiter)

    def test_the_empty_pattern_is_refused(self) -> None:
        with pytest.raises(ValueError, match="repeats the last one"):
            sed_pattern("")


class TestGrep:
    @given(batch=line_batches.map(lambda batch: batch[:8]))
    @example(batch=[text for text in HARD if "\n" not in text])
    @fuzz
    def test_a_pattern_finds_the_lines_that_hold_its_text(self, grep: list[str], batch: list[str]) -> None:
        content = [f"<{text}>{other}" for text, other in zip(batch, [*batch[1:], "x"], strict=True)]
        script = f'for pattern do printf %s "$0" | {" ".join(grep)} -n -e "$pattern"; printf "\\0"; done'
        found = _run(["sh", "-c", script, "".join(f"{line}\n" for line in content), *map(grep_pattern, batch)])

        # By bytes: in the C locale a part of a character is found within it.
        assert _records(found) == [
            "".join(f"{n}:{line}\n" for n, line in enumerate(content, 1) if to_bytes(text) in to_bytes(line))
            for text in batch
        ]

    def test_a_newline_is_refused(self) -> None:
        with pytest.raises(ValueError, match="cannot hold a newline"):
            grep_pattern("a\nb")


class TestAwk:
    @given(batch=batches)
    @example(batch=HARD)
    @fuzz
    def test_a_literal_is_the_text_it_was(self, awk: list[str], batch: list[str]) -> None:
        program = "".join(f'printf "%s|", {awk_literal(text)}\n' for text in batch)

        assert _run([*awk, f"BEGIN {{ {program} }}"]) == to_bytes("".join(f"{text}|" for text in batch))

    @given(batch=batches)
    @example(batch=HARD)
    @fuzz
    def test_a_variable_given_on_the_command_line_is_the_text_it_was(
        self, awk: list[str], batch: list[str]
    ) -> None:
        assigned = [part for n, text in enumerate(batch) for part in ("-v", f"v{n}={awk_string(text)}")]
        program = "".join(f'printf "%s|", v{number}\n' for number in range(len(batch)))

        assert _run([*awk, *assigned, f"BEGIN {{ {program} }}"]) == to_bytes("".join(f"{text}|" for text in batch))


class TestJson:
    @given(text=st.text() | texts)
    @example(text="\0")
    @example(text="\u2028\u2029")
    @example(text="\ud83d")
    @example(text="\udcff")
    @settings(deadline=None)
    def test_a_string_is_ascii_and_the_parser_gives_the_text_back(self, text: str) -> None:
        assert json_string(text).isascii()
        assert json.loads(json_string(text)) == text


@pytest.mark.parametrize(
    "escape",
    [
        shell_word,
        two_layers,
        inside_single_quotes,
        inside_double_quotes,
        sed_pattern,
        sed_replacement,
        grep_pattern,
        awk_string,
        awk_literal,
    ],
)
def test_nul_is_refused_by_name(escape: Callable[[str], str]) -> None:
    with pytest.raises(ValueError, match="cannot hold a NUL character"):
        escape("a\0b")


def _printed(shell: list[str], words: Iterable[str], printf: str = PRINTF) -> list[str]:
    """What printf receives for each word; NUL cannot be part of an argument, so it separates them."""
    return _records(_run([*shell, "-c", f"{printf} x {' '.join(words)}"]))[1:]


def _records(output: bytes) -> list[str]:
    assert output.endswith(b"\0")
    return to_text(output).split("\0")[:-1]


def _amid(text: str, other: str) -> str:
    return f"{other}<{text}>{other}"


def _replacing(text: str, delimiter: str) -> str:
    return f"s{delimiter}{sed_pattern(text, delimiter)}{delimiter}X{delimiter}g"


def _replaced(content: str, text: str) -> bytes:
    """What a replacement of the literal text gives. By bytes: in the C locale each is a character."""
    return to_bytes(content).replace(to_bytes(text), b"X")

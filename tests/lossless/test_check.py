"""Paths that lose something are caught and named; those that do not, pass."""

from __future__ import annotations

import asyncio
import os
import re
import secrets
import shlex
import subprocess
import time
import unicodedata
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import pytest

from pytest_quotebench.core.errors import BadInput
from pytest_quotebench.lossless.carrying import Fate
from pytest_quotebench.lossless.check import assert_lossless
from pytest_quotebench.lossless.outcome import Lossy
from pytest_quotebench.lossless.probes import HAZARDS

ENOUGH_S = 12
"""Several times what a finding takes: what is found and what it is called must not depend on the machine."""

Answer = tuple[int, bytes]


def bash(command: bytes, cwd: Path, *options: bytes) -> Answer:
    done = subprocess.run([b"bash", *options, b"-c", command], cwd=cwd, capture_output=True, check=False)
    return done.returncode, done.stdout + done.stderr


def losing(change: Callable[[bytes], bytes]) -> Callable[[bytes, Path], Answer]:
    """Return a path that is right but for a change of the text."""
    return lambda command, cwd: bash(change(command), cwd)


def by_line(change: Callable[[bytes], bytes]) -> Callable[[bytes], bytes]:
    return lambda command: b"\n".join(map(change, command.split(b"\n")))


def normalized(command: bytes) -> bytes:
    text = command.decode("utf-8", "surrogateescape")
    return unicodedata.normalize("NFC", text).encode("utf-8", "surrogateescape")


LOSSES: dict[str, tuple[Callable[[bytes], bytes], str, str]] = {
    "tabs": (lambda c: c.replace(b"\t", b""), "tab", "tab"),
    "tabs to spaces": (lambda c: c.expandtabs(), "tab", "tab"),
    "!": (lambda c: c.replace(b"!", b"\\!"), "exclamation", "exclamation mark (!)"),
    "trailing newlines": (lambda c: c.rstrip(b"\n"), "trailing-newline", "trailing newline"),
    "CR": (lambda c: c.replace(b"\r", b""), "carriage-return", "carriage return (CR)"),
    "CRLF": (lambda c: c.replace(b"\r\n", b"\n"), "crlf", "CRLF"),
    "%": (lambda c: c.replace(b"%%", b"%"), "percent", "percent sign (%)"),
    "a leading dash": (lambda c: c.lstrip(b"-"), "leading-dash", "leading dash (-)"),
    "a word's leading dash": (lambda c: re.sub(rb"(?<=[\s'])-", b"", c), "leading-dash", "leading dash (-)"),
    "doubled backslashes": (lambda c: c.replace(b"\\\\", b"\\"), "doubled-backslash", "doubled backslashes"),
    "backslashes": (lambda c: c.replace(b"\\", b""), "backslash", "backslash (\\)"),
    "non-UTF-8": (lambda c: c.decode("utf-8", "replace").encode(), "not-utf-8", "non-UTF-8 bytes"),
    "lines over 4,095": (by_line(lambda line: line[:4095]), "long-line", "line over 4,095 bytes"),
    "commands over 16 kB": (lambda c: c[: 16 * 1024], "long-command", "command over 16 kB"),
    "the 256th byte of a word": (
        lambda c: b" ".join(word[:255] + word[256:] for word in c.split(b" ")),
        "long-word",
        "long word",
    ),
    "two spaces": (lambda c: re.sub(b"  +", b" ", c), "spaces", "runs of spaces"),
    "~": (lambda c: c.replace(b"~", b""), "tilde", "tilde (~)"),
    "DEL": (lambda c: c.replace(b"\x7f", b""), "control", "control character (0x7f)"),
    "U+2028": (lambda c: c.replace("\u2028".encode(), b"\n"), "non-ascii", "U+2028"),
    "decomposed letters": (normalized, "non-ascii", "U+0301"),
    "upper case": (lambda c: c.lower(), "upper-case", "upper-case letters"),
    "empty arguments": (lambda c: re.sub(rb" ''(?=[ >])", b"", c), "empty-argument", "empty argument"),
    "all but the first line": (lambda c: c.split(b"\n")[0], "newline", "newline"),
    "double quotes": (lambda c: c.replace(b'"', b""), "double-quote", 'double quote (")'),
    "single quotes": (lambda c: c.replace(b"'", b""), "single-quote", "single quote (')"),
    "comments": (by_line(lambda line: re.sub(rb"#.*", b"", line)), "hash", "hash (#)"),
    "templates": (lambda c: re.sub(rb"\{\{.*?\}\}", b"", c), "template", "template expression"),
    "blank lines": (lambda c: c.replace(b"\n\n", b"\n"), "blank-line", "blank line"),
    "the digit 9": (lambda c: c.replace(b"9", b""), "letters-and-digits", "letters and digits"),
    "escape sequences of a terminal": (lambda c: re.sub(rb"\x1b\[[0-9;]*m", b"", c), "control", "0x1b"),
    "variables that are set": (os.path.expandvars, "dollar", "dollar sign ($)"),
    "entities": (lambda c: c.replace(b"&amp;", b"&"), "entity", "character entity"),
    "all from the 1,025th byte on": (lambda c: c[:1024], "long-command", "long command (from 1,025 bytes)"),
    "what stands behind 80 columns": (
        by_line(lambda line: b"\n".join(line[at : at + 80] for at in range(0, len(line), 80))),
        "long-line",
        "long line (from 81 bytes)",
    ),
    "all from the 101st word on": (
        lambda c: c[: next(islice((word.start() for word in re.finditer(rb"\S+", c)), 100, None), None)],
        "many-words",
        "many words",
    ),
    "line continuations": (lambda c: c.replace(b"\\\n", b""), "continuation", "line continuation"),
    "%s": (lambda c: c.replace(b"%s", b""), "percent", "percent sign (%)"),
    "appending": (lambda c: c.replace(b">>", b">"), "redirection", "redirection"),
    "the conditions of lists": (lambda c: c.replace(b"&&", b";"), "ampersand", "ampersand (&)"),
    "an ellipsis": (lambda c: c.replace(b"...", "…".encode()), "punctuation", "punctuation"),
    "what follows a failure": (lambda c: b"set -e\n" + c, "failing-command", "set -e"),
    "the emptiness of what is unset": (lambda c: b"set -u\n" + c, "unset-variable", "set -u"),
    "files that are there": (lambda c: b"set -C\n" + c, "existing-file", "set -C"),
    "the letter b": (lambda c: c.replace(b"b", b""), "letters-and-digits", "letters and digits"),
}
"""By what is lost: the change, the class it is named by, and words of the message."""


@pytest.mark.parametrize("loss", LOSSES)
def test_a_path_that_loses_only_this_is_caught_and_named(loss: str) -> None:
    """One kind of loss, everything else as it must be."""
    change, hazard, words = LOSSES[loss]

    with pytest.raises(Lossy) as caught:
        assert_lossless(losing(change), budget_s=ENOUGH_S)

    assert (caught.value.hazard, caught.value.finding.fate) == (hazard, Fate.CHANGED)
    assert words in str(caught.value).partition("\n")[0]


@pytest.mark.parametrize(
    ("pasted", "repair"),
    [
        (b'bash -c "%s"', "inside_double_quotes"),
        (b"bash -c '%s'", "inside_single_quotes"),
        (b"bash -c %s", "shell_word"),
        (b"eval %s", "shell_word"),
        (b"bash -c \"bash -c '%s'\"", "none of the escapers"),
    ],
)
def test_a_path_that_forgets_to_escape_is_shrunk_and_its_repair_is_named(pasted: bytes, repair: str) -> None:
    """The counterexample has less than 15 characters; the escaper was tried on it."""
    with pytest.raises(Lossy) as caught:
        assert_lossless(losing(lambda command: pasted % command), budget_s=ENOUGH_S)

    assert len(caught.value.command) < 15
    assert repair in next(line for line in str(caught.value).splitlines() if "repair" in line)


def test_the_message_says_what_went_in_and_what_came_out() -> None:
    """Bytes that went in, what raw leaves, what the path left, the class, the repair, what was tried."""
    with pytest.raises(Lossy) as caught:
        assert_lossless(losing(lambda command: command.replace(b"!", b"")), budget_s=3)

    lines = str(caught.value).splitlines()
    assert lines[:5] == [
        "the path harms commands: exclamation mark (!)",
        "  went in    echo '!'>f  (10 bytes)",
        r"  raw leaves f = !\n  (2 bytes)",
        r"  came out   f = \n  (1 bytes)",
        "             exit status 0, no output",
    ]
    assert "none of the escapers" in lines[5]
    assert lines[-1].startswith("  tried      ")


def shell_quoted(command: bytes, cwd: Path) -> Answer:
    line = f"bash -c {shlex.quote(command.decode('utf-8', 'surrogateescape'))}"
    done = subprocess.run(
        line.encode("utf-8", "surrogateescape"), shell=True, cwd=cwd, capture_output=True, check=False
    )
    return done.returncode, done.stdout


async def awaited(command: bytes, cwd: Path) -> tuple[int, None]:
    pipe = asyncio.subprocess.DEVNULL
    process = await asyncio.create_subprocess_exec("bash", "-c", command, cwd=cwd, stderr=pipe, stdout=pipe)
    return await process.wait(), None


def script(command: bytes, cwd: Path) -> Answer:
    (cwd.parent / "script").write_bytes(command)
    return bash(b"bash ../script", cwd)


def piped(command: bytes, cwd: Path) -> Answer:
    done = subprocess.run(["bash"], input=command, cwd=cwd, capture_output=True, check=False)
    return done.returncode, done.stdout


def dash(command: bytes, cwd: Path) -> Answer:
    done = subprocess.run([b"sh", b"-c", command], cwd=cwd, capture_output=True, check=False)
    return done.returncode, done.stdout


@pytest.mark.parametrize("run", [bash, shell_quoted, awaited, script, piped, dash])
def test_a_lossless_path_passes_and_the_report_says_what_was_covered(run: Callable[..., object]) -> None:
    """Verbatim, quoted, asynchronous, as a file, on standard input, and another dialect of the same language."""
    started = time.monotonic()

    covered = assert_lossless(run, budget_s=2.5)

    assert time.monotonic() - started < 3.0 + 1.0  # a busy machine may take its time over one command
    assert covered.hazards == HAZARDS or covered.left_out
    assert covered.commands >= len(HAZARDS)
    assert "classes of hazard" in str(covered)


def test_a_slow_path_still_gets_every_class_within_the_budget() -> None:
    """100 ms a command: one probe of each class is carried in 6 s, and the budget holds."""

    def slow(command: bytes, cwd: Path) -> Answer:
        time.sleep(0.1)
        return bash(command, cwd)

    covered = assert_lossless(slow, budget_s=10)

    assert covered.seconds < 12
    assert covered.hazards == HAZARDS
    assert covered.left_out == ()


def test_a_path_that_works_elsewhere_is_told_before_anything_is_overwritten(tmp_path: Path) -> None:
    """The first command of all has a file name that nothing else has."""
    (tmp_path / "f").write_text("mine")

    with pytest.raises(Lossy, match="leaves nothing in the directory that the path was given"):
        assert_lossless(lambda command, cwd: bash(command, tmp_path), budget_s=1)

    assert (tmp_path / "f").read_text() == "mine"
    assert len(list(tmp_path.iterdir())) == 2


def test_a_refusal_and_a_hang_are_told_apart() -> None:
    """An exception is a refusal; what does not return within a fifth of the budget hangs, and the budget holds."""

    def strict(command: bytes, cwd: Path) -> Answer:
        return bash(command.decode().encode(), cwd)

    def hanging(command: bytes, cwd: Path) -> Answer:
        if b"`" in command:
            time.sleep(30)
        return bash(command, cwd)

    with pytest.raises(Lossy, match="UnicodeDecodeError") as refused:
        assert_lossless(strict, budget_s=3)
    started = time.monotonic()
    with pytest.raises(Lossy, match=r"it hangs: no answer within 0\.5 s") as hung:
        assert_lossless(hanging, budget_s=2.5)

    assert time.monotonic() - started < 4
    assert (refused.value.hazard, refused.value.finding.fate) == ("not-utf-8", Fate.REFUSED)
    assert hung.value.finding.fate is Fate.HANG
    assert b"`" in hung.value.command


def test_losing_the_last_character_is_named_at_once() -> None:
    """The plain command shows it."""
    with pytest.raises(Lossy, match="the last character"):
        assert_lossless(losing(lambda command: command[:-1]), budget_s=1)


@pytest.mark.parametrize("drawn", ["0123456789abcde9", "9999999999999999", "0000000000000009"])
def test_the_name_that_is_drawn_for_the_first_file_decides_nothing(
    drawn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A path that loses the digit 9 does so whatever random digits the first file's name is made of."""
    monkeypatch.setattr(secrets, "token_hex", lambda size: drawn)

    with pytest.raises(Lossy) as caught:
        assert_lossless(losing(lambda command: command.replace(b"9", b"")), budget_s=ENOUGH_S)

    assert caught.value.hazard == "letters-and-digits"


def test_what_the_directed_probes_miss_is_caught_by_an_oracle() -> None:
    """A path that loses a task's own words."""
    with pytest.raises(Lossy, match="a task's oracle") as caught:
        assert_lossless(losing(lambda command: command.replace(b"git commit", b"git commiT")), budget_s=20)

    assert caught.value.finding.task.startswith("git-commit-t")


def test_no_pair_is_bad_input_and_an_end_of_the_test_is_passed_on() -> None:
    """What is wrong with `run` itself is not a loss; `pytest.skip` in it skips."""
    with pytest.raises(BadInput, match=r"must return \(exit status, output\)"):
        assert_lossless(lambda command, cwd: None, budget_s=1)
    with pytest.raises(pytest.skip.Exception):
        assert_lossless(lambda command, cwd: pytest.skip("no engine"), budget_s=1)


def test_it_works_where_a_loop_is_running() -> None:
    """A synchronous check in an asynchronous test."""

    async def test() -> None:
        assert_lossless(awaited, budget_s=0.5)

    asyncio.run(test())

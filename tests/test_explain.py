"""A failing verdict in words: ten lines at most, the first difference marked, nothing invisible."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_quotebench.core.case import Case
from pytest_quotebench.core.execution import Execution
from pytest_quotebench.core.layers import Layer
from pytest_quotebench.core.mismatch import Mismatch
from pytest_quotebench.core.reply import Configuration, Reply
from pytest_quotebench.core.result import Result
from pytest_quotebench.core.verdict import Verdict, VerdictClass
from pytest_quotebench.explain import explain
from quotebench_tasks import load_tasks

TASK = next(task for task in load_tasks(["write-file"]) if task.tier == 1)


def result(verdict: Verdict, *, stderr: bytes = b"", layers: tuple[Layer, ...] = (), **changes: Any) -> Result:
    """Build a result around a verdict."""
    reply = Reply(task=TASK.id, configuration=Configuration("m"), contract="raw", trial=0, text="echo")
    execution = Execution(
        exit_status=0,
        signal=None,
        stdout=b"",
        stderr=stderr,
        stdout_length=0,
        stderr_length=len(stderr),
        duration_s=0.002,
        timed_out=False,
    )
    case = Case(task=TASK, reply=reply, transport="raw")
    return Result(case=case, verdict=verdict, execution=execution, command="echo", layers=layers, **changes)


def wrong(mismatch: Mismatch) -> Result:
    """Return a silent-wrong result."""
    return result(Verdict(VerdictClass.SILENT_WRONG, mismatch=mismatch))


@pytest.mark.parametrize(
    ("expected", "got", "column"),
    [
        (b"it's a test\n", b"its a test\n", 2),
        (b"a\nb", b"a\nc", 3),
        (b"a\\b", b"a\\c", 3),
        (b"same", b"same and more", 4),
        ("é=x".encode(), "é=y".encode(), 2),
        ("é".encode(), "è".encode(), 0),
        (b"\xff\xfe", b"\xff\xfd", 4),
    ],
)
def test_the_mark_stands_under_the_first_byte_that_differs(expected: bytes, got: bytes, column: int) -> None:
    """The column counts shown characters: an escape is longer than the byte that it shows."""
    lines = explain(wrong(Mismatch("f", expected, got))).split("\n")

    assert lines[3] == " " * (12 + column) + "^"
    assert lines[1][: 12 + column].removeprefix("  expected  ") == lines[2][: 12 + column].removeprefix(
        "  got       "
    )
    assert lines[1][12 + column : 16 + column] != lines[2][12 + column : 16 + column]


def test_long_values_are_shown_around_the_difference() -> None:
    """What is cut on either side is marked."""
    lines = explain(
        wrong(Mismatch("f", b"a" * 1000 + b"X" + b"b" * 1000, b"a" * 1000 + b"Y" + b"b" * 1000))
    ).split("\n")

    assert lines[0] == "silent-wrong: f differs at byte 1000"
    assert lines[1] == f"  expected  …{'a' * 40}X{'b' * 39}…"
    assert lines[3].index("^") == lines[1].index("X")


@pytest.mark.parametrize(
    ("mismatch", "headline"),
    [
        (Mismatch("out.txt", b"x", None), "silent-wrong: out.txt is missing"),
        (Mismatch("d", None, b"directory", "extra entry"), "silent-wrong: d should not be there (extra entry)"),
        (Mismatch("f", b"0644", b"0600", "permissions"), "silent-wrong: f differs at byte 2 (permissions)"),
        (Mismatch("a\nb\x1b", b"x", None), r"silent-wrong: a\nb\x1b is missing"),
    ],
)
def test_the_headline_says_what_is_wrong_where(mismatch: Mismatch, headline: str) -> None:
    """Missing, unexpected or different; the path visible."""
    assert explain(wrong(mismatch)).split("\n")[0] == headline


def test_verdicts_without_a_mismatch_give_their_reason() -> None:
    """Detail and reason in one line."""
    verdict = Verdict(VerdictClass.CONTRACT_ERROR, "not-json", reason="Expecting value: line 1")

    assert explain(result(verdict)) == "contract-error (not-json): Expecting value: line 1"


def test_layers_show_the_command_as_each_parser_received_it() -> None:
    """Backslashes are not doubled, line breaks are ⏎, and what cannot be known says so."""
    layers = (Layer("bash -c", "printf '%s\\n' 'a\nb'"), Layer("readline", None))

    lines = explain(result(Verdict(VerdictClass.SILENT_WRONG), layers=layers)).split("\n")

    assert lines[1:] == [r"  bash -c ← printf '%s\n' 'a⏎b'", "  readline ← not observable"]


def test_never_more_than_ten_lines() -> None:
    """However many layers, and whatever was printed."""
    layers = tuple(Layer(f"layer {number}", "x" * 1000) for number in range(20))
    verdict = Verdict(VerdictClass.SILENT_WRONG, mismatch=Mismatch("f", b"\n" * 100, b"\r\n" * 100))

    text = explain(result(verdict, layers=layers, stderr=b"first\nsecond\n" * 100))

    assert len(text.split("\n")) == 10
    assert text.split("\n")[-1] == "  stderr    first"
    assert max(map(len, text.split("\n"))) < 200


def test_nothing_invisible_gets_through() -> None:
    """Terminal escapes, NUL, bidirectional overrides and lone surrogates are all escaped, also with -v."""
    evil = "\x1b[31m\0\u202e\ud800\udcff"
    layers = (Layer("bash -c", evil),)
    verdict = Verdict(
        VerdictClass.SILENT_WRONG, "d", Mismatch(evil, evil.encode("utf-8", "surrogatepass"), b"\xff")
    )

    for verbosity in (0, 1):
        text = explain(result(verdict, layers=layers, stderr=b"\x1b]0;x\x07\0\xff"), verbosity)

        assert all(character.isprintable() or character == "\n" for character in text)
        text.encode("utf-8")

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
        ("雪=x".encode(), "雪=y".encode(), 3),
        ("한=x".encode(), "한=y".encode(), 3),
        ("e\u0301=x".encode(), "e\u0301=y".encode(), 2),
        (b"\xff\xfe", b"\xff\xfd", 4),
    ],
)
def test_the_mark_stands_under_the_first_byte_that_differs(expected: bytes, got: bytes, column: int) -> None:
    """The column is a terminal's: an escape is longer than its byte, wide characters and marks count as drawn."""
    lines = explain(wrong(Mismatch("f", expected, got))).split("\n")

    assert lines[3] == " " * (12 + column) + "^"
    shown = [drawn(lines[1].removeprefix("  expected  ")), drawn(lines[2].removeprefix("  got       "))]
    assert shown[0][:column] == shown[1][:column]
    assert shown[0][column : column + 4] != shown[1][column : column + 4]


def drawn(line: str) -> list[str]:
    """Return what a terminal shows in each column, for the few characters of these tests."""
    cells: list[str] = []
    for character in line:
        if character == "\u0301":
            cells[-1] += character
        else:
            cells += [character, ""] if character in "雪한" else [character]
    return cells


def test_the_mark_stands_under_the_letter_whose_accent_differs() -> None:
    """A combining mark has no column of its own."""
    lines = explain(wrong(Mismatch("f", "xe\u0301".encode(), "xe\u0300".encode()))).split("\n")

    assert lines[3] == " " * 13 + "^"


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
        (Mismatch("d", b"directory", None, "entry"), "silent-wrong: d is missing"),
        (Mismatch("d", None, b"directory", "extra entry"), "silent-wrong: d should not be there"),
        (
            Mismatch("d", None, b"fifo", "extra entry, and 2 more"),
            "silent-wrong: d should not be there, and 2 more",
        ),
        (Mismatch("d", None, b"fifo", "entry"), "silent-wrong: d should not be there"),
        (Mismatch("d", None, b"x", "of another's"), "silent-wrong: d should not be there (of another's)"),
        (Mismatch("a.txt", None, b"still there", "entry"), "silent-wrong: a.txt is still there"),
        (Mismatch("f", b"0644", b"0755", "permissions"), "silent-wrong: f has permissions 0755, not 0644"),
        (
            Mismatch("f", b"100644", b"100755", "committed mode"),
            "silent-wrong: f has committed mode 100755, not 100644",
        ),
        (Mismatch(".git/HEAD", b"1", b"2", "commits"), "silent-wrong: .git/HEAD: 2 commits, not 1"),
        (Mismatch(".git/HEAD", b"2", b"1", "commits"), "silent-wrong: .git/HEAD: 1 commit, not 2"),
        (
            Mismatch(".git/HEAD", b"1", b"2 or more", "commits"),
            "silent-wrong: .git/HEAD: 2 or more commits, not 1",
        ),
        (Mismatch("o", b"regular file", b"fifo", "entry"), "silent-wrong: o is a FIFO, not a regular file"),
        (Mismatch("o", b"regular file", b"socket", "entry"), "silent-wrong: o is a socket, not a regular file"),
        (
            Mismatch("o", b"directory", b"char-device", "entry"),
            "silent-wrong: o is a character device, not a directory",
        ),
        (
            Mismatch("o", b"symbolic link to a", b"symbolic link to \x1b", "entry"),
            r"silent-wrong: o is a symbolic link to \x1b, not a symbolic link to a",
        ),
        (Mismatch(".git", b"a repository", b"x is damaged", "repository"), "silent-wrong: .git: x is damaged"),
        (Mismatch("m", b"ab", b"ac", "commit message"), "silent-wrong: m differs at byte 1 (commit message)"),
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
    layers = (Layer("bash -c", "echo '%s\\n' 'a\nb'"), Layer("readline", None))

    lines = explain(result(Verdict(VerdictClass.SILENT_WRONG), layers=layers)).split("\n")

    assert lines[1:] == [r"  bash -c ← echo '%s\n' 'a⏎b'", "  readline ← not observable"]


def test_the_parser_that_first_changed_the_command_is_named() -> None:
    """And the first byte that did not come through."""
    layers = (Layer("bash\n-c", "echo"), Layer("inner bash -c", "ech\0"))

    lines = explain(result(Verdict(VerdictClass.SILENT_WRONG), layers=layers)).split("\n")

    assert lines[1] == r"  changed   first by bash\n-c, from byte 3 on: o"


def test_what_the_first_line_says_in_full_is_not_said_again() -> None:
    """Two words in the place of three more lines."""
    for mismatch in (
        Mismatch("f", b"0644", b"0755", "permissions"),
        Mismatch("f", None, b"still there", "entry"),
        Mismatch("f", b"regular file", b"fifo", "entry"),
    ):
        assert len(explain(wrong(mismatch)).split("\n")) == 1


def test_the_name_of_a_layer_is_outside_text_too() -> None:
    """A transport of someone else's may call it anything."""
    layers = (Layer("\x1b[31m\n" + "x" * 1000, "echo"),)

    (line,) = explain(result(Verdict(VerdictClass.SILENT_WRONG), layers=layers)).split("\n")[1:]

    assert line.startswith(r"  \x1b[31m\nxxx")
    assert line.endswith(" ← echo")
    assert len(line) < 110


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
    layers = (Layer(evil, evil),)
    verdict = Verdict(
        VerdictClass.SILENT_WRONG, "d", Mismatch(evil, evil.encode("utf-8", "surrogatepass"), b"\xff")
    )

    for verbosity in (0, 1):
        text = explain(result(verdict, layers=layers, stderr=b"\x1b]0;x\x07\0\xff"), verbosity)

        assert all(character.isprintable() or character == "\n" for character in text)
        text.encode("utf-8")

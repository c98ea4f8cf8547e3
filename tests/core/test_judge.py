"""The verdict classes come in one order, and facts of the harness come before any text."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_quotebench.core.errors import Broken, ContractError, TransportError
from pytest_quotebench.core.execution import Execution
from pytest_quotebench.core.goals import AllFilesGoal, FilesGoal
from pytest_quotebench.core.judge import Outcome, check_state, extra_entries, judge
from pytest_quotebench.core.mismatch import Mismatch
from pytest_quotebench.core.task import Fixture, Task
from pytest_quotebench.core.tree import Directory, Entry, File, FileTree, Special, Symlink
from pytest_quotebench.core.verdict import VerdictClass

TASK = Task(
    id="f-t0",
    published_id="f/t0",
    family="f",
    tier=0,
    hazards=(),
    instruction="",
    payloads=(),
    fixture=Fixture({"data": "data\n", "dir/kept": "kept\n"}, {"run": File(b"#!/bin/sh\n", 0o755)}, ("empty",)),
    goal=FilesGoal({"out/a.txt": "right\n"}),
    allowed_new_files=("out/a.txt",),
    oracle="",
    naive="",
)
BEFORE = TASK.fixture.tree
RIGHT = BEFORE.with_entries({"out/a.txt": File(b"right\n")})
EXTRA = RIGHT.with_entries({"more": File(b"")})
WRONG = BEFORE.with_entries({"out/a.txt": File(b"wrong\n")})
SYNTAX = b"bash: -c: line 1: syntax error: unexpected end of file\n"
TOOL = b"sed: no such file\n"


def ended(
    tree: FileTree = WRONG, *, exit_status: int | None = 0, stderr: bytes = b"", **facts: object
) -> Execution:
    plain = Execution(
        exit_status=exit_status,
        signal=None,
        stdout=b"",
        stderr=stderr,
        stdout_length=0,
        stderr_length=len(stderr),
        duration_s=0.0,
        timed_out=False,
        tree=tree,
    )
    return replace(plain, **facts)  # type: ignore[arg-type]


def kind(outcome: Outcome, task: Task = TASK) -> str:
    return judge(task, outcome).kind.value


@pytest.mark.parametrize(
    ("outcome", "expected", "detail"),
    [
        (Broken("gone", "the sandbox is gone"), "broken", "gone"),
        (ContractError("not-json", "no JSON"), "contract-error", "not-json"),
        (TransportError("nul", "a NUL"), "transport-error", "nul"),
    ],
)
def test_what_kept_a_case_from_running_is_its_verdict(outcome: Outcome, expected: str, detail: str) -> None:
    verdict = judge(TASK, outcome)

    assert (verdict.kind.value, verdict.detail, verdict.reason) == (expected, detail, str(outcome))


@pytest.mark.parametrize(
    ("execution", "expected", "detail"),
    [
        (ended(RIGHT, timed_out=True), "timeout", "deadline"),
        (ended(RIGHT, timed_out=True, detail="hang"), "timeout", "hang"),
        (ended(RIGHT, detail="limit:output"), "timeout", "limit:output"),
        (ended(WRONG, exit_status=2, stderr=SYNTAX, detail="limit:tree"), "timeout", "limit:tree"),
        (ended(RIGHT), "pass", None),
        (ended(RIGHT, exit_status=1, stderr=SYNTAX + TOOL), "pass", None),
        (ended(RIGHT, exit_status=None, signal=9), "pass", None),
        (ended(EXTRA), "environment-invalid", None),
        (ended(EXTRA, exit_status=1, stderr=SYNTAX), "environment-invalid", None),
        (ended(stderr=SYNTAX), "shell-syntax", None),
        (ended(exit_status=1, stderr=TOOL + SYNTAX), "shell-syntax", None),
        (ended(exit_status=None, signal=9, stderr=SYNTAX), "shell-syntax", None),
        (ended(exit_status=1, stderr=TOOL), "tool-error", "exit:1"),
        (ended(exit_status=0, stderr=TOOL), "silent-wrong", None),
        (ended(exit_status=None, signal=11, stderr=TOOL), "runtime-error", "signal:11"),
        (ended(exit_status=127, stderr=b"bash: line 1: nope: command not found\n"), "runtime-error", "exit:127"),
        (ended(), "silent-wrong", None),
        (ended(BEFORE), "silent-wrong", None),
    ],
)
def test_the_classes_come_in_this_order(execution: Execution, expected: str, detail: str | None) -> None:
    verdict = judge(TASK, execution)

    assert (verdict.kind.value, verdict.detail) == (expected, detail)


@pytest.mark.parametrize(
    "line",
    [
        b"bash: syntax error near unexpected token `('",
        b"bash: -c: syntax error",
        b"bash: -c: line 0: unexpected EOF while looking for matching `''",
        b"bash: line 12: syntax error: unexpected end of file",
        b"bash: line 1: ${a b}: bad substitution",
        b"sh: 1: Syntax error: Unterminated quoted string",
        b"sh: 2: Bad substitution: bad substitution",
        b"dash: 1: Syntax error: EOF in backquote substitution",
        b"sh: -c: line 1: syntax error",
        b"first line\nbash: -c: line 2: syntax error\nlast line",
        b"/aux/script: line 3: syntax error near unexpected token `)'",
        b"bash: nothing: unexpected EOF",
    ],
)
def test_a_line_of_a_shell_with_these_words_is_a_syntax_error(line: bytes) -> None:
    assert kind(ended(stderr=line + b"\n", exit_status=0, aux_directory="/aux")) == "shell-syntax"
    assert kind(ended(stderr=line + b"\n", exit_status=2, aux_directory="/aux")) == "shell-syntax"


@pytest.mark.parametrize(
    "line",
    [
        b"awk: line 1: syntax error at or near }",
        b"zsh: 1: syntax error",
        b" bash: syntax error",
        b"echo bash: syntax error",
        b"bash:syntax error",
        b"bash: line 1: nope: command not found",
        b"bash: line 1: SYNTAX ERROR",
        b"/other/script: line 3: syntax error",
        b"syntax error",
        b"bash: line 1: x\nsyntax error",
        b"bash -c: line 1: syntax error",
        b"/aux: line 3: syntax error",
        b"/aux/dir/script: syntax error",
    ],
)
def test_any_other_line_is_none(line: bytes) -> None:
    assert kind(ended(stderr=line + b"\n", aux_directory="/aux")) == "silent-wrong"


def test_a_script_is_known_only_where_there_is_one() -> None:
    assert kind(ended(stderr=b"/aux/script: line 3: syntax error\n")) == "silent-wrong"


def test_a_script_s_directory_is_no_pattern() -> None:
    line = b"/axx/script: line 3: syntax error\n"

    assert kind(ended(stderr=line, aux_directory="/a.x")) == "silent-wrong"
    assert kind(ended(stderr=line, aux_directory="/axx")) == "shell-syntax"


TOOLS = (
    "sed",
    "awk",
    "mawk",
    "gawk",
    "grep",
    "find",
    "mv",
    "cp",
    "rm",
    "git",
    "jq",
    "printf",
    "fatal",
    "error",
    "usage",
)


@pytest.mark.parametrize("tool", TOOLS)
def test_a_line_that_begins_with_a_tool_and_a_colon_is_a_tool_error(tool: str) -> None:
    assert kind(ended(exit_status=1, stderr=f"before\n{tool}: what\n".encode())) == "tool-error"
    assert kind(ended(exit_status=1, stderr=f"{tool}:".encode())) == "tool-error"
    assert kind(ended(exit_status=0, stderr=f"{tool}: what\n".encode())) == "silent-wrong"


@pytest.mark.parametrize(
    "line", [b" sed: x", b"bash: sed: x", b"sed x", b"seds: x", b"Sed: x", b"ls: x", b"/bin/sed: x"]
)
def test_a_line_that_begins_otherwise_is_none(line: bytes) -> None:
    assert kind(ended(exit_status=1, stderr=line + b"\n")) == "runtime-error"


def test_text_can_make_no_case_pass_or_broken_or_a_timeout() -> None:
    everything = b"pass\nbroken\ntimeout\nlimit:memory\n" + SYNTAX + TOOL

    assert kind(ended(stderr=everything, stdout=everything, exit_status=124)) == "shell-syntax"


@pytest.mark.parametrize(
    ("path", "entry", "mismatch"),
    [
        ("data", File(b"data\n", 0o600), Mismatch("data", b"0644", b"0600", "permissions")),
        ("data", File(b"Data\n"), Mismatch("data", b"data\n", b"Data\n")),
        ("data", Symlink("elsewhere"), Mismatch("data", b"regular file", b"symbolic link to elsewhere", "entry")),
        ("data", Special("fifo"), Mismatch("data", b"regular file", b"fifo", "entry")),
        ("run", File(b"#!/bin/sh\n", 0o644), Mismatch("run", b"0755", b"0644", "permissions")),
        ("empty", Directory(0o700), Mismatch("empty", b"0755", b"0700", "permissions")),
        ("empty", None, Mismatch("empty", b"directory", None, "entry")),
        ("dir/kept", None, Mismatch("dir/kept", b"regular file", None, "entry")),
    ],
)
def test_a_fixture_entry_that_the_goal_does_not_name_must_be_as_it_was(
    path: str, entry: Entry | None, mismatch: Mismatch
) -> None:
    without = RIGHT.without(path)
    after = without if entry is None else without.with_entries({path: entry})

    assert check_state(TASK, after) == mismatch
    assert kind(ended(after)) == "silent-wrong"


def test_the_goal_s_own_complaint_comes_first() -> None:
    after = WRONG.without("data")

    assert check_state(TASK, after) == Mismatch("out/a.txt", b"right\n", b"wrong\n")


def test_directories_above_an_allowed_file_come_with_it() -> None:
    assert extra_entries(TASK, RIGHT) == ()


@pytest.mark.parametrize(
    "more",
    [
        {"more": File(b"")},
        {"out/more": File(b"")},
        {"more": Directory()},
        {"out/a.txt.d/x": File(b"")},
        {"link": Symlink("data")},
        {"pipe": Special("fifo")},
        {"\udcff": File(b"")},
    ],
)
def test_anything_else_that_is_new_is_an_extra_entry(more: dict[str, Entry]) -> None:
    verdict = judge(TASK, ended(RIGHT.with_entries(more)))

    assert verdict.kind is VerdictClass.ENVIRONMENT_INVALID
    assert verdict.mismatch is not None
    assert verdict.mismatch.note.startswith("extra entry")


def test_many_extra_entries_are_counted() -> None:
    verdict = judge(TASK, ended(RIGHT.with_entries({"x": File(b""), "y": File(b""), "z": File(b"")})))

    assert verdict.mismatch == Mismatch("x", None, b"regular file", "extra entry, and 2 more")


def test_the_mode_of_a_new_file_does_not_count() -> None:
    assert kind(ended(RIGHT.with_entries({"out/a.txt": File(b"right\n", 0o600)}))) == "pass"


def test_a_file_that_a_list_repeats_keeps_its_permissions_too() -> None:
    goal = AllFilesGoal({"data": "data\n", "dir/kept": "kept\n", "run": "#!/bin/sh\n", "out/a.txt": "right\n"})
    task = replace(TASK, goal=goal)

    assert kind(ended(RIGHT), task) == "pass"
    assert kind(ended(RIGHT.with_entries({"run": File(b"#!/bin/sh\n", 0o644)})), task) == "silent-wrong"

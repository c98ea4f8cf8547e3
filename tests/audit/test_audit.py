"""The audit finds no hole: everything nearly right is rejected, everything right in another spelling accepted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from pytest_quotebench.audit import (
    accepts,
    audit,
    command_equivalents,
    command_mutations,
    groups,
    tree_equivalents,
    tree_mutations,
)
from pytest_quotebench.audit._texts import changes
from pytest_quotebench.core.execution import Execution, Invocation
from pytest_quotebench.core.goals import FilesGoal
from pytest_quotebench.core.judge import judge
from pytest_quotebench.core.limits import Limits
from pytest_quotebench.core.task import Task
from pytest_quotebench.core.text import to_bytes
from pytest_quotebench.core.tree import File, FileTree
from pytest_quotebench.sandboxes.local import open_sandbox
from quotebench_tasks import load_tasks

Run = Callable[[Task, str], Execution]

TASKS = load_tasks()
BY_ID = {task.id: task for task in TASKS}


@pytest.fixture(scope="module")
def run() -> Iterator[Run]:
    with open_sandbox() as sandbox:
        yield lambda task, command: sandbox.run(
            task.fixture.tree, Invocation(argv=(b"bash", b"-c", to_bytes(command))), Limits()
        )


@pytest.fixture(scope="module")
def reached(run: Run) -> dict[str, FileTree]:
    return {task.id: run(task, task.oracle).tree for task in TASKS}


def test_the_groups_are_the_files() -> None:
    assert groups() == ("content", "entries", "fixture", "git", "structured")


def test_every_change_is_rejected_and_every_other_spelling_accepted(reached: dict[str, FileTree]) -> None:
    for task in TASKS:
        report = audit(task, reached[task.id])

        assert report.survivors == ()
        assert report.refused_equivalents == ()


def test_every_change_makes_another_state(reached: dict[str, FileTree]) -> None:
    for task in TASKS:
        for mutation in tree_mutations(task, reached[task.id]):
            assert mutation.tree != reached[task.id], (task.id, mutation.kind)


def test_there_are_far_more_than_400_pairs_of_task_and_kind(reached: dict[str, FileTree]) -> None:
    kinds = Counter(
        kind for task in TASKS for kind in {change.kind for change in tree_mutations(task, reached[task.id])}
    )

    assert kinds.total() >= 3000
    assert len(kinds) >= 300


def test_every_task_is_changed_in_many_ways(reached: dict[str, FileTree]) -> None:
    counts = {task.id: len(list(tree_mutations(task, reached[task.id]))) for task in TASKS}

    assert min(counts.values()) >= 20


def test_every_task_with_a_file_of_its_own_has_equivalents(reached: dict[str, FileTree]) -> None:
    without = [task.id for task in TASKS if not list(tree_equivalents(task, reached[task.id]))]

    # They create nothing: the file is changed in place, or one is deleted.
    assert without == ["hostile-filenames-t2", *(f"sed-replace-t{tier}" for tier in range(4))]


def test_a_judge_with_a_hole_is_found_out(reached: dict[str, FileTree]) -> None:
    task = BY_ID["write-file-t3"]
    blind = replace(task, goal=FilesGoal({}), allowed_new_files=("out.txt", "empty"))

    assert "empty-directory-more" in audit(blind, reached[task.id]).survivors


def test_an_accepted_state_is_the_goal_without_extra_entries(reached: dict[str, FileTree]) -> None:
    task = BY_ID["write-file-t0"]
    tree = reached[task.id]

    assert accepts(task, tree)
    assert not accepts(task, task.fixture.tree)
    assert not accepts(task, tree.with_entries({"more": File(b"")}))


def test_commands_that_spoil_the_state_do_what_they_say_and_are_rejected(run: Run) -> None:
    tried = [(change, run(task, change.command)) for task in TASKS for change in command_mutations(task)]
    wrong = [
        (change, execution.stderr)
        for change, execution in tried
        if judge(BY_ID[change.task], execution).passed or execution.exit_status != 0
    ]

    assert len(tried) >= 200
    assert wrong == []


def test_commands_that_write_the_state_another_way_pass(run: Run) -> None:
    tried = [(change, run(task, change.command)) for task in TASKS for change in command_equivalents(task)]
    wrong = [
        (change, execution.stderr)
        for change, execution in tried
        if not judge(BY_ID[change.task], execution).passed or execution.exit_status not in (0, 3)
    ]

    assert len(tried) >= 80
    assert wrong == []


@pytest.mark.parametrize(
    ("kind", "text", "changed"),
    [
        ("byte-dropped", b"abcd", b"abd"),
        ("byte-added", b"abcd", b"abxcd"),
        ("byte-doubled", b"abcd", b"abccd"),
        ("letter-case", b"1aB", b"1AB"),
        ("crlf", b"a\nb\n", b"a\r\nb\r\n"),
        ("last-newline-lost", b"abc\n", b"abc"),
        ("lines-swapped", b"a\nb\nc\n", b"b\na\nc\n"),
        ("escape-doubled", rb"do \b it", rb"do \\b it"),
        ("escape-undone", rb"do \b it", b"do b it"),
        ("quotes-changed", b"a'b\"", b"a\"b'"),
        ("spaces-collapsed", b"a   b", b"a b"),
        ("trailing-space", b"a\n", b"a \n"),
        ("variable-expanded", b"a $HOME b", b"a  b"),
        ("substitution-run", b"`date` $(pwd)", b"out out"),
    ],
)
def test_a_kind_is_what_its_name_says(kind: str, text: bytes, changed: bytes) -> None:
    assert dict(changes(text))[kind] == changed


def test_no_text_comes_twice_and_none_is_the_old_one() -> None:
    text = b'it\'s \\ a "test" $X `date`  of\nlines\n'
    changed = [data for _, data in changes(text)]

    assert len(set(changed)) == len(changed)
    assert text not in changed


def test_a_kind_that_changes_nothing_is_left_out() -> None:
    assert "escape-doubled" not in dict(changes(b"plain"))
    assert "lines-swapped" not in dict(changes(b"one line"))

"""Each goal says what it names, what reaches it and what does not."""

from __future__ import annotations

import pytest

from pytest_quotebench.core.goals import AllFilesGoal, FilesGoal, Goal, JsonGoal, LinesGoal
from pytest_quotebench.core.mismatch import Mismatch
from pytest_quotebench.core.tree import Directory, Entry, File, FileTree, Special, Symlink

EMPTY = FileTree()
FILES = FilesGoal({"a": "x\n", "b": "y"})
LINES = LinesGoal({"list": ("tree/a", "tree/b c")})
JSON = JsonGoal({"c.json": {"n": 1, "t": "é"}})
ALL = AllFilesGoal({"new": "body\n", "kept": "kept\n"})
BEFORE = FileTree.of({"old": "body\n", "kept": "kept\n"}, ["dir"])


def reaches(goal: Goal, before: FileTree, **files: bytes | str | Entry) -> bool:
    return (
        goal.check(before, FileTree.of({name.replace("_", "."): content for name, content in files.items()}))
        is None
    )


def test_files_are_reached_by_their_exact_bytes_whatever_the_permissions() -> None:
    assert reaches(FILES, EMPTY, a="x\n", b=File(b"y", 0o600))
    assert FILES.named(EMPTY) == {"a", "b"}


@pytest.mark.parametrize(
    ("a", "mismatch"),
    [
        (None, Mismatch("a", b"x\n", None)),
        (File(b"x"), Mismatch("a", b"x\n", b"x")),
        (File(b"x\n\n"), Mismatch("a", b"x\n", b"x\n\n")),
        (File(b"X\n"), Mismatch("a", b"x\n", b"X\n")),
        (Directory(), Mismatch("a", b"regular file", b"directory", "entry")),
        (Symlink("b"), Mismatch("a", b"regular file", b"symbolic link to b", "entry")),
        (Special("fifo"), Mismatch("a", b"regular file", b"fifo", "entry")),
    ],
)
def test_the_first_wrong_file_is_the_mismatch(a: Entry | None, mismatch: Mismatch) -> None:
    after = FileTree.of({"b": "also wrong"} if a is None else {"a": a, "b": "also wrong"})

    assert FILES.check(EMPTY, after) == mismatch


def test_a_surrogate_in_a_goal_stands_for_its_byte() -> None:
    assert reaches(FilesGoal({"a": "\udcff"}), EMPTY, a=b"\xff")


def test_all_files_names_what_must_come_and_go_but_not_what_stays() -> None:
    assert ALL.named(BEFORE) == {"new", "old"}


def test_all_files_is_reached_where_the_old_name_is_gone() -> None:
    assert reaches(ALL, BEFORE, new="body\n", kept="kept\n")


@pytest.mark.parametrize(
    ("after", "mismatch"),
    [
        ({"new": "body\n", "kept": "kept\n", "old": "body\n"}, Mismatch("old", None, b"still there", "entry")),
        ({"new": "body\n", "kept": "kept\n", "old": Directory()}, Mismatch("old", None, b"still there", "entry")),
        ({"new": "other\n", "kept": "kept\n"}, Mismatch("new", b"body\n", b"other\n")),
        ({"new": "body\n"}, Mismatch("kept", b"kept\n", None)),
    ],
)
def test_all_files_is_not_reached_otherwise(after: dict[str, str | Entry], mismatch: Mismatch) -> None:
    assert ALL.check(BEFORE, FileTree.of(after)) == mismatch


@pytest.mark.parametrize(
    "text",
    ["tree/a\ntree/b c\n", "./tree/a\n./tree/b c\n", "./tree/a\ntree/b c\n"],
)
def test_lines_take_a_leading_dot_slash_for_another_spelling(text: str) -> None:
    assert reaches(LINES, EMPTY, list=text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "tree/a\ntree/b c",
        "tree/b c\ntree/a\n",
        "tree/a\n\ntree/b c\n",
        "tree/a\ntree/b c\n\n",
        "tree/a\r\ntree/b c\r\n",
        "././tree/a\ntree/b c\n",
        "tree/./a\ntree/b c\n",
        "/tree/a\ntree/b c\n",
        "tree/a\ntree/b\nc\n",
        "tree/a\rtree/b c\n",
        "tree/a\n./\ntree/b c\n",
    ],
)
def test_lines_take_nothing_else_for_it(text: str) -> None:
    assert not reaches(LINES, EMPTY, list=text)


def test_lines_are_shown_without_the_allowed_spelling() -> None:
    assert LINES.check(EMPTY, FileTree.of({"list": "./tree/a\n./tree/c\n"})) == Mismatch(
        "list", b"tree/a\ntree/b c\n", b"tree/a\ntree/c\n"
    )


@pytest.mark.parametrize(
    "text",
    [
        '{"n": 1, "t": "é"}',
        '{"t":"\\u00e9","n":1}\n',
        ' {\n "\\u006e" : 1 ,\r\n\t"t" : "é" } \n\n',
    ],
)
def test_json_is_free_in_order_spacing_and_escapes(text: str) -> None:
    assert reaches(JSON, EMPTY, c_json=text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "null",
        '{"n": 1}',
        '{"n": 1.0, "t": "é"}',
        '{"n": true, "t": "é"}',
        '{"n": "1", "t": "é"}',
        '{"n": 1, "t": "e\\u0301"}',
        '{"n": 1, "t": "é", "more": 0}',
        '{"n": 1, "n": 1, "t": "é"}',
        '{"n": 1, "t": "é"} x',
        '{"n": 1, "t": "é",}',
        "{'n': 1, 't': 'é'}",
        '{"n": NaN, "t": "é"}',
        '\ufeff{"n": 1, "t": "é"}',
        '[{"n": 1, "t": "é"}]',
        '{"n": ' + "1" * 5000 + ', "t": "é"}',
        "[" * 100_000,
    ],
)
def test_json_is_strict_in_everything_else(text: str) -> None:
    assert not reaches(JSON, EMPTY, c_json=text)


@pytest.mark.parametrize(
    ("text", "got"),
    [
        ('{"t":"\\u00e9",\n"n":2}', '{"n": 2, "t": "é"}'),
        ('{"n":1.0,"t":"é"}', '{"n": 1.0, "t": "é"}'),
        ('{"n":1,"t":"\\ud800"}', '{"n": 1, "t": "\\ud800"}'),
        ('{ "n":1,}', '{ "n":1,}'),
        ('{"n":1,"n":1}', '{"n":1,"n":1}'),
        ("[" * 100_000, "[" * 100_000),
        ("[" * 400 + "]" * 400, "[" * 400 + "]" * 400),
    ],
)
def test_json_that_can_be_read_is_shown_in_one_spelling(text: str, got: str) -> None:
    mismatch = JSON.check(EMPTY, FileTree.of({"c.json": text}))

    assert mismatch is not None
    assert (mismatch.expected, mismatch.got) == ('{"n": 1, "t": "é"}'.encode(), got.encode())


def test_json_that_nests_as_deeply_as_can_be_read_is_a_mismatch() -> None:
    for depth in range(500, 20_000, 500):
        assert JSON.check(EMPTY, FileTree.of({"c.json": "[" * depth + "]" * depth})) is not None


def test_json_keys_come_in_the_order_of_the_goal_s() -> None:
    goal = JsonGoal({"c": {"b": [{"y": 1, "x": 2}], "a": 1}})

    assert goal.check(EMPTY, FileTree.of({"c": '{"new":0,"a":1,"b":[{"x":2,"y":3},{}]}'})) == Mismatch(
        "c", b'{"b": [{"y": 1, "x": 2}], "a": 1}', b'{"b": [{"y": 3, "x": 2}, {}], "a": 1, "new": 0}', "JSON value"
    )


def test_json_is_utf_8() -> None:
    assert not reaches(JSON, EMPTY, c_json='{"n": 1, "t": "é"}'.encode("latin-1"))
    assert not reaches(JSON, EMPTY, c_json='{"n": 1, "t": "é"}'.encode("utf-16"))
    assert not reaches(JSON, EMPTY, c_json=Directory())


@pytest.mark.parametrize("goal", [FILES, ALL, LINES, JSON])
def test_a_goal_that_lists_files_allows_nothing_of_itself(goal: Goal) -> None:
    assert goal.allowed(BEFORE) == frozenset()

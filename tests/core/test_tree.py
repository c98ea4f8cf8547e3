from __future__ import annotations

import pytest

from pytest_quotebench.core.tree import Change, Directory, File, FileTree, Special, Symlink


def test_directories_above_an_entry_are_part_of_the_tree() -> None:
    tree = FileTree.of({"a/b/c": b"x"})
    assert dict(tree) == {"a": Directory(), "a/b": Directory(), "a/b/c": File(b"x")}


def test_a_named_directory_keeps_its_own_mode() -> None:
    assert FileTree.of({"a": Directory(0o700), "a/b": File(b"")})["a"] == Directory(0o700)


@pytest.mark.parametrize("path", ["", "/a", "a/", "a//b", ".", "..", "a/../b", "./a", "a\0b"])
def test_a_path_that_is_not_relative_and_normal_is_refused(path: str) -> None:
    with pytest.raises(ValueError, match="not a relative, normal path"):
        FileTree({path: File(b"")})


@pytest.mark.parametrize("above", [File(b""), Symlink("x"), Special("fifo")])
def test_nothing_lies_below_what_is_no_directory(above: File | Symlink | Special) -> None:
    with pytest.raises(ValueError, match="the parent of"):
        FileTree({"a": above, "a/b": File(b"")})


def test_entries_come_in_the_order_of_their_bytes() -> None:
    assert list(FileTree.of({"é": "", "z": "", "\udcff": "", "a": ""})) == ["a", "z", "é", "\udcff"]


def test_equal_trees_are_equal_however_they_were_made() -> None:
    one, other = FileTree.of({"a": "x", "b": "y"}), FileTree([("b", File(b"y")), ("a", File(b"x"))])
    assert one == other
    assert hash(one) == hash(other)
    assert one != FileTree.of({"a": "x"})


def test_a_tree_cannot_be_changed() -> None:
    with pytest.raises(TypeError):
        FileTree.of({"a": ""})["a"] = File(b"")  # type: ignore[index]


def test_adding_replaces_and_keeps_the_rest() -> None:
    tree = FileTree.of({"a": "1", "b": "2"}).with_entries({"b": File(b"3"), "c/d": File(b"4")})
    assert tree == FileTree.of({"a": "1", "b": "3", "c/d": "4"})


def test_taking_a_directory_away_takes_all_below_it_and_nothing_beside_it() -> None:
    tree = FileTree.of({"d/e/f": "", "d.txt": "", "dd/x": ""})
    assert tree.without("d") == FileTree.of({"d.txt": "", "dd/x": ""})


def test_changes_name_every_difference_once() -> None:
    before, after = FileTree.of({"a": "1", "b": "2", "c": "3"}), FileTree.of({"b": "2", "c": "x", "d": "4"})
    assert before.changes_to(after) == (
        Change("a", File(b"1"), None),
        Change("c", File(b"3"), File(b"x")),
        Change("d", None, File(b"4")),
    )
    assert before.changes_to(before) == ()


def test_a_mode_or_a_type_is_a_difference() -> None:
    plain = FileTree({"a": File(b"x")})
    for other in (File(b"x", 0o755), Symlink("x"), Special("fifo"), Directory()):
        assert [change.after for change in plain.changes_to(FileTree({"a": other}))] == [other]


def test_a_tree_is_shown_without_its_contents() -> None:
    assert repr(FileTree.of({"a": "\x1b[2J"})) == "<FileTree of 1 entries>"

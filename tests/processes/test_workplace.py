"""A private directory with a tree in it."""

from __future__ import annotations

import os
import stat

from pytest_quotebench.core.tree import Directory, File, FileTree
from pytest_quotebench.processes.workplace import workplace

TREE = FileTree.of({"d/x": File(b"1", 0o755), "a\udcff": File(b""), "d": Directory()})


def test_the_tree_is_laid_out_and_captured_and_gone_at_the_end() -> None:
    """Also where what was done to it is hard to remove."""
    with workplace(TREE) as place:
        assert place.capture().tree == TREE
        (place.path / "new").write_bytes(b"2")
        (place.path / "d").chmod(0)
        assert place.capture().tree["new"] == File(b"2")

    assert not place.path.parent.exists()


def test_the_directory_above_is_private_too() -> None:
    """What a command writes beside it is nobody's, and goes with it."""
    with workplace(FileTree()) as place:
        assert stat.S_IMODE(place.path.parent.stat().st_mode) == 0o700
        assert os.listdir(place.path.parent) == [place.path.name]  # noqa: PTH208 -- names, not paths
        (place.path.parent / "beside").write_bytes(b"")

    assert not place.path.parent.exists()


def test_it_is_captured_wherever_it_was_moved() -> None:
    """The open directory is read, not the path."""
    with workplace(TREE) as place:
        place.path.rename(place.path.with_name("moved"))
        place.path.symlink_to("/")

        assert place.capture().tree == TREE

"""Applets in a directory that commands could change: laid out once, and anew where one has."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pytest_quotebench.core.execution import Applets
from pytest_quotebench.core.tree import File, FileTree, Symlink
from pytest_quotebench.processes.applets import AppletDirectory

TREE = FileTree.of({"awk": Symlink("/bin/true"), "bash": File(b"#!/bin/sh\n", 0o755)})


@pytest.fixture
def directory() -> Iterator[AppletDirectory]:
    laid = AppletDirectory(Applets("mine", TREE))
    yield laid
    for root in laid.roots:
        root.remove()


def test_it_is_laid_out_once(directory: AppletDirectory) -> None:
    path = Path(directory.path())

    assert directory.path() == str(path)
    assert len(directory.roots) == 1
    assert path.name == "applets-mine"
    assert (str((path / "awk").readlink()), (path / "bash").read_bytes()) == ("/bin/true", b"#!/bin/sh\n")
    assert path.stat().st_mode & 0o777 == 0o555


def _replace_link(path: Path) -> None:
    path.chmod(0o755)
    (path / "awk").unlink()
    (path / "awk").symlink_to("/bin/false")


def _add(path: Path) -> None:
    path.chmod(0o755)
    (path / "more").write_bytes(b"")


def _rewrite(path: Path) -> None:
    (path / "bash").write_bytes(b"other")


def _remove(path: Path) -> None:
    path.chmod(0o755)
    for entry in path.iterdir():
        entry.unlink()
    path.rmdir()


@pytest.mark.parametrize("change", [_replace_link, _add, _rewrite, _remove])
def test_it_is_laid_out_anew_where_it_was_changed(
    directory: AppletDirectory, change: Callable[[Path], None]
) -> None:
    """Whatever was done to it: the kernel's time of change is nobody's to set."""
    path = Path(directory.path())
    change(path)

    other = Path(directory.path())

    assert other != path
    assert {entry.name for entry in other.iterdir()} == set(TREE)
    assert str((other / "awk").readlink()) == "/bin/true"
    assert (other / "bash").read_bytes() == b"#!/bin/sh\n"
    assert directory.path() == str(other)

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_quotebench.core.capture import capture_directory
from pytest_quotebench.core.errors import Broken
from pytest_quotebench.core.tree import Directory, File, FileTree, Special, Symlink
from pytest_quotebench.processes.directory import lay_out

ODD = FileTree.of(
    {
        "a b\n": File(b"", 0o600),
        "\udcff": File(b"\0\xff" * 1000, 0o4755),
        "shut": Directory(0),
        "shut/in/f": File(b"x", 0),
        "read-only": Directory(0o1555),
        "read-only/f": File(b"x", 0o777),
        "link": Symlink("/nowhere/\udcfe"),
        "-rf": Symlink("-rf"),
        "empty": Directory(0o2777),
    }
)


@pytest.fixture
def directory(tmp_path: Path) -> Iterator[int]:
    descriptor = os.open(tmp_path, os.O_RDONLY)
    yield descriptor
    os.close(descriptor)


@pytest.fixture(params=[0o000, 0o077, 0o777])
def umask(request: pytest.FixtureRequest) -> Iterator[None]:
    former = os.umask(request.param)
    yield
    os.umask(former)


def test_what_is_laid_out_is_what_is_read_whatever_the_umask_is(directory: int, umask: None) -> None:
    lay_out(ODD, directory)
    assert dict(capture_directory(directory).tree) == dict(ODD)


def test_an_ordinary_user_lays_out_what_it_may_not_enter_itself(users_directory: Path, as_user: None) -> None:
    descriptor = os.open(users_directory, os.O_RDONLY)
    lay_out(ODD, descriptor)
    assert dict(capture_directory(descriptor).tree) == dict(ODD)
    os.close(descriptor)


@pytest.mark.parametrize("kind", ["fifo", "socket", "char-device"])
def test_a_special_file_is_refused(directory: int, kind: str) -> None:
    with pytest.raises(Broken, match=f"a fixture cannot hold a {kind}") as raised:
        lay_out(FileTree({"f": Special(kind)}), directory)
    assert raised.value.detail == "layout"


def test_a_name_that_the_file_system_does_not_take_is_named(directory: int) -> None:
    with pytest.raises(Broken, match=r"cannot create 'x{256}' of the fixture: File name too long"):
        lay_out(FileTree.of({"x" * 256: ""}), directory)

"""What a transport asks a sandbox to start is checked where it is written down."""

from __future__ import annotations

import re
from typing import Any

import pytest

from pytest_quotebench.core.execution import DEFAULT_PATH, Applets, AuxPath, Invocation, whole_environment
from pytest_quotebench.core.tree import FileTree, Symlink


def test_arguments_are_bytes_and_paths_of_auxiliary_files() -> None:
    argv = (b"bash", AuxPath("script"), b"")

    assert Invocation(argv=argv).argv == argv


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (("bash", b"-c"), "argv[0] is of type str: an argument is bytes or an AuxPath"),
        ((b"bash", None), "argv[1] is of type NoneType: an argument is bytes or an AuxPath"),
        ("bash", "argv[0] is of type str: an argument is bytes or an AuxPath"),
        (b"bash", "argv[0] is of type int: an argument is bytes or an AuxPath"),
        ((b"bash", bytearray(b"-c")), "argv[1] is of type bytearray: an argument is bytes or an AuxPath"),
    ],
)
def test_an_argument_of_another_type_is_refused(argv: Any, message: str) -> None:
    with pytest.raises(TypeError, match=re.escape(message)):
        Invocation(argv=argv)


def test_nothing_to_start_is_refused() -> None:
    with pytest.raises(ValueError, match="argv is empty: its first element is the program to start"):
        Invocation(argv=())


def test_applets_come_first_in_whatever_path_there_is() -> None:
    """Also in one that the transport sets; without applets PATH is left alone."""
    applets = Applets("mine", FileTree({"sed": Symlink("/bin/cat")}))
    plain = Invocation(argv=(b"true",), applets=applets)
    own = Invocation(argv=(b"true",), env={"PATH": "/opt/bin", "A": "b"}, applets=applets)

    assert whole_environment(plain, "/task", "/aux/mine")["PATH"] == f"/aux/mine:{DEFAULT_PATH}"
    assert whole_environment(own, "/task", "/aux/mine")["PATH"] == "/aux/mine:/opt/bin"
    assert whole_environment(own, "/task", "/aux/mine")["A"] == "b"
    assert whole_environment(Invocation(argv=(b"true",)), "/task", "")["PATH"] == DEFAULT_PATH


def test_applets_are_compared_by_name_and_content() -> None:
    """A sandbox lays out each set once, however often it is found."""
    tree = FileTree({"sed": Symlink("/bin/cat")})

    assert {Applets("a", tree), Applets("a", FileTree(dict(tree)))} == {Applets("a", tree)}
    assert len({Applets("a", tree), Applets("b", tree), Applets("a", FileTree())}) == 3

"""What a transport asks a sandbox to start is checked where it is written down."""

from __future__ import annotations

import re
from typing import Any

import pytest

from pytest_quotebench.core.execution import AuxPath, Invocation


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

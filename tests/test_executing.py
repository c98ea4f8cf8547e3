"""`execute` runs one command along one path, without a task."""

from __future__ import annotations

import pytest

from pytest_quotebench import File, FileTree, execute
from pytest_quotebench.core.errors import BadInput, TransportError


def test_the_tree_afterwards_and_the_output_come_back() -> None:
    """Files go in by path, and the directory afterwards is part of the result."""
    result = execute("cat in.txt; tr a-z A-Z < in.txt > out.txt", sandbox="local", files={"in.txt": "abc"})

    assert (result.exit_status, result.signal, result.timed_out, result.detail) == (0, None, False, None)
    assert (result.stdout, result.stderr) == (b"abc", b"")
    assert result.tree == FileTree({"in.txt": File(b"abc"), "out.txt": File(b"ABC")})
    assert 0 < result.duration_s < 15


def test_bytes_reach_the_shell_exactly() -> None:
    """A command is text or bytes; bytes need not be UTF-8."""
    assert execute(b"printf '\xff\xfe' > out", sandbox="local").tree["out"] == File(b"\xff\xfe")


def test_a_transport_is_named() -> None:
    """The same command, one parser further."""
    assert execute('echo "a  b"', sandbox="local").stdout == b"a  b\n"
    assert execute('echo "a  b"', transport="nested", sandbox="local").stdout == b"a\n"


def test_the_deadline_ends_it() -> None:
    """`timeout` is in seconds."""
    result = execute("sleep 60", sandbox="local", timeout=0.2)

    assert result.timed_out
    assert result.duration_s < 5


def test_what_cannot_be_done_is_an_error() -> None:
    """Unknown names and commands that the transport cannot take."""
    with pytest.raises(BadInput, match="unknown transport 'nestd'"):
        execute("true", transport="nestd", sandbox="local")
    with pytest.raises(BadInput, match="unknown sandbox 'moon'"):
        execute("true", sandbox="moon")
    with pytest.raises(TransportError):
        execute("a\0b", sandbox="local")

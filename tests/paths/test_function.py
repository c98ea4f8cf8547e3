"""A command path that is a Python function."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

import pytest

from pytest_quotebench.core.errors import Broken, TransportError
from pytest_quotebench.core.execution import Execution
from pytest_quotebench.core.limits import Limits
from pytest_quotebench.core.tree import File, FileTree
from pytest_quotebench.paths.function import FunctionPath
from pytest_quotebench.replay import carry
from pytest_quotebench.sandboxes.local import open_sandbox
from pytest_quotebench.transports import HostPath, HostTransport
from pytest_quotebench.transports.raw import TRANSPORT as RAW


def bash(command: bytes, cwd: Path) -> tuple[int, bytes]:
    done = subprocess.run(["bash", "-c", command], cwd=cwd, capture_output=True, check=False)
    return done.returncode, done.stdout + done.stderr


async def refusing(command: bytes, cwd: Path) -> tuple[int, bytes]:
    raise ConnectionError("no engine")


def execute(path: FunctionPath, command: str, limits: Limits | None = None) -> Execution | TransportError:
    with open_sandbox() as sandbox:
        return carry(path, command, FileTree.of({"in": "x"}), sandbox, limits or Limits(wall_s=10))


def test_the_function_runs_in_a_directory_of_its_own() -> None:
    """What it leaves is the tree, what it returns the status and the output."""
    done = execute(FunctionPath("mine", bash), "cat in; printf '\\377' > out; exit 3")

    assert isinstance(done, Execution)
    assert (done.exit_status, done.signal, done.stderr, done.timed_out) == (3, None, b"x", False)
    assert done.tree == FileTree({"in": File(b"x"), "out": File(b"\xff")})


def test_a_signal_is_a_signal() -> None:
    """As `subprocess` tells it: a negative status."""
    done = execute(FunctionPath("mine", bash), "kill -9 $$")

    assert isinstance(done, Execution)
    assert (done.exit_status, done.signal) == (None, 9)


def test_an_exception_is_a_transport_error() -> None:
    """Also of a coroutine."""
    with pytest.raises(TransportError, match="mine raised ConnectionError: no engine") as refused:
        execute(FunctionPath("mine", refusing), "true")

    assert refused.value.detail == "refused"


def test_no_pair_is_broken() -> None:
    """The function's fault, not the command's."""
    with pytest.raises(Broken, match="the path 'mine': the path must return"):
        execute(FunctionPath("mine", lambda command, cwd: 0), "true")


def test_what_does_not_return_is_timed_out_and_the_next_command_runs() -> None:
    """The thread is left to itself."""

    def sometimes(command: bytes, cwd: Path) -> tuple[int, bytes]:
        if command == b"hang":
            time.sleep(5)
        return bash(command, cwd)

    path = FunctionPath("mine", sometimes)
    started = time.monotonic()
    hung = execute(path, "hang", Limits(wall_s=0.2))
    then = execute(path, "echo a > out")

    assert time.monotonic() - started < 4
    assert isinstance(hung, Execution)
    assert hung.timed_out
    assert isinstance(then, Execution)
    assert then.tree["out"] == File(b"a\n")


def test_it_runs_under_local_only() -> None:
    """A path through this machine is broken in any other sandbox, whoever asks."""

    class Elsewhere:
        name = "namespace"

        def run(self, *_: object) -> Execution:
            raise AssertionError

    with pytest.raises(Broken, match="cannot run in the sandbox 'namespace'"):
        carry(FunctionPath("mine", bash), "true", FileTree(), Elsewhere(), Limits())


def test_it_is_told_from_transports_that_stay_inside() -> None:
    """By what it offers."""
    assert isinstance(FunctionPath("mine", bash), HostPath)
    assert not isinstance(RAW, HostTransport)
    with pytest.raises(Broken, match="no sandbox can start it"):
        FunctionPath("mine", bash).plan("true")

"""bwrap's own life and death, and what it is told."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pytest_quotebench.core.errors import Broken
from pytest_quotebench.core.execution import Execution, Invocation
from pytest_quotebench.core.limits import Limits
from pytest_quotebench.core.tree import FileTree, Special
from pytest_quotebench.sandboxes import bubblewrap


@pytest.fixture(scope="module", autouse=True)
def granted() -> None:
    if reason := bubblewrap.refusal():
        pytest.skip(reason)


@pytest.fixture
def sandbox() -> Iterator[bubblewrap.BubblewrapSandbox]:
    with bubblewrap.open_sandbox() as opened:
        yield opened


def run(sandbox: bubblewrap.BubblewrapSandbox, command: str, wall_s: float = 10.0) -> Execution:
    invocation = Invocation(argv=(b"bash", b"-c", command.encode()))
    return sandbox.run(FileTree(), invocation, Limits(wall_s=wall_s))


def children() -> list[int]:
    return [int(child) for child in Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()]


def soon(holds: Callable[[], bool], seconds: float = 3.0) -> bool:
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


def test_a_bwrap_that_is_killed_breaks_its_item_and_not_the_next(sandbox: bubblewrap.BubblewrapSandbox) -> None:
    def kill() -> None:
        assert soon(lambda: bool(children()))
        time.sleep(0.2)
        os.kill(children()[0], signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    with pytest.raises(Broken) as broken:
        run(sandbox, "sleep 60", wall_s=30)
    killer.join()

    assert broken.value.detail == "bubblewrap"
    assert children() == []
    assert run(sandbox, "echo ok").stdout == b"ok\n"


def test_its_arguments_and_environment_tell_nothing(
    sandbox: bubblewrap.BubblewrapSandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The options, with all variables and paths in them, go through a descriptor (`--args`)."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary")
    said = run(sandbox, "tr '\\0' '\\n' < /proc/1/cmdline; echo; cat /proc/1/environ").stdout
    arguments, _, environment = said.partition(b"\n\n")
    assert environment == b""
    assert arguments.split(b"\n")[0].endswith(b"bwrap")
    assert b"--setenv" not in arguments
    assert b"--ro-bind" not in arguments


def test_what_bwrap_says_of_its_own_failure_is_in_the_error(sandbox: bubblewrap.BubblewrapSandbox) -> None:
    with pytest.raises(Broken, match="File name too long") as broken:
        sandbox.run(FileTree.of({"x" * 256: ""}), Invocation(argv=(b"true",)), Limits())
    assert broken.value.detail == "bubblewrap"
    with pytest.raises(Broken) as broken:
        sandbox.run(FileTree.of({"pipe": Special("fifo")}), Invocation(argv=(b"true",)), Limits())
    assert broken.value.detail == "layout"
    with pytest.raises(Broken) as broken:
        sandbox.run(FileTree(), Invocation(argv=(b"no-such-program",)), Limits())
    assert broken.value.detail == "spawn:ENOENT"
    assert run(sandbox, "echo ok").stdout == b"ok\n"


def test_an_exit_status_that_looks_like_a_signal_is_told_as_bwrap_tells_it(
    sandbox: bubblewrap.BubblewrapSandbox,
) -> None:
    for command in ("exit 137", "kill -9 $$"):
        ended = run(sandbox, command)
        assert (ended.exit_status, ended.signal, ended.timed_out) == (137, None, False)


def test_it_is_refused_where_the_program_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    said = bubblewrap.refusal()
    assert said == "the program bwrap is not installed: install the package bubblewrap, 0.8 or newer"


def test_it_is_refused_where_the_program_cannot_do_it(
    users_directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An older bwrap does not know an option: it is tried, not only looked for."""
    old = users_directory / "bwrap"
    old.write_text("#!/bin/sh\necho 'bwrap: Unknown option --disable-userns' >&2\nexit 1\n")
    old.chmod(0o755)
    monkeypatch.setenv("PATH", f"{users_directory}:/usr/bin:/bin")
    said = bubblewrap.refusal()
    assert said is not None
    assert said.endswith("bwrap: Unknown option --disable-userns")


def test_closing_leaves_no_process_and_no_descriptor() -> None:
    descriptors = {path.name for path in Path("/proc/self/fd").iterdir()}
    with bubblewrap.open_sandbox() as sandbox:
        run(sandbox, "(setsid sleep 100 &)")
        run(sandbox, "sleep 100", wall_s=0.1)
        assert children() == []
    assert {path.name for path in Path("/proc/self/fd").iterdir()} <= descriptors

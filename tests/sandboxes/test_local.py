"""What only `local` does."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from pytest_quotebench.core.errors import Broken
from pytest_quotebench.core.execution import Execution, Invocation
from pytest_quotebench.core.limits import Limits
from pytest_quotebench.core.tree import Directory, File, FileTree
from pytest_quotebench.processes.keeping import can_be_kept
from pytest_quotebench.sandboxes.local import LocalSandbox, open_sandbox, refusal


@pytest.fixture
def temporary(users_directory: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory for temporary files with nothing in it."""
    monkeypatch.setattr(tempfile, "tempdir", str(users_directory))
    return users_directory


def run(sandbox: LocalSandbox, command: str, tree: FileTree | None = None, wall_s: float = 5) -> Execution:
    invocation = Invocation(argv=(b"bash", b"-c", command.encode()))
    return sandbox.run(tree or FileTree(), invocation, Limits(wall_s=wall_s))


def test_it_is_there_on_every_posix_system() -> None:
    assert refusal() is None


def test_its_directory_is_private_and_empty_between_runs_and_gone_at_the_end(temporary: Path) -> None:
    with open_sandbox() as sandbox:
        (root,) = temporary.iterdir()
        assert root.stat().st_mode & 0o7777 == 0o700
        assert root.name.startswith("qb-")
        run(sandbox, "mkdir -p a/b/c; touch a/b/f ../escaped; chmod 0 a/b a")
        assert list(root.iterdir()) == []
    assert list(temporary.iterdir()) == []


def test_an_ordinary_user_loses_and_leaves_nothing(temporary: Path, as_user: None) -> None:
    command = "mkdir -p d/e; echo x > d/e/f; echo y > g; chmod 0 d/e/f d/e d g; chmod 0 . ..; (setsid sleep 300 &)"
    with open_sandbox() as sandbox:
        ended = run(sandbox, command)
        assert dict(ended.tree) == {
            "d": Directory(0),
            "d/e": Directory(0),
            "d/e/f": File(b"x\n", 0),
            "g": File(b"y\n", 0),
        }
        assert list(next(temporary.iterdir()).iterdir()) == []
    assert list(temporary.iterdir()) == []


@pytest.mark.parametrize("failure", [KeyboardInterrupt, Broken])
def test_a_failure_leaves_nothing_either(temporary: Path, failure: type[BaseException]) -> None:
    def interrupt() -> None:
        os.kill(os.getpid(), 2)

    def fail(sandbox: LocalSandbox) -> None:
        if failure is Broken:
            sandbox.run(FileTree.of({"f": ""}), Invocation(argv=(b"no-such-program",)), Limits())
        threading.Timer(0.1, interrupt).start()
        run(sandbox, "touch f; sleep 5")

    with open_sandbox() as sandbox:
        with pytest.raises(failure):
            fail(sandbox)
        assert list(next(temporary.iterdir()).iterdir()) == []
        assert run(sandbox, "echo ok").stdout == b"ok\n"
    assert list(temporary.iterdir()) == []


@pytest.mark.parametrize(
    "attack",
    [
        "cd /; rm -rf ${HOME%/*/*}",
        "mv ${HOME%/*/*} ${HOME%/*/*}.moved; ln -s /etc ${HOME%/*/*}",
        "mv $HOME $HOME.moved; ln -s /etc $HOME; echo x > $HOME.moved/f",
        "mv ${HOME%/*} ${HOME%/*}.moved; ln -s /etc ${HOME%/*}",
        "chmod 0 ${HOME%/*/*}",
    ],
)
@pytest.mark.filterwarnings("ignore:could not remove")
def test_the_next_command_runs_whatever_became_of_our_directories(temporary: Path, attack: str) -> None:
    etc = sorted(Path("/etc").iterdir())
    with open_sandbox() as sandbox:
        run(sandbox, attack)
        ended = run(sandbox, "cat in.txt; pwd", FileTree.of({"in.txt": "in\n"}))
        assert ended.stdout.startswith(b"in\n" + os.fsencode(temporary.resolve()))
        assert ended.tree == FileTree.of({"in.txt": "in\n"})
    assert sorted(Path("/etc").iterdir()) == etc


def test_the_tree_is_read_where_it_went_and_not_where_a_link_points(temporary: Path) -> None:
    with open_sandbox() as sandbox:
        ended = run(sandbox, "mv $HOME $HOME.moved; ln -s /etc $HOME; echo x > $HOME.moved/f")
    assert dict(ended.tree) == {"f": File(b"x\n")}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can leave what its owner cannot remove")
def test_what_cannot_be_removed_is_told_with_its_path(temporary: Path) -> None:
    os.setresuid(65534, 65534, 0)
    try:
        sandbox = LocalSandbox()
        theirs = next(temporary.iterdir()) / "theirs"
        os.setresuid(0, 0, 0)
        theirs.mkdir()
        (theirs / "f").touch()
        os.setresuid(65534, 65534, 0)
        run(sandbox, "true")
        with pytest.warns(RuntimeWarning, match=rf"could not remove {temporary}/qb-.*'f'"):
            sandbox.close()
    finally:
        os.setresuid(0, 0, 0)


def test_sandboxes_in_two_threads_do_not_end_each_others_commands() -> None:
    def work() -> None:
        with open_sandbox() as sandbox:
            found.extend(run(sandbox, "(sleep 0.05; echo x > f) & wait; (sleep 9 &)").tree for _ in range(5))

    found: list[FileTree] = []
    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [FileTree.of({"f": "x\n"})] * 10


def test_a_terminal_is_not_to_be_had() -> None:
    with open_sandbox() as sandbox, pytest.raises(Broken, match="no terminal") as raised:
        sandbox.run(FileTree(), Invocation(argv=(b"true",), tty=True), Limits())
    assert raised.value.detail == "unsupported"


def test_temporary_files_never_lie_in_a_git_repository(temporary: Path) -> None:
    (temporary / ".git").mkdir()
    with pytest.raises(Broken, match=r"in the git repository .*: set TMPDIR"), open_sandbox():
        pass
    assert list(temporary.iterdir()) == [temporary / ".git"]


def test_no_place_for_temporary_files_is_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", "/nowhere")
    with pytest.raises(Broken, match="cannot make a directory for temporary files"), open_sandbox():
        pass


PROGRAM = """
import sys
sys.path.insert(0, sys.argv[1])
from pytest_quotebench.core.execution import Invocation
from pytest_quotebench.core.limits import Limits
from pytest_quotebench.core.tree import FileTree
from pytest_quotebench.sandboxes.local import open_sandbox
with open_sandbox() as sandbox:
    command = f"(setsid sleep {sys.argv[2]} &); sleep {sys.argv[2]}"
    sandbox.run(FileTree(), Invocation(argv=(b"bash", b"-c", command.encode())), Limits(wall_s=60))
"""


@pytest.mark.skipif(not can_be_kept(), reason="there is no keeper here that could see to it")
@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGTERM])
def test_nothing_outlives_the_process_that_opened_it(temporary: Path, ending: signal.Signals) -> None:
    seconds = f"1{os.getpid()}.{time.monotonic_ns() % 10**9}"

    def sleepers() -> int:
        found = 0
        for path in Path("/proc").glob("[0-9]*/cmdline"):
            with suppress(OSError):
                found += path.read_bytes() == b"sleep\0" + seconds.encode() + b"\0"
        return found

    root = Path(__file__).resolve().parents[2]
    environment = {**os.environ, "TMPDIR": str(temporary)}
    with subprocess.Popen([sys.executable, "-c", PROGRAM, str(root), seconds], env=environment) as process:
        assert soon(lambda: sleepers() == 2)
        process.send_signal(ending)
    assert soon(lambda: sleepers() == 0)


def soon(holds: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + 10
    while not holds():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


ELSEWHERE = """
import os, resource, select, signal, socket, sys
for module, name in (
    (os, "pidfd_open"), (os, "waitid"), (os, "O_PATH"), (os, "memfd_create"), (os, "POSIX_SPAWN_CLOSEFROM"),
    (signal, "pidfd_send_signal"), (socket, "MSG_CMSG_CLOEXEC"), (select, "epoll"), (resource, "RLIMIT_MSGQUEUE"),
):
    if hasattr(module, name):
        delattr(module, name)
sys.platform = "darwin"
sys.path.insert(0, sys.argv[1])
from pytest_quotebench.core.execution import Invocation
from pytest_quotebench.core.limits import Limits
from pytest_quotebench.core.tree import FileTree
from pytest_quotebench.sandboxes.local import open_sandbox
with open_sandbox() as sandbox:
    command = b"(sleep 300 &); cat; echo $PPID; head -c 17M /dev/zero > g; exit 3"
    ended = sandbox.run(FileTree(), Invocation(argv=(b"bash", b"-c", command), stdin=b"in"), Limits(wall_s=10))
    print(ended.exit_status, ended.detail, ended.stdout == b"in%d\\n" % os.getpid())
"""
"""As on a system without what only Linux has."""


def test_it_needs_nothing_that_only_linux_has(temporary: Path) -> None:
    root = Path(__file__).resolve().parents[2]
    environment = {**os.environ, "TMPDIR": str(temporary)}
    ended = subprocess.run(
        [sys.executable, "-c", ELSEWHERE, str(root)], env=environment, capture_output=True, text=True, check=False
    )
    assert ended.stdout == "3 limit:file-size True\n", ended.stderr
    assert list(temporary.iterdir()) == []

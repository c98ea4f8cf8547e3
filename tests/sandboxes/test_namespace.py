"""The helper of the namespace sandbox: its life and death, what it leaves of this process alone, its refusals."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pytest_quotebench.core.errors import Broken
from pytest_quotebench.core.execution import Execution, Invocation
from pytest_quotebench.core.limits import Limits, TreeLimits
from pytest_quotebench.core.tree import FileTree
from pytest_quotebench.processes import cgroups
from pytest_quotebench.processes.namespaces.client import Client
from pytest_quotebench.processes.namespaces.kernel import StepFailed
from pytest_quotebench.processes.namespaces.refusals import explain_refusal
from pytest_quotebench.processes.users import User
from pytest_quotebench.sandboxes import namespace

ROOT = Path(__file__).resolve().parents[2]
HELPER, ZYGOTE, INIT, COMMAND = range(4)
"""Each is the only child of the one before."""


@pytest.fixture(scope="module", autouse=True)
def granted() -> None:
    if reason := namespace.refusal():
        pytest.skip(reason)


@pytest.fixture
def sandbox() -> Iterator[namespace.NamespaceSandbox]:
    with namespace.open_sandbox() as opened:
        yield opened


def bash(command: str) -> Invocation:
    return Invocation(argv=(b"bash", b"-c", command.encode()))


def run(sandbox: namespace.NamespaceSandbox, command: str, wall_s: float = 10.0) -> Execution:
    return sandbox.run(FileTree(), bash(command), Limits(wall_s=wall_s))


def descent(process: int | None = None) -> list[int]:
    """Return the processes below this one (or `process`), child by child."""
    found: list[int] = []
    while True:
        parent = found[-1] if found else process or os.getpid()
        try:
            children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
        except OSError:  # it has ended in between
            return found
        if not children:
            return found
        found.append(int(children[0]))


def is_gone(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_bytes().rpartition(b")")[2].split()[0]
    except OSError:
        return True
    return state == b"Z"


def soon(holds: Callable[[], bool], seconds: float = 3.0) -> bool:
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


@pytest.mark.parametrize("who", [HELPER, ZYGOTE, INIT], ids=["helper", "zygote", "init"])
def test_a_helper_that_is_killed_breaks_its_item_and_not_the_next(
    sandbox: namespace.NamespaceSandbox, who: int
) -> None:
    assert run(sandbox, "echo ok").stdout == b"ok\n"
    killed: list[int] = []

    def kill() -> None:
        assert soon(lambda: len(descent()) == 4)
        killed.extend(descent())
        os.kill(killed[who], signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    start = time.monotonic()
    with pytest.raises(Broken) as broken:
        run(sandbox, "sleep 60", wall_s=30)
    killer.join()

    assert broken.value.detail == "helper"
    assert time.monotonic() - start < 5
    assert soon(lambda: all(is_gone(process) for process in killed))
    assert cgroups_of(killed[HELPER]) == []
    assert run(sandbox, "echo ok").stdout == b"ok\n"


@pytest.mark.parametrize("who", [HELPER, ZYGOTE, INIT], ids=["helper", "zygote", "init"])
def test_a_helper_that_is_killed_between_items_breaks_none(sandbox: namespace.NamespaceSandbox, who: int) -> None:
    run(sandbox, "true")
    assert soon(lambda: len(descent()) == 3)
    processes = descent()
    os.kill(processes[who], signal.SIGKILL)
    assert soon(lambda: is_gone(processes[who]))
    time.sleep(0.1)
    assert run(sandbox, "echo ok").stdout == b"ok\n"


def test_a_command_that_is_killed_from_outside_has_a_signal(sandbox: namespace.NamespaceSandbox) -> None:
    def kill() -> None:
        assert soon(lambda: len(descent()) >= 4)
        os.kill(descent()[COMMAND], signal.SIGUSR1)

    killer = threading.Thread(target=kill)
    killer.start()
    assert run(sandbox, "while :; do sleep 1 & wait; done").signal == signal.SIGUSR1
    killer.join()


LIVES = """
import sys, time
sys.path.append(sys.argv[1])
from pytest_quotebench.core.execution import Invocation
from pytest_quotebench.core.limits import Limits
from pytest_quotebench.core.tree import FileTree
from pytest_quotebench.processes.users import User
from pytest_quotebench.sandboxes import namespace
with namespace.open_sandbox() as sandbox:
    sandbox.run(FileTree(), Invocation(argv=(b"true",)), Limits())
    print("open", flush=True)
    sandbox.run(FileTree(), Invocation(argv=(b"bash", b"-c", b"sleep 99 & sleep 99")), Limits(wall_s=60))
"""


@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_nothing_outlives_the_process_that_opened_it(ending: signal.Signals) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", LIVES, str(ROOT)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"open\n"
        assert soon(lambda: len(descent(process.pid)) >= 4)
        if may_make_cgroups():
            assert cgroups_of(descent(process.pid)[HELPER])
        below = descent(process.pid)
        start = time.monotonic()
        process.send_signal(ending)
        process.wait(5)
    assert soon(lambda: all(is_gone(each) for each in below), 2)
    assert time.monotonic() - start < 4
    assert soon(lambda: not cgroups_of(below[HELPER]))


def may_make_cgroups() -> bool:
    made = cgroups.create(2**30, 10)
    if made is not None:
        made.remove()
    return made is not None


def cgroups_of(helper: int) -> list[Path]:
    """The cgroups that a helper has made, wherever they were granted."""
    return list(Path("/sys/fs/cgroup").glob(f"**/qb-{helper}-*"))


def test_closing_leaves_no_process_and_no_descriptor() -> None:
    descriptors = {path.name for path in Path("/proc/self/fd").iterdir()}
    with namespace.open_sandbox() as sandbox:
        run(sandbox, "(setsid sleep 100 &)")
        run(sandbox, "sleep 100", wall_s=0.1)
        below = descent()
        assert below
    assert soon(lambda: all(is_gone(process) for process in below))
    assert descent() == []
    assert {path.name for path in Path("/proc/self/fd").iterdir()} <= descriptors


def test_this_process_stays_as_it_was(sandbox: namespace.NamespaceSandbox) -> None:
    before = state_of_this_process()
    run(sandbox, "kill -9 -1")
    run(sandbox, "sleep 5", wall_s=0.1)
    assert state_of_this_process() == before


def state_of_this_process() -> dict[str, object]:
    mask = os.umask(0o022)
    os.umask(mask)
    status = Path("/proc/self/status").read_text().splitlines()
    return {
        "umask": mask,
        "namespaces": {
            name: Path("/proc/self/ns", name).readlink() for name in ("user", "mnt", "pid", "net", "ipc")
        },
        "status": [
            line
            for line in status
            if line.startswith(("SigB", "SigI", "SigC", "Cap", "Uid", "Gid", "Groups", "NoNew", "Secc"))
        ],
        "session": os.getsid(0),
        "directory": Path.cwd(),
    }


def test_the_start_does_not_wait_for_long(sandbox: namespace.NamespaceSandbox) -> None:
    """The aim is 200 ms; it is 60 ms on an idle machine, and this one may be anything but idle."""
    start = time.monotonic()
    run(sandbox, "true")
    assert time.monotonic() - start < 2


def test_other_limits_get_another_helper(sandbox: namespace.NamespaceSandbox) -> None:
    run(sandbox, "true")
    first = descent()[HELPER]
    run(sandbox, "true", wall_s=5)
    assert descent()[HELPER] == first
    small = Limits(tree=TreeLimits(entries=10))
    assert sandbox.run(FileTree(), bash("df --output=itotal . | tail -1"), small).stdout.split() == [b"26"]
    assert descent()[HELPER] != first
    assert is_gone(first)


def test_an_item_before_which_the_layout_fails_harms_no_other(sandbox: namespace.NamespaceSandbox) -> None:
    with pytest.raises(Broken) as broken:
        sandbox.run(FileTree.of({"x" * 256: ""}), bash("true"), Limits())
    assert broken.value.detail == "layout"
    with pytest.raises(Broken) as broken:
        sandbox.run(FileTree(), Invocation(argv=(b"no-such-program",)), Limits())
    assert broken.value.detail == "spawn:ENOENT"
    assert run(sandbox, "echo ok").stdout == b"ok\n"


def test_a_program_is_looked_for_where_path_says(sandbox: namespace.NamespaceSandbox) -> None:
    invocation = Invocation(argv=(b"sh",), env={"PATH": "/nowhere:/usr/bin"}, stdin=b"echo ok")
    assert sandbox.run(FileTree(), invocation, Limits()).stdout == b"ok\n"


def test_a_terminal_is_not_given(sandbox: namespace.NamespaceSandbox) -> None:
    with pytest.raises(Broken) as broken:
        sandbox.run(FileTree(), Invocation(argv=(b"true",), tty=True), Limits())
    assert broken.value.detail == "unsupported"


def refusal_under(*wrapper: str) -> str:
    code = (
        "import sys; sys.path.append(sys.argv[1]); from pytest_quotebench.sandboxes import namespace; "
        "print(namespace.refusal())"
    )
    ended = subprocess.run(
        [*wrapper, sys.executable, "-c", code, str(ROOT)], capture_output=True, text=True, check=False
    )
    if not ended.stdout:
        pytest.skip(f"{wrapper[0]} is refused here: {ended.stderr.strip()}")
    return ended.stdout.strip()


def test_a_kernel_without_user_namespaces_is_told_by_its_switch() -> None:
    switch_off = 'echo 0 > /proc/sys/user/max_user_namespaces; exec "$@"'
    said = refusal_under("unshare", "--user", "--map-root-user", "sh", "-c", switch_off, "sh")
    assert said == (
        "the kernel refused a step: clone into new namespaces: No space left on device; user namespaces are "
        "switched off: run `sudo sysctl -w user.max_user_namespaces=10000`"
    )


def test_a_proc_that_is_covered_is_told() -> None:
    cover = 'mount -t tmpfs none /proc/scsi 2>/dev/null || mount -t tmpfs none /proc/sys; exec "$@"'
    said = refusal_under("unshare", "--user", "--map-root-user", "--mount", "sh", "-c", cover, "sh")
    assert said.startswith(
        "the kernel refused a step: mount proc on proc: Operation not permitted; parts of /proc"
    )


def test_a_container_that_forbids_namespaces_is_told() -> None:
    code = (
        "import os, platform, sys; sys.path.append(sys.argv[1]); "
        "from pytest_quotebench.processes.namespaces import kernel, seccomp; "
        "kernel.prctl('', kernel.PR_SET_NO_NEW_PRIVS, 1); "
        "kernel.install_filter(seccomp.filter_program(platform.machine())); os.execvp(sys.argv[2], sys.argv[2:])"
    )
    said = refusal_under(sys.executable, "-c", code, str(ROOT))
    assert said.startswith("the kernel refused a step: clone into new namespaces: Operation not permitted; ")
    assert "--security-opt seccomp=unconfined" in said


def test_a_refusal_that_nobody_foresaw_names_step_and_answer() -> None:
    said = explain_refusal(StepFailed("drop all capabilities", errno.EIO))
    assert said == "the kernel refused a step: drop all capabilities: Input/output error"


def test_a_helper_that_cannot_start_is_an_error_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")
    start = time.monotonic()
    with pytest.raises(Broken) as broken, namespace.open_sandbox() as sandbox:
        run(sandbox, "true")
    assert broken.value.detail == "helper"
    assert time.monotonic() - start < 2


def test_a_client_closes_everything_where_its_start_fails() -> None:
    descriptors = {path.name for path in Path("/proc/self/fd").iterdir()}
    parameters = namespace._parameters(Limits())._replace(user=User(1234, 2**32 - 1))
    with pytest.raises(StepFailed):
        Client(parameters)
    assert {path.name for path in Path("/proc/self/fd").iterdir()} <= descriptors
    assert descent() == []

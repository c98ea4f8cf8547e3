"""What an item of `namespace` and of `bubblewrap` can see and do, asked from inside."""

from __future__ import annotations

import json
import os
import platform
import re
import shutil
import time
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from errno import EAFNOSUPPORT, ENOSYS, EPERM
from importlib import import_module
from pathlib import Path
from signal import SIGXCPU

import pytest

from pytest_quotebench.core.execution import MAX_REPORT_BYTES, REPORT, AuxPath, Execution, Invocation
from pytest_quotebench.core.limits import Limits, TreeLimits
from pytest_quotebench.core.tree import File, FileTree
from pytest_quotebench.processes.namespaces import seccomp
from pytest_quotebench.processes.namespaces.view import SYSTEM
from pytest_quotebench.sandboxes import Sandbox

Run = Callable[..., Execution]

PYTHON = "/usr/bin/python3"
DEVICES = ("null", "zero", "full", "random", "urandom", "tty")
BWRAP_DEVICES = {f"/dev/{name}" for name in DEVICES}
"""bwrap leaves the devices' own mounts writable, which are one device each."""
needs_python = pytest.mark.skipif(
    not shutil.which(PYTHON), reason=f"{PYTHON}, which an item could run, is not here"
)
COLUMN = {"x86_64": 0, "aarch64": 1}.get(platform.machine(), 0)


@pytest.fixture(scope="module", params=["namespace", "bubblewrap"])
def sandbox(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    module = import_module(f"pytest_quotebench.sandboxes.{request.param}")
    if reason := module.refusal():
        pytest.skip(f"{request.param}: {reason}")
    with module.open_sandbox() as opened:
        yield opened


def lines(ended: Execution) -> list[str]:
    return ended.stdout.decode().splitlines()


def test_only_the_installed_system_is_there(run: Run) -> None:
    there = set(lines(run("ls -A /")))
    assert {"usr", "etc", "dev", "proc", "tmp", "task"} <= there
    assert there <= {"usr", "etc", "dev", "proc", "tmp", "task", "aux", "run", "var", *SYSTEM}
    assert lines(
        run("ls -A /run; ls -A /tmp /dev/shm | grep -v :; cat /etc/shadow /etc/machine-id 2>/dev/null")
    ) == [""]


WRITABLE = {"/proc", "/tmp", "/task", "/dev/pts", "/dev/shm"}


def test_nothing_but_its_own_directories_can_be_written_to(run: Run) -> None:
    mounts = [line.split() for line in lines(run("cat /proc/self/mountinfo"))]
    assert {fields[4] for fields in mounts if "rw" in fields[5].split(",")} <= WRITABLE | BWRAP_DEVICES
    assert all("nosuid" in fields[5] for fields in mounts)
    found = lines(run("find / -path /proc -prune -o -path /usr -prune -o -writable ! -type l -print 2>/dev/null"))
    assert set(found) <= WRITABLE | {f"/dev/{name}" for name in (*DEVICES, "pts/ptmx")}


@pytest.mark.parametrize(
    "command",
    [
        "echo x > /etc/passwd",
        "echo x > /x",
        "touch /usr/bin/x",
        "mkdir /aux/x",
        "chmod 777 /",
        "rm /etc/passwd",
        "ln -s x /dev/x",
        "chmod 0 /dev/null",
        "echo x > /proc/sys/kernel/core_pattern",
        "echo x > /proc/sysrq-trigger",
    ],
)
def test_the_system_cannot_be_changed(run: Run, command: str) -> None:
    assert run(command).exit_status != 0


def test_it_is_nobody_special(run: Run) -> None:
    status = dict(
        line.split(":\t") for line in lines(run("grep -E '^(Uid|Gid|Cap|NoNew|Seccomp:)' /proc/self/status"))
    )
    assert set(status["Uid"].split()) == set(status["Gid"].split()) == {"1000"}
    assert {int(value, 16) for name, value in status.items() if name.startswith("Cap")} == {0}
    assert (status["NoNewPrivs"], status["Seccomp"]) == ("1", "2")


def test_outside_it_is_an_ordinary_user(run: Run) -> None:
    mark = uuid.uuid4().hex
    with ThreadPoolExecutor(1) as thread:
        running = thread.submit(run, "sleep 0.5", env={"QB_MARK": mark})
        while not (found := users_of(mark)) and not running.done():
            time.sleep(0.02)
        running.result()
    assert found == {65534 if os.geteuid() == 0 else os.geteuid()}


def users_of(mark: str) -> set[int]:
    users = set()
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if mark.encode() in (process / "environ").read_bytes():
                users |= {
                    int(user)
                    for user in re.findall(r"^Uid:\t(\d+)\t", (process / "status").read_text(), re.MULTILINE)
                }
    return users


def test_it_sees_no_process_but_its_own(run: Run) -> None:
    assert len(lines(run("ls /proc | grep -c '^[0-9]'"))) == 1
    assert int(lines(run("ls /proc | grep -c '^[0-9]'"))[0]) <= 4
    assert b"pytest" not in run(
        "cat /proc/*/cmdline /proc/*/comm 2>/dev/null | tr '\\0' ' '; true"
    ).stdout.replace(b"pytest_", b"")


def test_its_first_process_cannot_be_ended_or_looked_into(run: Run) -> None:
    assert (
        run("kill -9 1; kill -INT 1; kill -TERM 1; kill -HUP 1; kill -STOP 1; sleep 0.1; echo ok").stdout
        == b"ok\n"
    )
    assert run("sleep 100 & kill -9 -1; echo ok").stdout == b"ok\n"
    assert run("cat /proc/1/environ; true").stdout.strip(b"\0") == b""
    assert run("cat /proc/1/mem; true").stdout == b""


def test_there_is_no_network(run: Run) -> None:
    assert lines(run("tail -n +3 /proc/net/dev | cut -d: -f1")) == ["    lo"]
    assert len(lines(run("cat /proc/net/route"))) <= 1
    assert run("exec 3<>/dev/tcp/192.0.2.1/80").exit_status == 1
    assert run("exec 3<>/dev/udp/192.0.2.1/53 && echo x >&3").exit_status == 1


@needs_python
def test_a_server_of_its_own_is_reached(run: Run) -> None:
    """The loopback interface is up: a command may start a service and ask it."""
    code = "from socket import *; s = create_server(('', 0)); create_connection(s.getsockname()); print('ok')"
    assert run(f'{PYTHON} -c "{code}"').stdout == b"ok\n"


PROBE = f"""
import ctypes, json, os
libc = ctypes.CDLL(None, use_errno=True)
def call(number, *arguments):
    ctypes.set_errno(0)
    result = libc.syscall(ctypes.c_long(number), *[ctypes.c_long(a) for a in arguments])
    return 0 if result >= 0 else ctypes.get_errno()
def family(number):
    import socket
    try:
        socket.socket(number, socket.SOCK_DGRAM).close()
    except OSError as error:
        return error.errno
    return 0
answers = {{}}
for name, numbers in json.load(open("calls.json")).items():
    answers[name] = call(numbers) if numbers is not None else None
answers["clone"] = call({(56, 220)[COLUMN]}, 0x10000000 | 17)
answers["ioctl"] = call({(16, 29)[COLUMN]}, 0, 0x5412, 0)
answers["vsock"], answers["alg"], answers["packet"], answers["unix"] = map(family, (40, 38, 17, 1))
print(json.dumps(answers))
"""


@needs_python
def test_the_filter_is_in_force(run: Run) -> None:
    """Each refused call is made; the tables themselves are tested in processes/namespaces/test_seccomp.py."""
    calls = {name: numbers[COLUMN] for name, numbers in (*seccomp.REFUSED.items(), *seccomp.MISSING.items())}
    ended = run(f"{PYTHON} probe.py", {"probe.py": PROBE, "calls.json": json.dumps(calls)})
    answers = json.loads(ended.stdout)
    for name in seccomp.REFUSED:
        assert answers[name] in (EPERM, None), name
    for name in seccomp.MISSING:
        assert answers[name] in (ENOSYS, None), name
    assert (answers["clone"], answers["ioctl"]) == (EPERM, EPERM)
    assert (answers["vsock"], answers["alg"], answers["packet"]) == (EAFNOSUPPORT,) * 3
    assert answers["unix"] == 0


def test_programs_that_gain_rights_do_not(run: Run) -> None:
    assert run("unshare -U true").exit_status != 0
    assert run("mount -t tmpfs x /tmp").exit_status != 0
    assert run("chroot / true").exit_status != 0
    assert b"uid=0" not in run("sudo -n id; echo id | newgrp root; true").stdout


def test_the_names_that_a_shell_user_knows_are_there(run: Run) -> None:
    assert lines(run("id -un; id -gn; hostname; cd ~; pwd; getent hosts localhost | tr -s ' '"))[:4] == [
        "user",
        "user",
        "sandbox",
        "/task",
    ]
    ended = run(
        "echo out > /dev/stdout; echo err > /dev/stderr; : < /dev/null; head -c1 /dev/urandom > x; [ -s x ]"
    )
    assert (ended.exit_status, ended.stdout) == (0, b"out\n")
    assert ended.stderr == b"err\n"


@needs_python
def test_a_session_of_its_own_can_have_a_terminal(run: Run) -> None:
    """A driver plays a terminal inside the sandbox; none of this machine's is there."""
    ended = run(f'{PYTHON} -c \'import pty; pty.spawn(["bash", "-c", "tty; echo hi > /dev/tty"])\'')
    assert ended.stdout.replace(b"\r", b"") == b"/dev/pts/0\nhi\n"
    assert run("tty; ls /dev/pts").stdout == b"not a tty\nptmx\n"


def test_what_one_item_leaves_no_other_finds(run: Run) -> None:
    run("echo x > /tmp/x; echo x > /dev/shm/y; mkfifo /var/tmp/z; echo x > ~/.bashrc; ipcmk -M 100; true")
    assert run("ls -A /tmp /dev/shm ~ | grep -v : | grep .; ipcs -m | grep 0x; true").stdout == b""


def test_directories_are_limited_in_bytes(run: Run) -> None:
    small = TreeLimits(total_bytes=2**20, entries=100, file_bytes=2**20)
    fill = "for i in 1 2 3 4; do head -c 512K /dev/zero > $i; done"
    ended = run(f"(cd /tmp; {fill}); (cd /dev/shm; {fill}); cat /tmp/? | wc -c", tree=small)
    assert ended.exit_status == 0
    assert 2**20 <= int(ended.stdout) <= 2**20 + 100 * 4096
    assert ended.detail is None
    assert run(fill, tree=small).detail == "limit:tree"
    assert run("echo ok > x").detail is None


def test_auxiliary_files_cannot_be_changed(sandbox: Sandbox) -> None:
    script = (
        b"echo x >> $0; chmod 777 $0; rm $0; touch ${0%/*}/new; mv ${0%/*} /tmp/a; cat $0 | head -c 4; ls ${0%/*}"
    )
    invocation = Invocation(argv=(b"bash", AuxPath("script")), aux_files={"script": File(script)})
    for _ in range(2):
        assert sandbox.run(FileTree(), invocation, Limits(wall_s=5)).stdout == b"echoscript\n"


def driver(sandbox: Sandbox, command: str) -> bytes:
    argv = (b"bash", b"-c", command.encode(), b"driver", AuxPath(REPORT))
    return sandbox.run(FileTree(), Invocation(argv=argv, reports=True), Limits(wall_s=5)).report


def test_a_driver_leaves_word(sandbox: Sandbox) -> None:
    assert driver(sandbox, "true") == b""
    assert driver(sandbox, '[ -e "$1" ] && printf "\\0word" > "$1"; sleep 100 & chmod 0 "$1"') in (b"\0word", b"")
    assert driver(sandbox, 'printf word >> "$1"') == b"word"


@pytest.mark.parametrize(
    "attack",
    ['rm "$1"', 'rm "$1"; mkfifo "$1"', 'ln -sf /etc/passwd "$1"', 'rm "$1"; mkdir "$1"', 'ln -sf /dev/zero "$1"'],
)
def test_something_else_in_the_reports_place_is_no_word(sandbox: Sandbox, attack: str) -> None:
    assert driver(sandbox, attack) == b""


def test_a_report_is_bounded(sandbox: Sandbox) -> None:
    assert driver(sandbox, 'head -c 10M /dev/zero > "$1"') == bytes(MAX_REPORT_BYTES)


def test_cpu_time_is_limited(run: Run, sandbox: Sandbox) -> None:
    ended = run("while :; do :; done", cpu_s=1, wall_s=60.0)
    assert SIGXCPU in (ended.signal, (ended.exit_status or 128) - 128)
    assert not ended.timed_out
    assert ended.detail == "limit:cpu"


def test_processes_are_limited(run: Run) -> None:
    ended = run(":(){ :|:& };:; sleep 0.5; ls /proc | grep -c '^[0-9]'", wall_s=2, processes=30)
    assert ended.detail == "limit:pids" or b"Resource temporarily unavailable" in ended.stderr
    assert run("echo ok").stdout == b"ok\n"


@needs_python
def test_memory_is_limited(run: Run) -> None:
    ended = run(f"{PYTHON} -c 'x = bytearray(10**9); print(len(x))'; true", memory_bytes=2**28)
    assert ended.stdout == b""
    assert ended.detail == "limit:memory" or b"MemoryError" in ended.stderr


def test_sysv_and_mqueues_are_not_there(run: Run) -> None:
    assert run("ipcmk -Q || ipcmk -S 1 || ipcmk -M 100").exit_status != 0


def test_python_of_this_process_is_not_there(run: Run) -> None:
    here = Path(__file__).resolve().parents[2]
    assert run(f"ls {here}; ls {Path.home()}").stdout == b""

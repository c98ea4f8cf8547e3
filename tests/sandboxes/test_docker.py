"""What only `docker` does, on a real engine; without one, what it says of that."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_quotebench.core.case import Case
from pytest_quotebench.core.errors import Broken
from pytest_quotebench.core.execution import AuxPath, Execution, Invocation
from pytest_quotebench.core.limits import Limits, TreeLimits
from pytest_quotebench.core.task import tasks_by_id
from pytest_quotebench.core.tree import File, FileTree
from pytest_quotebench.processes.containers import containers, images, ownership
from pytest_quotebench.processes.containers.engine import connected
from pytest_quotebench.processes.containers.places import FIRST_UID, UIDS
from pytest_quotebench.registry import Registry, built_in
from pytest_quotebench.replay import Bench, conclude, replay
from pytest_quotebench.sandboxes.docker import DockerSandbox, open_sandbox, refusal
from pytest_quotebench.store.replies import read_replies
from pytest_quotebench.versions import tool_versions
from quotebench_tasks import load_tasks

if TYPE_CHECKING:
    from docker import DockerClient

ROOT = Path(__file__).resolve().parents[2]
TINY = Limits(
    wall_s=5, memory_bytes=64 * 2**20, processes=40, cpu_s=1, tree=TreeLimits(entries=2000, total_bytes=4 * 2**20)
)
REFUSAL = refusal()

needs_engine = pytest.mark.skipif(REFUSAL is not None, reason=f"docker: {REFUSAL}")


@pytest.fixture(scope="module")
def client() -> Iterator[DockerClient]:
    with connected() as opened:
        yield opened


@pytest.fixture(scope="module")
def sandbox() -> Iterator[DockerSandbox]:
    with open_sandbox() as opened:
        yield opened


def run(sandbox: DockerSandbox, command: str, tree: FileTree | None = None, limits: Limits = TINY) -> Execution:
    return sandbox.run(tree or FileTree(), Invocation(argv=(b"bash", b"-c", command.encode())), limits)


def ours(client: DockerClient, run_id: str | None = None) -> list[str]:
    """Return the ids of the containers of one run, or of this process."""
    wanted = f"{ownership.RUN}={run_id}" if run_id else f"{ownership._PROCESS}={ownership._process(os.getpid())}"
    return [found["Id"] for found in client.api.containers(all=True, filters={"label": wanted})]


# --- what it is refused for --------------------------------------------------------------------------------------


def test_no_engine_is_refused_at_once_with_what_to_do(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/nobody.sock")
    start = time.monotonic()
    reason = refusal()
    assert reason is not None
    assert reason.startswith(f"no docker engine answers at unix://{tmp_path}/nobody.sock: ")
    assert "DOCKER_HOST" in reason
    assert time.monotonic() - start < 2
    with pytest.raises(Broken, match="no docker engine answers"), open_sandbox():
        pass


def test_no_docker_package_is_refused_with_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "docker", None)
    assert "pip install docker" in str(refusal())


@needs_engine
@pytest.mark.parametrize(
    ("variable", "value", "says"),
    [
        (images.IMAGE, "quotebench.invalid/none:1", "docker pull it"),
        (images.BASE, "quotebench.invalid/none:1", f"name another Debian with {images.BASE}"),
    ],
)
def test_no_image_is_refused_soon_with_the_ways_out(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str, says: str
) -> None:
    monkeypatch.setenv(variable, value)
    start = time.monotonic()
    reason = str(refusal())
    assert value in reason
    assert says in reason
    assert time.monotonic() - start < 4
    with pytest.raises(Broken, match=r"quotebench\.invalid/none"), open_sandbox():
        pass


@needs_engine
def test_an_image_without_python_is_broken_and_leaves_no_container(
    client: DockerClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = ours(client)
    name = f"quotebench-test-{os.getpid()}"
    empty = subprocess.run(["tar", "-c", "-T", "/dev/null"], capture_output=True, check=True).stdout
    client.api.import_image_from_data(empty, repository=name, tag="empty")
    try:
        monkeypatch.setenv(images.IMAGE, f"{name}:empty")
        assert refusal() is None
        with open_sandbox() as opened, pytest.raises(Broken, match=r"python3.*Python 3\.11 or newer"):
            run(opened, "true")
        assert ours(client) == before
    finally:
        client.images.remove(f"{name}:empty")


# --- what a container is -----------------------------------------------------------------------------------------


@needs_engine
def test_a_container_has_no_network_no_host_path_and_four_capabilities(
    client: DockerClient, sandbox: DockerSandbox
) -> None:
    run(sandbox, "true")
    assert sandbox._container is not None
    found = client.api.inspect_container(sandbox._container._container.id)
    host = found["HostConfig"]
    assert host["NetworkMode"] == "none"
    assert host["ReadonlyRootfs"]
    assert not host["Privileged"]
    assert not host["Binds"]
    assert found["Mounts"] == []
    assert "no-new-privileges" in host["SecurityOpt"]
    assert host["CapDrop"] == ["ALL"]
    assert len(host["CapAdd"]) == 4
    assert host["IpcMode"] == "none"
    assert host["PidsLimit"] == TINY.processes + 1
    assert host["Memory"] == host["MemorySwap"] < 2 * 2**30
    assert host["NanoCpus"] > 0
    assert all("size=" in options and "nosuid,nodev" in options for options in host["Tmpfs"].values())
    assert not {name for name in os.environ if name.startswith(("OPENAI", "QB_"))} & {
        line.partition("=")[0] for line in found["Config"]["Env"]
    }


@needs_engine
def test_an_item_is_an_ordinary_user_without_rights_and_can_write_in_three_places(sandbox: DockerSandbox) -> None:
    said = run(
        sandbox, "id -u; id -G; grep -E 'CapPrm|CapEff|CapAmb|NoNewPrivs|Seccomp:' /proc/self/status"
    ).stdout
    uid, groups, *status = said.decode().split("\n")
    assert FIRST_UID <= int(uid) < FIRST_UID + UIDS
    assert groups == uid
    assert [line.split()[1] for line in status if line] == ["0" * 16] * 3 + ["1", "2"]
    places = run(
        sandbox, "find / -xdev -writable ! -type l ! -path '/proc/*' 2>/dev/null; find /dev -writable -type d"
    )
    assert set(places.stdout.decode().split()) == {"/tmp", "/var/tmp", "/dev/mqueue"}


@needs_engine
@pytest.mark.parametrize(
    "attack",
    [
        "kill -9 1",
        "kill -STOP 1",
        "kill -9 -1",
        "cat /proc/1/environ",
        "cat /proc/1/mem",
        "cat /proc/1/maps",
        "ls /proc/1/fd/",
        "echo x > /proc/1/fd/1",
        "echo 1000 > /proc/1/oom_score_adj",
        "echo ready > /qb/agent",
        "touch /usr/bin/x",
        "touch /etc/x",
        "touch ../x",
        "mv /qb/task /qb/other",
        "mknod n c 1 5",
        "chown 20002 .",
        "unshare -Ur true",
        "unshare -n true",
        "echo x > /proc/sys/kernel/core_pattern",
        "touch /dev/mqueue/x",
        "echo > /dev/shm/x",
        "echo > /dev/tcp/192.0.2.1/80",
        "python3 -c 'import ctypes, sys; sys.exit(ctypes.CDLL(None).ptrace(16, 1, 0, 0))'",
        "python3 -c 'import os; os.setuid(0)'",
        "python3 -c 'import os; os.setuid(20001 if os.getuid() != 20001 else 20002)'",
    ],
)
def test_the_agent_and_the_system_are_out_of_reach(sandbox: DockerSandbox, attack: str) -> None:
    """What is tried fails, the item goes on, and the next one finds everything as always."""
    ended = run(sandbox, f"{attack}; echo status $?")
    assert ended.stdout.rpartition(b"status ")[2] not in (b"", b"0\n")
    assert ended.stdout.count(b"\n") == 1
    assert run(sandbox, "ls -A . /tmp").stdout == b".:\n\n/tmp:\n"


# --- nothing of an item is left for the next ---------------------------------------------------------------------

LEAVINGS = """
mkdir -p /var/tmp/a /tmp/a/b /tmp/c d; touch /tmp/a/b/f /tmp/.h '/tmp/a
b' d/f; ln -s / /tmp/l; mkfifo /tmp/p; chmod 0 /tmp/a/b /tmp/a d
python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("/tmp/s")'
python3 - <<'P'
import ctypes
libc = ctypes.CDLL(None)
for made in libc.shmget(7, 64, 0o1777), libc.msgget(7, 0o1777), libc.semget(7, 1, 0o1777):
    print(made)
print(libc.mq_open(b"/q", 0o102, 0o777, None), libc.syscall(248, b"user", b"k", b"v", 1, -3))
P
(setsid sleep 300 &); (trap '' TERM HUP; while :; do :; done) &
"""


@needs_engine
def test_no_file_process_ipc_object_or_key_is_left_for_the_next(sandbox: DockerSandbox) -> None:
    assert run(sandbox, LEAVINGS).stdout.split() == [b"-1"] * 5
    said = run(
        sandbox,
        "ls -A . /tmp /dev/mqueue /var/tmp; tail -qn +2 /proc/sysvipc/*; readlink /proc/[0-9]*/cwd",
    ).stdout
    assert said == b".:\n\n/dev/mqueue:\n\n/tmp:\n\n/var/tmp:\n/qb/task\n"


@needs_engine
def test_items_have_users_of_their_own_in_turn_and_reuse_is_clean(sandbox: DockerSandbox) -> None:
    seen = [int(run(sandbox, "id -u; touch f /tmp/f; (sleep 300 &)").stdout) for _ in range(UIDS + 2)]
    assert len(set(seen)) == UIDS
    assert seen[:2] == seen[UIDS:]
    assert run(sandbox, "ls -A . /tmp").stdout == b".:\n\n/tmp:\n"


@needs_engine
def test_twenty_items_leave_everything_flat(client: DockerClient, sandbox: DockerSandbox) -> None:
    """Containers, the container's processes and memory as the engine tells them, and our descriptors."""

    def footprint() -> tuple[int, int, int]:
        run(sandbox, "true")
        assert sandbox._container is not None
        found, deadline = 0, time.monotonic() + 5
        while found != 2 and time.monotonic() < deadline:  # the agent, and the next item's first process
            found = len(client.api.top(sandbox._container._container.id)["Processes"])
        return len(ours(client)), found, len(list(Path("/proc/self/fd").iterdir()))

    before = footprint()
    for _ in range(20):
        run(sandbox, "head -c 1M /dev/zero > /tmp/x; mkdir d; echo x > d/f; (setsid sleep 300 &)")
    after = footprint()
    assert after[:2] == before[:2]
    assert after[2] <= before[2]


@needs_engine
def test_a_deadline_reaches_the_processes_in_the_container(client: DockerClient, sandbox: DockerSandbox) -> None:
    limits = replace(TINY, wall_s=0.3)
    start = time.monotonic()
    ended = run(sandbox, "trap '' TERM; echo here; (setsid sleep 300 &); sleep 300", limits=limits)
    assert (ended.timed_out, ended.signal, ended.stdout) == (True, 9, b"here\n")
    assert time.monotonic() - start < 3
    assert sandbox._container is not None
    assert len(client.api.top(sandbox._container._container.id)["Processes"]) <= 2


# --- limits ------------------------------------------------------------------------------------------------------


@needs_engine
@pytest.mark.parametrize(
    ("attack", "detail"),
    [
        ("head -c 2G /dev/zero | tail -n 1", "limit:memory"),
        (
            "head -c 2G /dev/zero > /tmp/x; head -c 2G /dev/zero > x; head -c 2G /dev/zero | tail -n 1",
            "limit:memory",
        ),
        ("for i in 1 2 3; do (head -c 2G /dev/zero | tail -n 1) & done; wait", "limit:memory"),
        ("f() { f | f & }; f; sleep 0.2; kill -9 -1", "limit:pids"),
        ("seq 60 | xargs -P 60 -I x sleep 0.5", "limit:pids"),
        ("while :; do :; done", "limit:cpu"),
        ("head -c 2G /dev/zero > x", "limit:tree"),
        ("seq 5000 | xargs touch", "limit:tree"),
        ("yes | head -c 80M", "limit:output"),
    ],
)
def test_a_limit_is_told_and_the_agent_outlives_it(sandbox: DockerSandbox, attack: str, detail: str) -> None:
    run(sandbox, "true")
    container = sandbox._container
    ended = run(sandbox, f"{{ {attack}; }} 2>/dev/null; exit 0")
    assert ended.detail == detail
    assert run(sandbox, "ls -A . /tmp").stdout == b".:\n\n/tmp:\n"
    assert sandbox._container is container


@needs_engine
def test_signals_and_words_alone_hit_no_limit(sandbox: DockerSandbox) -> None:
    for attack in ("kill -KILL $$", "kill -XCPU $$", "echo Killed >&2; exit 137"):
        assert run(sandbox, attack).detail is None


# --- trees -------------------------------------------------------------------------------------------------------


@needs_engine
def test_large_trees_go_in_and_come_out_whole(sandbox: DockerSandbox) -> None:
    tree = FileTree.of(
        {"large": os.urandom(16 * 2**20), "d/also": b"\0" * 2**23, **{f"e/{n}": b"x" for n in range(500)}}
    )
    assert run(sandbox, "true", tree, Limits()).tree == tree


@needs_engine
def test_names_beyond_what_a_head_holds_are_a_limit_and_not_a_fault(sandbox: DockerSandbox) -> None:
    """9,000 paths of 1,000 bytes: within the limits on entries and depth."""
    deep = "/".join(["$a"] * 3)
    command = (
        f"a=$(printf 'a%.0s' {{1..250}}); mkdir -p {deep}; cd {deep}; seq -f ${{a:0:240}}%.0f 9000 | xargs touch"
    )
    ended = run(sandbox, command, limits=Limits())
    assert (ended.detail, ended.exit_status) == ("limit:tree", 0)
    assert ended.tree == FileTree()


@needs_engine
def test_what_a_fixture_cannot_hold_is_broken_and_the_next_one_runs(sandbox: DockerSandbox) -> None:
    with pytest.raises(Broken, match="File name too long") as raised:
        run(sandbox, "true", FileTree.of({"x" * 256: ""}))
    assert raised.value.detail == "layout"
    with pytest.raises(Broken) as raised:
        sandbox.run(FileTree(), Invocation(argv=(b"no-such-program",)), TINY)
    assert raised.value.detail == "spawn:ENOENT"
    assert run(sandbox, "echo ok").stdout == b"ok\n"


@needs_engine
def test_a_drivers_report_comes_back_and_anything_else_in_its_place_does_not(sandbox: DockerSandbox) -> None:
    def reported(command: str) -> bytes:
        argv = (b"bash", b"-c", command.encode(), AuxPath("report"))
        return sandbox.run(FileTree(), Invocation(argv=argv, reports=True), TINY).report

    assert reported("true") == b""
    assert reported('printf "a\\377" > "$0"') == b"a\xff"
    assert reported('head -c 1M /dev/zero > "$0"') == bytes(2**16)
    assert reported('chmod u+w "${0%/*}"; rm "$0"; ln -s /etc/passwd "$0"') == b""
    assert reported('chmod u+w "${0%/*}"; rm "$0"; mkfifo "$0"') == b""
    assert reported('chmod 0 "${0%/*}"') == b""


# --- when the container or the run goes --------------------------------------------------------------------------


def in_background(action: Callable[[], object], delay_s: float = 0.3) -> threading.Timer:
    timer = threading.Timer(delay_s, action)
    timer.start()
    return timer


@needs_engine
def test_a_container_that_goes_in_the_middle_is_broken_and_replaced(client: DockerClient) -> None:
    with open_sandbox() as opened:
        run(opened, "true")
        assert opened._container is not None
        gone = opened._container._container.id
        timer = in_background(lambda: client.api.remove_container(gone, force=True))
        with pytest.raises(Broken, match="the container has ended") as raised:
            run(opened, "sleep 4")
        timer.join()
        assert raised.value.detail == "docker"
        assert run(opened, "echo ok").stdout == b"ok\n"
        assert gone not in ours(client)


@needs_engine
def test_a_container_that_goes_between_items_is_replaced_unnoticed(client: DockerClient) -> None:
    with open_sandbox() as opened:
        run(opened, "true")
        assert opened._container is not None
        client.api.remove_container(opened._container._container.id, force=True)
        time.sleep(0.2)  # until the connection's end has come
        assert run(opened, "echo ok").stdout == b"ok\n"


@needs_engine
def test_a_container_that_does_not_answer_is_broken_after_the_hosts_own_deadline(
    client: DockerClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_sandbox() as opened:
        run(opened, "true")
        assert opened._container is not None
        held = opened._container._container.id
        monkeypatch.setattr(containers, "_PATIENCE_S", 0.5)
        timer = in_background(lambda: client.api.pause(held), 0.2)
        limits = Limits(
            **{
                **{name: getattr(TINY, name) for name in ("memory_bytes", "processes", "cpu_s", "tree")},
                "wall_s": 0.5,
            }
        )
        with pytest.raises(Broken, match="does not answer"):
            run(opened, "sleep 5", limits=limits)
        timer.join()
        monkeypatch.undo()
        assert held not in ours(client)
        assert run(opened, "echo ok").stdout == b"ok\n"


@needs_engine
def test_an_interrupt_leaves_no_container_and_the_next_item_runs(client: DockerClient) -> None:
    before = ours(client)
    with open_sandbox() as opened:
        run(opened, "true")
        timer = in_background(lambda: os.kill(os.getpid(), signal.SIGINT))
        with pytest.raises(KeyboardInterrupt):
            run(opened, "sleep 4")
        timer.join()
        assert ours(client) == before
        assert run(opened, "echo ok").stdout == b"ok\n"
    assert ours(client) == before


KILLED_RUN = """
import sys
from pytest_quotebench.core.execution import Invocation
from pytest_quotebench.core.limits import Limits
from pytest_quotebench.core.tree import FileTree
from pytest_quotebench.sandboxes.docker import open_sandbox

with open_sandbox() as sandbox:
    sandbox.run(FileTree(), Invocation(argv=(b"true",)), Limits())
    print(sandbox._container._container.id, flush=True)
    sandbox.run(FileTree(), Invocation(argv=(b"sleep", b"60")), Limits(wall_s=60))
"""


@needs_engine
def test_the_container_of_a_killed_run_goes_at_the_next_start_and_that_of_a_live_one_stays(
    client: DockerClient, sandbox: DockerSandbox
) -> None:
    run(sandbox, "true")
    command = [sys.executable, "-c", KILLED_RUN]
    killed, alive = (subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) for _ in range(2))
    try:
        assert killed.stdout is not None
        assert alive.stdout is not None
        lost, kept = killed.stdout.readline().strip(), alive.stdout.readline().strip()
        time.sleep(0.2)  # the second item of each has begun
        killed.kill()
        killed.wait()
        assert {lost, kept} <= everything(client)
        with open_sandbox():
            pass
        assert is_soon_gone(client, lost)
        assert kept in everything(client)
        assert run(sandbox, "echo ok").stdout == b"ok\n"
        alive.kill()
        alive.wait()
        with open_sandbox():
            pass
        assert is_soon_gone(client, kept)
    finally:
        for process in killed, alive:
            process.kill()
            process.communicate()


def everything(client: DockerClient) -> set[str]:
    return {found["Id"] for found in client.api.containers(all=True)}


def is_soon_gone(client: DockerClient, container: str) -> bool:
    """Tell whether it goes within five seconds: another process may be removing it, or the engine itself."""
    deadline = time.monotonic() + 5
    while container in everything(client) and time.monotonic() < deadline:
        time.sleep(0.05)
    return container not in everything(client)


@needs_engine
def test_a_container_ends_with_its_run_when_it_has_no_item(client: DockerClient) -> None:
    """Without a next start: its input ends, it ends, and the engine removes it."""
    text = KILLED_RUN.replace('(b"sleep", b"60")', '(b"true",)') + "    sys.stdin.read()\n"
    process = subprocess.Popen(
        [sys.executable, "-c", text], stdout=subprocess.PIPE, stdin=subprocess.PIPE, cwd=ROOT
    )
    try:
        assert process.stdout is not None
        found = process.stdout.readline().decode().strip()
        time.sleep(0.2)
        process.kill()
        process.wait()
        assert is_soon_gone(client, found)
    finally:
        process.kill()
        process.communicate()


# --- fresh containers, versions, counts --------------------------------------------------------------------------


@needs_engine
def test_fresh_mode_has_a_container_for_each_item(client: DockerClient) -> None:
    before = ours(client)
    with open_sandbox("fresh") as opened:
        for _ in range(2):
            ended = run(opened, "test ! -e /tmp/x && touch /tmp/x && cat in.txt", FileTree.of({"in.txt": "in\n"}))
            assert ended.stdout == b"in\n"
            assert dict(ended.tree) == {"in.txt": File(b"in\n")}
            assert ours(client) == before
    assert ours(client) == before


@needs_engine
def test_the_images_digest_is_among_the_versions(client: DockerClient, sandbox: DockerSandbox) -> None:
    found = tool_versions(sandbox)
    assert found["image"] == client.images.get(found["image"]).id
    assert found["bash"].startswith("5.")


@needs_engine
def test_the_stored_replies_pass_as_often_as_without_a_container(sandbox: DockerSandbox) -> None:
    """unnamed-frontier, trial 0: RR, RN, NR, NN as under every other sandbox."""
    tasks = tasks_by_id(load_tasks())
    bench = Bench(
        contracts=Registry("contract", built_in("contracts", "CONTRACT")),
        transports=Registry("transport", built_in("transports", "TRANSPORT")),
        sandbox=sandbox,
    )
    passed = dict.fromkeys(
        (f"{contract}/{transport}" for contract in ("raw", "disclosed") for transport in ("raw", "nested")), 0
    )
    for reply in read_replies(ROOT / "replies/unnamed-frontier", tasks).replies:
        if reply.trial == 0 and reply.contract in ("raw", "disclosed"):
            for transport in ("raw", "nested"):
                case = Case(task=tasks[reply.task], reply=reply, transport=transport)
                passed[f"{reply.contract}/{transport}"] += conclude(replay(case, bench)).verdict.passed
    assert passed == {"raw/raw": 56, "raw/nested": 17, "disclosed/raw": 14, "disclosed/nested": 56}

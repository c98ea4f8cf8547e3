"""`docker-exec` on a real engine: what it does to commands, and that nothing but its one container is reached."""

from __future__ import annotations

import gc
import io
import json
import os
import shutil
import subprocess
import tarfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from pytest_quotebench.core.cleanup import clean
from pytest_quotebench.core.errors import Broken
from pytest_quotebench.core.escaping import inside_double_quotes, shell_word
from pytest_quotebench.core.execution import Execution
from pytest_quotebench.core.judge import judge
from pytest_quotebench.core.limits import Limits, TreeLimits
from pytest_quotebench.core.task import tasks_by_id
from pytest_quotebench.core.tree import Directory, File, FileTree, Special, Symlink
from pytest_quotebench.core.verdict import VerdictClass
from pytest_quotebench.processes.broker.ends import NEAR
from pytest_quotebench.processes.containers import images, ownership
from pytest_quotebench.processes.containers.engine import connected
from pytest_quotebench.processes.containers.places import FIRST_UID, UIDS
from pytest_quotebench.sandboxes import local, namespace
from pytest_quotebench.sandboxes.local import LocalSandbox
from pytest_quotebench.store.replies import read_replies
from pytest_quotebench.transports.docker_exec import TRANSPORT
from pytest_quotebench.transports.nested import TRANSPORT as NESTED
from quotebench_tasks import load_tasks

if TYPE_CHECKING:
    from docker import DockerClient

REFUSAL = TRANSPORT.refusal()
pytestmark = pytest.mark.skipif(REFUSAL is not None, reason=f"docker: {REFUSAL}")

REPLIES = Path(__file__).resolve().parents[2] / "replies" / "unnamed-frontier"
TASKS = tasks_by_id(load_tasks())
SOON = Limits(wall_s=20)

Run = Callable[..., Execution]


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Any]:
    opened = namespace if namespace.refusal() is None else local
    with opened.open_sandbox() as found:
        yield found


@pytest.fixture(scope="module")
def client() -> Iterator[DockerClient]:
    with connected() as opened:
        yield opened


@pytest.fixture(scope="module", autouse=True)
def closed() -> Iterator[None]:
    """No container of this module's is there afterwards."""
    yield
    TRANSPORT.close()
    with connected() as opened:
        assert ours(opened) == []


def ours(client: DockerClient) -> list[str]:
    wanted = f"{ownership._PROCESS}={ownership._process(os.getpid())}"
    return [found["Id"] for found in client.api.containers(all=True, filters={"label": wanted})]


@pytest.fixture
def run(sandbox: Any) -> Run:
    def run(command: str, tree: FileTree | None = None, limits: Limits = SOON) -> Execution:
        return TRANSPORT.carry(sandbox.run, tree or FileTree(), command, limits)

    return run


def quoted(command: str) -> str:
    """Return a command as it must be pasted to arrive as it is at the container's own shell."""
    return inside_double_quotes(command)


def living(run: Run) -> set[bytes]:
    """Return the names of what lives in the container, an exec's own shell and tools among them."""
    asked = (
        "for p in /proc/[0-9]*; do grep -q 'State:.[ZX]' $p/status 2>/dev/null || cat $p/comm 2>/dev/null; done"
    )
    return set(run(quoted(asked)).stdout.split())


def test_a_command_runs_in_the_container_on_the_fixture_as_an_ordinary_user(run: Run) -> None:
    tree = FileTree.of({"a b": File(b"x\n"), "d/run": File(b"#!/bin/sh\n", 0o755), "l": Symlink("a b")})
    asked = "pwd; id -u; umask; ls -ld . | cut -c1-10; cat 'a b'; hostname; grep -c . /proc/net/route; echo $0"
    ended = run(quoted(asked), tree)
    place, uid, umask, mode, content, host, routes, shell = ended.stdout.decode().split("\n")[:-1]

    assert (place, umask, mode, content, host, shell) == ("/qb/task", "0022", "drwxr-xr-x", "x", "sandbox", "sh")
    assert FIRST_UID <= int(uid) < FIRST_UID + UIDS
    assert routes == "1"  # the heading
    assert dict(ended.tree) == dict(tree)
    assert (ended.exit_status, ended.stderr, ended.detail) == (0, b"", None)


def test_its_environment_is_that_of_the_raw_path_in_the_container(run: Run) -> None:
    variables = dict(line.split("=", 1) for line in run("env").stdout.decode().splitlines())
    variables.pop("HOSTNAME", None)

    assert variables == {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": "/qb/task",
        "PWD": "/qb/task",
        "LC_ALL": "C",
        "LANG": "C",
        "TERM": "dumb",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "safe.directory",
        "GIT_CONFIG_VALUE_0": "*",
    }


def test_it_has_no_rights_and_no_way_to_the_agent(run: Run) -> None:
    status = run(quoted("grep -E 'Cap(Inh|Prm|Eff|Amb)|NoNewPrivs|Seccomp:' /proc/self/status")).stdout
    assert [line.split()[1] for line in status.splitlines()] == [b"0" * 16] * 4 + [b"1", b"2"]
    for attack in ("kill -9 1", "kill -9 -1", "cat /proc/1/environ", "echo x >/proc/1/fd/1", "touch /etc/x /qb/x"):
        assert run(quoted(f"{attack}; echo $?")).stdout.strip() != b"0"
    assert run("ls -A . /tmp").stdout == b".:\n\n/tmp:\n"


@pytest.mark.parametrize("command", ["exit 3", "kill -9 $$", "nothing-there", 'echo "'])
def test_the_status_is_the_container_s(run: Run, command: str) -> None:
    expected = {"exit 3": 3, "kill -9 $$": 137, "nothing-there": 127, 'echo "': 2}

    assert run(quoted(command)).exit_status == expected[command]


def test_output_comes_back_whole_and_apart(run: Run) -> None:
    ended = run(quoted("seq 60000; seq 9 >&2"))

    assert (ended.stdout_length, ended.stderr) == (348_894, b"1\n2\n3\n4\n5\n6\n7\n8\n9\n")


def test_output_beyond_the_limit_ends_it(run: Run) -> None:
    ended = run("yes", limits=Limits(wall_s=20, output_bytes=2**20))

    assert ended.detail == "limit:output"
    assert b"yes" not in living(run)


@pytest.mark.parametrize(
    ("command", "limits", "detail"),
    [
        (
            "python3 -c 'print(len(400 * 2**20 * b\"x\"))'",
            Limits(wall_s=20, memory_bytes=2**27),
            "limit:memory",
        ),
        ("for i in $(seq 90); do sleep 30 & done", Limits(wall_s=20, processes=40), "limit:pids"),
        ("head -c 3000 /dev/zero >f", Limits(wall_s=20, tree=TreeLimits(file_bytes=2000)), "limit:file-size"),
        ("seq 60 | xargs touch", Limits(wall_s=20, tree=TreeLimits(entries=50)), "limit:tree"),
    ],
)
def test_limits_that_are_met_are_the_verdict_s_detail(run: Run, command: str, limits: Limits, detail: str) -> None:
    assert run(quoted(command), limits=limits).detail == detail


def test_limits_of_a_process_are_those_of_the_other_sandboxes(run: Run) -> None:
    assert run(quoted("ulimit -c; ulimit -n; ulimit -l")).stdout.split() == [b"0", b"1024", b"0"]


def test_a_hang_ends_at_the_deadline_and_nothing_of_it_goes_on(run: Run, client: DockerClient) -> None:
    attack = "(trap '' TERM HUP; setsid sleep 3077) & while :; do date >>f; done"
    ended = run(quoted(attack), limits=Limits(wall_s=1))

    assert ended.timed_out
    assert isinstance(ended.tree["f"], File)
    processes = client.api.top(ours(client)[0])["Processes"]
    assert "sleep 3077" not in str(processes)
    assert not {b"sleep", b"date"} & living(run)


def test_what_outlives_its_command_is_gone_before_the_state_is_read(run: Run) -> None:
    started = time.monotonic()
    ended = run(quoted("(setsid sh -c 'sleep 1; while :; do date >>late; done' >/dev/null 2>&1 &); echo x >f"))
    assert ended.tree == FileTree({"f": File(b"x\n")})
    time.sleep(max(0.0, 1.5 - (time.monotonic() - started)))
    assert dict(run("ls").tree) == {}


def test_a_child_that_keeps_the_output_holds_the_client_as_the_engine_does(run: Run) -> None:
    """Docker's own client, 28.2 with engine 20.10, comes back after 2 s, with status 0."""
    ended = run(quoted("sleep 30 & echo hi"))

    assert (ended.stdout, ended.exit_status, ended.timed_out) == (b"hi\n", 0, False)
    assert ended.duration_s < 15


def test_no_input_is_attached(run: Run) -> None:
    assert run("cat; echo end").stdout == b"end\n"


def test_bytes_that_are_no_utf8_are_replaced_as_docker_s_client_does(run: Run, client: DockerClient) -> None:
    word = b"printf %s \xff\xc3\xe2\x82\xf0\x9f\x98\xed\xa0\x80\xc3\xa9"
    through = run(word.decode("utf-8", "surrogateescape") + " >f").tree["f"]
    assert through == File(b"\xef\xbf\xbd" * 10 + b"\xc3\xa9")
    if shutil.which("docker"):
        real = subprocess.run(
            ["docker", "exec", ours(client)[0], "sh", "-c", word], capture_output=True, check=True
        )
        assert through == File(real.stdout)


# --- the local side --------------------------------------------------------------------------------------------


def test_what_breaks_out_of_the_quotes_runs_in_the_sandbox_and_is_an_extra_entry(run: Run) -> None:
    task = TASKS["write-file-t0"]
    right = run(quoted(task.oracle), task.fixture.tree)
    also = run(f'{quoted(task.oracle)}"; mkdir -p d; echo x >d/f; "', task.fixture.tree)

    assert judge(task, right).kind is VerdictClass.PASS
    assert also.tree[f"{NEAR}/d/f"] == File(b"x\n")
    assert judge(task, also).kind is VerdictClass.ENVIRONMENT_INVALID


def test_a_far_entry_of_the_same_name_hides_nothing(run: Run) -> None:
    ended = run(quoted(f"echo far >'{NEAR}'") + '"; echo near >f; "')

    assert dict(ended.tree) == {
        NEAR: File(b"far\n"),
        f"{NEAR}'": Directory(),
        f"{NEAR}'/f": File(b"near\n"),
    }


def test_the_local_shell_sees_neither_the_fixture_nor_the_engine(run: Run) -> None:
    tree = FileTree.of({"only-there": "x"})
    ended = run('"; echo *; env; ls -A /run /var/run 2>&1; "', tree)

    assert b"only-there" not in ended.stdout
    assert b"DOCKER" not in ended.stdout
    if namespace.refusal() is None:
        assert b"docker.sock" not in ended.stdout


@pytest.mark.parametrize(
    ("call", "says", "status"),
    [
        ("docker exec other sh -c true", b"Error response from daemon: No such container: other", 1),
        ("docker ps", b"docker: 'ps' is not done here, only 'exec box sh -c'", 1),
        ("docker run -v /:/host box sh -c true", b"is not done here", 1),
        ("docker exec --privileged box sh -c true", b"No such container: --privileged", 1),
        ("docker exec -u 0 box sh -c true", b"No such container: -u", 1),
        ("docker exec box id", b"is not done here", 1),
        ("docker exec box", b"is not done here", 1),
        ("docker", b"broker: no words", 1),
    ],
)
def test_any_other_call_is_refused(run: Run, call: str, says: bytes, status: int) -> None:
    ended = run(f'"; {call}; echo $?; "')

    assert says in ended.stderr
    assert ended.stdout.splitlines()[0] == b"%d" % status


def test_a_forged_message_reaches_nothing_but_the_container(run: Run) -> None:
    """What a reply sends itself is what its stub could have sent: words behind the one prefix, or nothing."""
    program = """
import os, socket
def call(*words):
    body = b"".join(word.encode() + b"\\0" for word in words)
    with socket.socket(socket.AF_UNIX) as s:
        s.connect(os.environ["PATH"].split(":")[0] + "/broker")
        s.sendall(len(body).to_bytes(4, "big") + body)
        s.shutdown(1)
        return b"".join(iter(lambda: s.recv(65536), b""))
print(call("exec", "box", "sh", "-c", "echo inside-$(hostname)"))
print(call("exec", "-u0", "box", "sh", "-c", "id"))
print(call("--host=tcp://192.0.2.1", "exec", "box", "sh", "-c", "id"))
print(call("exec", "../../images/json?", "sh", "-c", "id"))
"""
    word = program.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n")
    inside, *others = run(f"\"; python3 -c $'{word}'; \"").stdout.splitlines()

    assert b"inside-sandbox" in inside
    assert len(others) == 3
    assert all(b"uid=" not in other and b"x\\x00\\x00\\x00\\x01\\x01" in other for other in others)


def test_a_client_that_is_killed_leaves_its_command_to_the_end_of_the_item(run: Run) -> None:
    ended = run('"; (docker exec box sh -c "echo x >f; sleep 30") & sleep 1; kill -9 $!; pkill -9 python3; "')

    assert ended.tree == FileTree({"f": File(b"x\n")})
    assert b"sleep" not in living(run)


# --- many items ------------------------------------------------------------------------------------------------


def test_thirty_items_leave_no_container_process_socket_thread_or_descriptor(
    run: Run, client: DockerClient
) -> None:
    def footprint() -> tuple[int, int, int]:
        run("true")
        gc.collect()  # of what other tests have let go of
        assert not {b"sleep", b"true"} & living(run)
        return len(ours(client)), len(list(Path("/proc/self/fd").iterdir())), threading.active_count()

    containers, descriptors, threads = footprint()
    for number in range(30):
        ended = run(quoted(f"echo {number} >f; (sleep 300 >/dev/null 2>&1 &)"))
        assert ended.tree == FileTree({"f": File(b"%d\n" % number)})
    after = footprint()
    assert (after[0], after[2]) == (containers, threads)
    # Fewer: the package docker closes the connection of its first question when it comes upon it again.
    assert after[1] <= descriptors


def test_a_container_that_is_killed_breaks_its_item_and_not_the_next(run: Run, client: DockerClient) -> None:
    run("true")
    (container,) = ours(client)
    timer = threading.Timer(0.7, lambda: client.api.kill(container))
    timer.start()
    with pytest.raises(Broken):
        run("sleep 30")
    timer.join()

    assert run("echo on").stdout == b"on\n"
    assert container not in ours(client)


def test_the_results_name_the_image(run: Run, client: DockerClient) -> None:
    run("true")
    versions: dict[str, str] = TRANSPORT.versions  # type: ignore[attr-defined]

    assert versions == {"container": client.images.get(versions["container"]).id}


# --- what it does to replies ------------------------------------------------------------------------------------

DASH = {("env-passing-t3", "disclosed", 1): "dash has no $'...'"}
"""Replies that pass on `nested` and not here, and why."""


@pytest.mark.parametrize("contract", ["raw", "disclosed"])
def test_stored_replies_pass_and_fail_as_on_nested(run: Run, contract: str) -> None:
    stored = read_replies(REPLIES / f"{contract}.jsonl", TASKS).replies
    passed: dict[tuple[str, str, int], tuple[bool, bool]] = {}
    with local.open_sandbox() as plain:
        for reply in stored:
            task, command = TASKS[reply.task], clean(reply.text).text
            if task.tier == 0:
                continue
            here = judge(task, run(command, task.fixture.tree))
            there = judge(task, plain.run(task.fixture.tree, NESTED.plan(command), SOON))
            passed[reply.task, contract, reply.trial] = here.passed, there.passed

    assert {key for key, (here, there) in passed.items() if here != there} == {
        key for key in DASH if key[1] == contract
    }


def test_a_matched_command_has_the_effect_of_the_command(run: Run, hard_words: list[str]) -> None:
    command = f"printf '%s\\0' {' '.join(map(shell_word, hard_words))} >f; [[ a = a ]] && echo \"$0\" >g; exit 3"
    matched = TRANSPORT.matched(command)
    ended = run(matched)

    assert dict(ended.tree) == {
        "f": File("".join(f"{word}\0" for word in hard_words).encode()),
        "g": File(b"bash\n"),
    }
    assert ended.exit_status == 3
    assert TRANSPORT.layers(matched)[-1].text == command
    with pytest.raises(ValueError, match="UTF-8"):
        TRANSPORT.matched("echo \udcff")


@pytest.mark.parametrize("task", [task for task in load_tasks() if task.tier == 3], ids=lambda task: task.id)
def test_hostile_oracles_pass_in_their_matched_form(run: Run, task: Any) -> None:
    assert judge(task, run(TRANSPORT.matched(task.oracle), task.fixture.tree)).kind is VerdictClass.PASS


ALPHABET = "'\"$`\\\\!*?[]{}()<>|&;#~=^.+%/,:@_- \n\tanbx1ä"


@given(command=st.text(ALPHABET, max_size=24))
@example(command='x=1; echo "$x" >f')
@example(command="printf '%s' a 'b  c' >f")
@example(command='echo "a"; echo b >f')
@example(command='echo "unclosed')
@example(command='echo a "b c" d')
@example(command="bash -c 'echo $0'")
@settings(
    max_examples=60, derandomize=True, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_the_layers_say_what_the_container_s_shell_receives(noting: Path, command: str) -> None:
    """Checked with a `docker` that writes its arguments down, the only program that the line can find."""
    written = noting / "argv"
    written.unlink(missing_ok=True)
    shutil.rmtree(noting / "cwd")
    (noting / "cwd").mkdir()
    source, *_ = (layer.text for layer in TRANSPORT.layers(command))
    assert source is not None
    environment = {"PATH": str(noting), "HOME": "/qb/task", "LC_ALL": "C"}
    subprocess.run(
        ["bash", "-c", source],
        executable="/bin/bash",
        env=environment,
        cwd=noting / "cwd",
        capture_output=True,
        timeout=20,
        check=False,
    )
    name, text = next(layer for layer in TRANSPORT.layers(command) if layer.name.startswith("sh -c"))
    if "never started" in name:
        assert not written.exists()
    elif text is not None and "«" not in text and written.exists():
        assert written.read_bytes().decode().split("\0")[:5] == ["exec", "box", "sh", "-c", text]


@pytest.fixture
def noting(tmp_path: Path) -> Path:
    (tmp_path / "cwd").mkdir()
    (tmp_path / "docker").write_text(f"#!/bin/sh\nprintf '%s\\0' \"$@\" >{tmp_path}/argv\n")
    (tmp_path / "docker").chmod(0o755)
    return tmp_path


# --- another image ---------------------------------------------------------------------------------------------


@contextmanager
def busybox_image(client: DockerClient) -> Iterator[str]:
    """An image like the project's own whose sh is busybox's."""
    with connected() as opened:
        base = images.ensure_image(opened)
    name = f"quotebench-test-{os.getpid()}:busybox"
    recipe = f"FROM {base}\nUSER 0\nCOPY busybox /bin/busybox\nRUN ln -sf /bin/busybox /bin/sh\n".encode()
    context = io.BytesIO()
    with tarfile.open(fileobj=context, mode="w") as archive:
        for path, data, mode in (("Dockerfile", recipe, 0o644), ("busybox", Path(BUSYBOX).read_bytes(), 0o755)):
            member = tarfile.TarInfo(path)
            member.size, member.mode = len(data), mode
            archive.addfile(member, io.BytesIO(data))
    context.seek(0)
    events = list(client.api.build(fileobj=context, custom_context=True, tag=name, rm=True, network_mode="none"))
    assert b"Successfully tagged" in b"".join(events), json.dumps(str(events[-1]))
    try:
        yield name
    finally:
        client.images.remove(name, force=True)


BUSYBOX = shutil.which("busybox") or ""


@pytest.mark.skipif(not BUSYBOX, reason="no busybox to make an image of")
def test_another_image_has_its_own_sh(run: Run, client: DockerClient, monkeypatch: pytest.MonkeyPatch) -> None:
    TRANSPORT.close()
    with busybox_image(client) as name:
        monkeypatch.setenv(images.IMAGE, name)
        try:
            ended = run("readlink /proc/$$/exe; echo {a,b}; echo [[; cat <<< x")
            assert run("readlink /proc/self/exe").exit_status == 0
            said = run(quoted("readlink /proc/$$/exe; echo {a,b}; x='a b'; [[ $x = a* ]] && echo yes")).stdout
        finally:
            TRANSPORT.close()

    assert said.splitlines()[:2] == [b"/usr/bin/busybox", b"{a,b}"]
    assert b"syntax error" in ended.stderr


def test_without_an_engine_it_is_refused_and_broken_with_what_to_do(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, sandbox: LocalSandbox
) -> None:
    TRANSPORT.close()
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/nobody.sock")

    assert str(TRANSPORT.refusal()).startswith(f"no docker engine answers at unix://{tmp_path}/nobody.sock: ")
    for _ in range(2):
        with pytest.raises(Broken, match="no docker engine answers"):
            TRANSPORT.carry(sandbox.run, FileTree(), "true", SOON)
    TRANSPORT.close()


def test_special_entries_come_back_as_what_they_are(run: Run) -> None:
    ended = run("mkfifo p; ln -s /etc/passwd l; mkdir -m 0 d; echo x >u; chmod 0 u")

    assert dict(ended.tree) == {
        "p": Special("fifo"),
        "l": Symlink("/etc/passwd"),
        "d": Directory(0),
        "u": File(b"x\n", 0),
    }

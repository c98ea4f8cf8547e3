"""`ssh` and `ssh-argv` to a real host: a real sshd on a port of its own, reached by the broker alone."""

from __future__ import annotations

import gc
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from pytest_quotebench.core.cleanup import clean
from pytest_quotebench.core.errors import Broken, TransportError
from pytest_quotebench.core.escaping import inside_double_quotes, shell_word
from pytest_quotebench.core.execution import Execution
from pytest_quotebench.core.judge import judge
from pytest_quotebench.core.limits import Limits, TreeLimits
from pytest_quotebench.core.task import tasks_by_id
from pytest_quotebench.core.tree import Directory, File, FileTree, Special, Symlink
from pytest_quotebench.core.verdict import VerdictClass
from pytest_quotebench.processes.broker.ends import NEAR
from pytest_quotebench.sandboxes import local, namespace
from pytest_quotebench.sessions.far_ssh import FarSsh, host_name
from pytest_quotebench.store.replies import read_replies
from pytest_quotebench.transports.nested import TRANSPORT as NESTED
from pytest_quotebench.transports.raw import TRANSPORT as RAW
from pytest_quotebench.transports.ssh import TRANSPORT as SSH
from pytest_quotebench.transports.ssh_argv import TRANSPORT as SSH_ARGV
from quotebench_tasks import load_tasks

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
def pasted(far_host: Any) -> Iterator[FarSsh]:
    yield from _led_to(SSH, far_host)


@pytest.fixture(scope="module")
def as_argument(far_host: Any) -> Iterator[FarSsh]:
    yield from _led_to(SSH_ARGV, far_host)


def _led_to(transport: Any, far_host: Any) -> Iterator[FarSsh]:
    found: FarSsh = transport.at_host(far_host.name)
    yield found
    base = Path(found._host._base) if found._host else None
    found.close()
    assert base is None or not base.exists()


@pytest.fixture
def run(sandbox: Any, pasted: FarSsh) -> Run:
    def run(command: str, tree: FileTree | None = None, limits: Limits = SOON) -> Execution:
        return pasted.carry(sandbox.run, tree or FileTree(), command, limits)

    return run


@pytest.fixture
def run_argument(sandbox: Any, as_argument: FarSsh) -> Run:
    def run(command: str, tree: FileTree | None = None, limits: Limits = SOON) -> Execution:
        return as_argument.carry(sandbox.run, tree or FileTree(), command, limits)

    return run


quoted = inside_double_quotes


def test_a_command_runs_there_on_the_fixture(run: Run, far_host: Any) -> None:
    tree = FileTree.of({"a b": File(b"x\n", 0o600), "d/run": File(b"#!/bin/sh\n", 0o755), "l": Symlink("a b")})
    ended = run(quoted("pwd; cat 'a b'; cat; echo err >&2; exit 3"), tree)
    place, content = ended.stdout.decode().splitlines()

    assert place.startswith(f"{far_host.temporary}/qb-")
    assert (content, ended.stderr, ended.exit_status, ended.detail) == ("x", b"err\n", 3, None)
    assert dict(ended.tree) == dict(tree)


def test_its_environment_is_the_host_s_own_and_nothing_of_this_process(
    run: Run, monkeypatch: pytest.MonkeyPatch, sandbox: Any, far_host: Any
) -> None:
    """Although the client's configuration sends everything, and forwards an agent."""
    monkeypatch.setenv("QB_SECRET", "secret")
    monkeypatch.setenv("LC_MINE", "secret")
    fresh = SSH.at_host(far_host.name)  # type: ignore[attr-defined]
    try:
        said = fresh.carry(sandbox.run, FileTree(), "env", SOON).stdout.decode()
    finally:
        fresh.close()
    variables = dict(line.split("=", 1) for line in said.splitlines())

    assert "secret" not in said
    assert "SSH_AUTH_SOCK" not in variables
    assert "GIT_CONFIG_COUNT" not in variables
    assert variables["TMPDIR"] == str(far_host.temporary)


def test_the_key_and_the_connection_are_not_in_the_sandbox(run: Run, far_host: Any) -> None:
    if namespace.refusal() is not None:
        pytest.skip("local holds nothing")
    ended = run(f'"; env; cat {far_host.place}/id; ls {far_host.place} /tmp; ls -A ~; "')

    assert b"PRIVATE KEY" not in ended.stdout
    assert b"SSH_" not in ended.stdout
    assert b"control" not in ended.stdout


def test_output_and_input_are_carried_whole(run: Run) -> None:
    ended = run(quoted("seq 60000; seq 9 >&2"))
    assert (ended.stdout_length, ended.stderr) == (348_894, b"1\n2\n3\n4\n5\n6\n7\n8\n9\n")
    forwarded = run('wc -l >f" < <(seq 50000); echo "$?')
    assert forwarded.tree["f"] == File(b"50000\n")


def test_words_are_joined_by_spaces_and_parsed_again(run: Run) -> None:
    assert run('echo "two  words" >f').tree["f"] == File(b"two words\n")
    assert run('echo "*" >f', FileTree.of({"a": "", "b": ""})).tree["f"] == File(b"a b\n")


def test_bytes_that_are_no_utf8_arrive(run_argument: Run) -> None:
    assert run_argument("printf %s '\udcff\udcc3' >f").tree["f"] == File(b"\xff\xc3")


def test_a_leading_dash_is_no_option_of_the_client(run: Run, run_argument: Run) -> None:
    """ssh(1) has options that run programs here: in the pasted form a reply would name them."""
    for option in ("-h", "-oProxyCommand=touch /tmp/qb-escaped", "-S /tmp/x", "-F/dev/stdin"):
        ended = run(option)
        assert ended.exit_status == 255
        assert b"is not handed on" in ended.stderr
    assert not Path("/tmp/qb-escaped").exists()
    assert b"not handed on" not in run_argument("-h").stderr
    assert run_argument("-h").exit_status == 127


@pytest.mark.parametrize(
    "call", ["ssh other true", "ssh -p 22 host true", "ssh -- host true", "ssh host", "ssh", "ssh root@host id"]
)
def test_any_other_call_is_refused(run: Run, call: str) -> None:
    ended = run(f'true"; {call}; echo status $?; echo "')

    assert b"status 255" in ended.stdout or b"no words" in ended.stderr
    assert b"uid=" not in ended.stdout


def test_what_breaks_out_of_the_quotes_is_an_extra_entry(run: Run) -> None:
    task = TASKS["write-file-t0"]
    also = run(f'{quoted(task.oracle)}"; echo x >f; "', task.fixture.tree)

    assert judge(task, run(quoted(task.oracle), task.fixture.tree)).kind is VerdictClass.PASS
    assert also.tree[f"{NEAR}/f"] == File(b"x\n")
    assert judge(task, also).kind is VerdictClass.ENVIRONMENT_INVALID


def test_what_lies_there_comes_back_as_what_it_is(run_argument: Run) -> None:
    making = (
        "mkfifo p; ln -s /etc/passwd l; ln f h; mkdir -m 500 d; mkdir -p e/'a\nb'; chmod 4755 x; : >'é \udcff'"
    )
    socket = "python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind(\"s\")'"
    ended = run_argument(f"{making}; {socket}", FileTree.of({"f": "x", "x": ""}))

    assert dict(ended.tree) == {
        "d": Directory(0o500),
        "e": Directory(),
        "e/a\nb": Directory(),
        "f": File(b"x"),
        "h": File(b"x"),
        "l": Symlink("/etc/passwd"),
        "p": Special("fifo"),
        "s": Special("socket"),
        "x": File(b"", 0o4755),
        "é \udcff": File(b""),
    }


@pytest.mark.parametrize(
    "attack",
    [
        "cd ..; mv task other; ln -s /etc task",
        "cd ..; rm -r task; ln -s $HOME task",
        "rm -r $PWD",
        "rm -r $PWD; : >../task",
        "cd ../..; rm -r *",
        "cd ..; mv task other; chmod 0 .",
    ],
)
def test_a_directory_that_is_taken_away_is_empty_and_no_link_is_followed(run_argument: Run, attack: str) -> None:
    assert dict(run_argument(attack, FileTree.of({"a": "x"})).tree) == {}
    assert run_argument("echo on").stdout == b"on\n"


def test_a_directory_that_is_closed_is_read_all_the_same(run_argument: Run) -> None:
    assert dict(run_argument("chmod 0 .", FileTree.of({"a": "x"})).tree) == {"a": File(b"x")}


@pytest.mark.parametrize(
    ("command", "limits", "detail"),
    [
        ("head -c 3000 /dev/zero >f", TreeLimits(file_bytes=2000), "limit:file-size"),
        ("seq 60 | xargs touch", TreeLimits(entries=50), "limit:tree"),
        ("truncate -s 1T f", TreeLimits(total_bytes=2**20), "limit:file-size"),
    ],
)
def test_a_directory_beyond_the_limits_is_a_verdict(
    run: Run, command: str, limits: TreeLimits, detail: str
) -> None:
    assert run(command, limits=Limits(wall_s=20, tree=limits)).detail == detail


# --- ends ------------------------------------------------------------------------------------------------------


def lives(mark: str) -> bool:
    """Tell whether a process with these arguments is there; others come and go meanwhile."""
    found = b""
    for line in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            found += line.read_bytes()
    return mark.encode() in found


def test_a_hang_ends_at_the_deadline_and_nothing_of_it_goes_on(run: Run) -> None:
    ended = run(quoted("(trap '' TERM HUP; setsid sleep 3078) & sleep 3079"), limits=Limits(wall_s=1))

    assert ended.timed_out
    assert not lives("sleep\0003078")
    assert not lives("sleep\0003079")


def test_what_outlives_its_command_is_gone_before_the_state_is_read(run: Run) -> None:
    ended = run(
        quoted("(setsid sh -c 'while :; do date >>late; sleep 0.1; done' >/dev/null 2>&1 </dev/null &); :>f")
    )

    assert "f" in ended.tree
    assert not lives("date >>late")


def test_twenty_items_leave_no_process_thread_descriptor_or_file(run: Run) -> None:
    def footprint() -> tuple[int, int, int, int]:
        place = Path(run("pwd").stdout.decode().strip()).parents[1]
        mine = subprocess.run(["pgrep", "-c", "-P", str(os.getpid())], capture_output=True, check=False)
        gc.collect()  # of what other tests have let go of
        descriptors = len(list(Path("/proc/self/fd").iterdir()))
        return (
            len(list(place.iterdir())),
            descriptors,
            threading.active_count(),
            int(mine.stdout),
        )

    if shutil.which("pgrep") is None:
        pytest.skip("no pgrep")
    before = footprint()
    for number in range(20):
        assert run(f"echo {number} >f; (sleep 300 >/dev/null 2>&1 </dev/null &)").tree["f"] == File(
            b"%d\n" % number
        )
    assert footprint() == before
    assert before[0] == 0


KILLED = """
import os, sys, threading
from pytest_quotebench.core.limits import Limits
from pytest_quotebench.core.tree import FileTree
from pytest_quotebench.sandboxes.local import open_sandbox
from pytest_quotebench.transports.ssh import TRANSPORT
with open_sandbox() as sandbox:
    far = TRANSPORT.at_host("far")
    print("up", flush=True)
    far.carry(sandbox.run, FileTree(), "sleep 3080", Limits(wall_s=60))
"""


def test_a_run_that_is_killed_leaves_nothing_there(far_host: Any) -> None:
    before = far_host.left()
    process = subprocess.Popen([sys.executable, "-c", KILLED], stdout=subprocess.PIPE, env={**os.environ})
    with process:
        deadline = time.monotonic() + 30
        while not lives("sleep\0003080") or far_host.left() == before:
            assert time.monotonic() < deadline
            time.sleep(0.05)
        process.send_signal(signal.SIGKILL)
    while far_host.left() != before or lives("sleep\0003080"):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_a_connection_that_is_lost_breaks_its_item_and_not_the_next(run: Run, far_host: Any) -> None:
    with pytest.raises(Broken, match="the host far"):
        run(quoted("kill -9 $PPID; sleep 1"))

    assert run("echo on").stdout == b"on\n"


def test_a_host_that_cannot_be_reached_is_broken_soon_in_ssh_s_own_words(far_host: Any, sandbox: Any) -> None:
    far = SSH.at_host("nobody-there")  # type: ignore[attr-defined]
    started = time.monotonic()
    for _ in range(3):
        with pytest.raises(Broken, match=r"cannot be used: .*Connection refused"):
            far.carry(sandbox.run, FileTree(), "true", SOON)
    assert time.monotonic() - started < 20
    far.close()


def test_a_key_that_the_host_does_not_take_is_broken_and_asks_nobody(
    far_host: Any, sandbox: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    far = SSH.at_host("ssh://nobody-knows@far")  # type: ignore[attr-defined]
    with pytest.raises(Broken, match="Permission denied"):
        far.carry(sandbox.run, FileTree(), "true", SOON)
    far.close()


def test_a_destination_with_user_and_port_is_taken(far_host: Any, sandbox: Any) -> None:
    user = subprocess.run(["id", "-un"], capture_output=True, text=True, check=True).stdout.strip()
    for name in (f"{user}@far", f"ssh://{user}@far:{far_host.port}"):
        far = SSH_ARGV.at_host(name)  # type: ignore[attr-defined]
        assert far.carry(sandbox.run, FileTree(), "echo on", SOON).stdout == b"on\n"
        assert far.versions == {"ssh-host": name}
        far.close()


@pytest.mark.parametrize(
    "name", ["-oProxyCommand=id", "", "a b", "a;b", "a\nb", "$(id)", "a/b", "ssh://-l", "http://a"]
)
def test_what_is_no_destination_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=r"ssh://USER@HOST:PORT"):
        host_name(name)


def test_what_is_too_long_or_no_text_is_refused_before(far_host: Any, pasted: FarSsh, run_argument: Run) -> None:
    with pytest.raises(TransportError, match="surrogate"):
        pasted.plan("\ud83d")
    with pytest.raises(TransportError, match="argument"):
        pasted.plan("x" * 131_072)
    ended = run_argument(f": {'x' * 131_060}")
    assert (ended.exit_status, ended.stderr) == (255, b"ssh: Argument list too long\n")


# --- what it does to replies ------------------------------------------------------------------------------------


def test_stored_replies_pass_and_fail_as_on_nested_and_raw(run: Run, run_argument: Run) -> None:
    stored = read_replies(REPLIES / "raw.jsonl", TASKS).replies
    pasted_differs, argument_differs = set(), set()
    with local.open_sandbox() as plain:
        for reply in stored:
            task, command = TASKS[reply.task], clean(reply.text).text
            if reply.trial or task.tier != 3:
                continue
            tree = task.fixture.tree
            if (
                judge(task, run(command, tree)).passed
                != judge(task, plain.run(tree, NESTED.plan(command), SOON)).passed
            ):
                pasted_differs.add(task.id)
            passed = judge(task, plain.run(tree, RAW.plan(command), SOON)).passed
            if judge(task, run_argument(command, tree)).passed != passed:
                argument_differs.add(task.id)

    assert pasted_differs == set()
    assert argument_differs == set()


@pytest.mark.parametrize("form", ["ssh", "ssh-argv"])
def test_a_matched_command_has_the_effect_of_the_command(
    run: Run, run_argument: Run, form: str, hard_words: list[str]
) -> None:
    command = f"printf '%s\\0' {' '.join(map(shell_word, hard_words))} >f; exit 3"
    transport, going = (SSH, run) if form == "ssh" else (SSH_ARGV, run_argument)
    ended = going(transport.matched(command))

    assert dict(ended.tree) == {"f": File("".join(f"{word}\0" for word in hard_words).encode())}
    assert ended.exit_status == 3

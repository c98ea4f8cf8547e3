"""What every sandbox holds, whatever a command does: tried on each of them."""

from __future__ import annotations

import os
import time
import uuid
from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_quotebench.core.errors import Broken
from pytest_quotebench.core.execution import AuxPath, Execution, Invocation, execution_environment
from pytest_quotebench.core.limits import Limits, TreeLimits
from pytest_quotebench.core.tree import Directory, File, FileTree, Special, Symlink
from pytest_quotebench.sandboxes import Sandbox

Run = Callable[..., Execution]
Found = Callable[[str], list[str]]

ODD = FileTree.of(
    {
        "a b\n": File(b"", 0o600),
        "\udcff": File(b"\0\xff", 0o755),
        "shut": Directory(0o500),
        "shut/f": File(b"x", 0o400),
        "link": Symlink("nowhere/\udcfe"),
        "empty": Directory(0o700),
    }
)


def test_its_name_is_its_files_name(sandbox: Sandbox, request: pytest.FixtureRequest) -> None:
    assert f"[{sandbox.name}" in request.node.name.replace("_", "-")


def test_a_command_finds_the_tree_and_what_it_leaves_comes_back(run: Run) -> None:
    ended = run(
        "cat in.txt; printf new > d/new.txt; chmod 700 d; echo err >&2; exit 3", {"in.txt": "in\n", "d/f": "x"}
    )
    assert (ended.exit_status, ended.signal, ended.timed_out, ended.detail) == (3, None, False, None)
    assert (ended.stdout, ended.stderr) == (b"in\n", b"err\n")
    assert (ended.stdout_length, ended.stderr_length) == (3, 4)
    assert 0 < ended.duration_s < 5
    assert dict(ended.tree) == {
        "d": Directory(0o700),
        "d/f": File(b"x"),
        "d/new.txt": File(b"new"),
        "in.txt": File(b"in\n"),
    }


def test_a_tree_that_is_left_alone_comes_back_the_same(run: Run) -> None:
    assert dict(run("true", ODD).tree) == dict(ODD)


def test_every_directory_is_fresh(run: Run) -> None:
    assert run("echo x > left; mkdir -p .config; echo x > .bashrc").tree
    ended = run("ls -A; pwd; ls -A ..")
    assert ended.tree == FileTree()
    assert b"left" not in ended.stdout
    assert b".bashrc" not in ended.stdout


def test_the_environment_is_the_execution_environment_and_what_is_added(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary")
    ended = run("printf '%s\\0' \"$PWD\"; tr '\\0' '\\n' < /proc/$$/environ; true", env={"MSG": "é \udcff"})
    home, rest = ended.stdout.split(b"\0")
    found = dict(line.split(b"=", 1) for line in rest.splitlines())
    for of_bash in (b"PWD", b"SHLVL", b"_", b"OLDPWD"):
        found.pop(of_bash, None)
    expected = {**execution_environment(home.decode()), "MSG": "é \udcff"}
    assert found == {name.encode(): value.encode("utf-8", "surrogateescape") for name, value in expected.items()}


def test_standard_input_is_empty_or_what_is_given(run: Run) -> None:
    assert run("cat; read -r x; echo $?").stdout == b"1\n"
    assert run("cat", stdin=b"\xff\0x").stdout == b"\xff\0x"


def test_new_files_have_mode_644_whatever_our_umask_is(run: Run) -> None:
    former = os.umask(0o077)
    try:
        tree = run("umask >f; mkdir d").tree
    finally:
        os.umask(former)
    assert dict(tree) == {"f": File(b"0022\n", 0o644), "d": Directory(0o755)}


def test_auxiliary_files_are_there_and_no_part_of_the_tree(sandbox: Sandbox) -> None:
    invocation = Invocation(
        argv=(b"bash", AuxPath("a script"), AuxPath("d/data")),
        aux_files={"a script": File(b"echo $0\ncat $1\n(\n", 0o644), "d/data": File(b"\xff", 0o600)},
    )
    ended = sandbox.run(FileTree(), invocation, Limits(wall_s=5))
    assert ended.tree == FileTree()
    assert ended.aux_directory
    assert ended.stdout == f"{ended.aux_directory}/a script\n".encode() + b"\xff"
    assert ended.stderr.startswith(f"{ended.aux_directory}/a script: line ".encode())


def test_without_auxiliary_files_there_is_no_directory_for_them(run: Run) -> None:
    assert run("true").aux_directory == ""


def test_what_cannot_be_started_is_broken_and_the_next_one_runs(sandbox: Sandbox, run: Run) -> None:
    with pytest.raises(Broken):
        sandbox.run(FileTree(), Invocation(argv=(b"bash", b"-c", b"x" * 200_000)), Limits())
    with pytest.raises(Broken):
        sandbox.run(FileTree.of({"x" * 256: ""}), Invocation(argv=(b"true",)), Limits())
    assert run("echo ok").stdout == b"ok\n"


def test_nothing_stays_behind_whatever_way_it_went(run: Run, processes_with: Found) -> None:
    """Looked for from outside, by a mark in the environment or the command line."""
    mark = uuid.uuid4().hex
    ways = (
        "sleep 300 &",
        "(setsid sleep 300 </dev/null >/dev/null 2>&1 &)",
        f"(env -i setsid bash -c 'sleep 300; : {mark}' &)",
        f"(trap '' TERM HUP; bash -c 'kill -STOP $$; : {mark}') &",
        "for i in 1 2 3 4; do (while :; do :; done) & done",
    )
    for way in ways:
        ended = run(f"{way}\necho ok", env={"QB_MARK": mark})
        assert (ended.stdout, ended.timed_out) == (b"ok\n", False)
        assert ended.duration_s < 1
        assert processes_with(mark) == []


def test_what_is_written_after_the_end_never_counts(run: Run) -> None:
    for _ in range(10):
        ended = run("(sleep 1; echo late > out.txt) & (while :; do echo x >> busy; done) & echo")
        size = len(ended.tree["busy"].data) if "busy" in ended.tree else 0  # type: ignore[union-attr]
        assert "out.txt" not in ended.tree
        assert size < 2**20


@pytest.mark.parametrize(
    ("command", "found"),
    [
        ("mkfifo out.txt", Special("fifo")),
        ("mkfifo out.txt; (yes > out.txt &)", Special("fifo")),
        ("ln -s /dev/zero out.txt", Symlink("/dev/zero")),
        ("ln -s out.txt out.txt", Symlink("out.txt")),
        ("ln -s /etc/passwd out.txt", Symlink("/etc/passwd")),
        ("mkdir out.txt; chmod 0 out.txt", Directory(0)),
        ("echo ok > out.txt; chmod 0 out.txt", File(b"ok\n", 0)),
        ("echo ok > a; ln a out.txt", File(b"ok\n")),
        ("exec 9>out.txt; rm out.txt; mkdir out.txt; echo late >&9", Directory()),
    ],
)
def test_whatever_lies_in_a_files_place_is_told_as_it_is(run: Run, command: str, found: object) -> None:
    ended = run(command)
    assert ended.tree["out.txt"] == found
    assert ended.detail is None


@pytest.mark.parametrize("name", ["a\nb", "\udcff\udcfe", "x" * 255, "-rf", "$(id)", "é", "\x1b[2J"])
def test_every_name_comes_back_byte_for_byte(run: Run, name: str) -> None:
    tree = run('printf x > "./$NAME"', env={"NAME": name}).tree
    assert dict(tree) == {name: File(b"x")}


@pytest.mark.parametrize(
    "command",
    [
        "seq 1500 | xargs touch",
        "for i in $(seq 100); do mkdir d; cd d; done",
        "for i in 1 2 3 4 5; do head -c 15M /dev/zero > $i; done",
    ],
)
def test_a_tree_beyond_the_limits_is_a_verdict_and_soon_gone(run: Run, command: str) -> None:
    start = time.monotonic()
    ended = run(f"{command}; true", tree=TreeLimits(entries=1000))
    assert (ended.detail, ended.exit_status) == ("limit:tree", 0)
    assert time.monotonic() - start < 4
    assert run("echo ok").stdout == b"ok\n"


@pytest.mark.parametrize(
    "command",
    [
        "head -c 20M /dev/zero > out.txt",
        "yes > out.txt",
        "head -c 16777217 /dev/zero > out.txt",
        "ulimit -f unlimited; truncate -s 1T out.txt",
        "ulimit -f unlimited; truncate -s 1T out.txt; ln out.txt a; chmod 0 a",
    ],
)
def test_a_file_beyond_the_limit_is_a_verdict_that_names_it(run: Run, command: str) -> None:
    ended = run(f"{command}; true")
    assert (ended.detail, ended.exit_status, ended.timed_out) == ("limit:file-size", 0, False)
    assert ended.duration_s < 4
    assert run("echo ok").stdout == b"ok\n"


def test_the_largest_file_and_the_limits_signals_alone_meet_no_limit(run: Run) -> None:
    """Exit statuses and signals that the kernel's limits have as well, but which the command has chosen itself."""
    assert run("head -c 16777216 /dev/zero > out.txt").detail is None
    for command in ("kill -XFSZ $$", "kill -XCPU $$", "exit 153", "truncate -s 1T out.txt"):
        assert run(command).detail is None


def test_depth_beyond_path_max_ends_within_the_limits(run: Run) -> None:
    name = "d" * 200
    ended = run(f"for i in {{1..30}}; do mkdir {name} && cd -P {name} || break; done 2>/dev/null; true")
    assert ended.detail == "limit:tree"
    assert run("ls -A").stdout == b""


def test_smaller_tree_limits_hold(run: Run) -> None:
    assert run("touch a b c", tree=TreeLimits(entries=2)).detail == "limit:tree"
    assert run("touch a b", tree=TreeLimits(entries=2)).detail is None


def test_endless_output_is_a_verdict_and_its_true_length_is_known(run: Run) -> None:
    ended = run("echo first; yes", output_bytes=2**20, kept_output_bytes=2**10)
    assert (ended.detail, ended.timed_out) == ("limit:output", False)
    assert ended.stdout_length > 2**20
    assert ended.stdout.startswith(b"first\n")
    assert len(ended.stdout) < 2**11


def test_the_working_directory_may_vanish(run: Run) -> None:
    ended = run(
        'W=$PWD; rm -rf -- "${W:?}"/* "${W:?}"/.[a-z]*; cd /; rmdir -- "$W" 2>/dev/null; true',
        {"a": "x", ".b/c": ""},
    )
    assert ended.tree == FileTree()
    assert run("echo ok", {"a": "x"}).tree == FileTree.of({"a": "x"})


def test_directories_that_are_closed_are_captured_and_gone(run: Run) -> None:
    command = "mkdir -p d/e/f; echo x > d/e/f/g; chmod 0 d/e/f/g d/e/f d/e d; chmod 500 ."
    assert dict(run(command).tree) == {
        "d": Directory(0),
        "d/e": Directory(0),
        "d/e/f": Directory(0),
        "d/e/f/g": File(b"x\n", 0),
    }


def test_nothing_grows_over_two_hundred_runs(run: Run) -> None:
    run("true")
    before = footprint()
    for _ in range(200):
        run("mkdir d; echo x > d/f; (sleep 100 &)")
    after = footprint()
    assert (after[0] <= before[0], after[1] <= before[1]) == (True, True), (before, after)
    assert set(after[2]) <= set(before[2])


def footprint() -> tuple[int, int, list[str]]:
    """Descriptors, threads, and children of this process."""
    children = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
    return len(list(Path("/proc/self/fd").iterdir())), len(list(Path("/proc/self/task").iterdir())), children

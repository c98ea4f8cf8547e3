from __future__ import annotations

import os
import resource
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_quotebench.core.errors import Broken
from pytest_quotebench.core.limits import Limits
from pytest_quotebench.processes.ending import Ended
from pytest_quotebench.processes.running import run_to_end

ENVIRONMENT = {"PATH": "/usr/local/bin:/usr/bin:/bin"}


def run(
    command: str,
    *,
    stdin: bytes = b"",
    wall_s: float = 10.0,
    output_bytes: int = 2**26,
    kept_output_bytes: int = 2**17,
) -> Ended:
    argv = [b"bash", b"-c", command.encode()]
    limits = Limits(wall_s=wall_s, output_bytes=output_bytes, kept_output_bytes=kept_output_bytes)
    return run_to_end(argv, env=ENVIRONMENT, cwd="/", stdin=stdin, limits=limits)


@pytest.mark.parametrize("status", [0, 1, 124, 137, 255])
def test_an_exit_status_is_nothing_but_an_exit_status(status: int) -> None:
    ended = run(f"echo out; echo err >&2; exit {status}")
    assert (ended.exit_status, ended.signal, ended.timed_out, ended.detail) == (status, None, False, None)
    assert (ended.stdout.value(), ended.stderr.value()) == (b"out\n", b"err\n")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL, signal.SIGHUP, signal.SIGUSR1])
def test_a_signal_is_no_deadline(number: signal.Signals) -> None:
    ended = run(f"kill -{number} $$")
    assert (ended.exit_status, ended.signal, ended.timed_out) == (None, number, False)


def test_the_whole_group_can_be_signalled_and_we_are_not_in_it() -> None:
    session = os.getsid(0)
    assert int(run("cut -d' ' -f6 /proc/$$/stat").stdout.value()) != session
    assert run("kill -9 0").signal == signal.SIGKILL


@pytest.mark.parametrize(
    "command", ["sleep 1000", "trap '' TERM INT HUP QUIT; while :; do :; done", "kill -STOP $$"]
)
def test_the_deadline_ends_what_does_not_end(command: str) -> None:
    ended = run(f"echo before; {command}", wall_s=0.3)
    assert ended.timed_out
    assert ended.stdout.value() == b"before\n"
    assert 0.3 <= ended.duration_s < 0.6


@pytest.mark.parametrize("ending", ["&", "& disown;", ">&2 &"])
def test_a_held_pipe_delays_nothing(ending: str) -> None:
    ended = run(f"sleep 300 {ending} echo done")
    assert ended.stdout.value() == b"done\n"
    assert not ended.timed_out
    assert ended.duration_s < 1


def test_closed_pipes_end_nothing() -> None:
    ended = run("exec 1>&- 2>&-; sleep 0.2; exit 7")
    assert ended.exit_status == 7
    assert ended.duration_s > 0.2


def test_what_was_written_before_the_end_is_all_there() -> None:
    ended = run("head -c 300000 /dev/zero", kept_output_bytes=2**20)
    assert ended.stdout.value() == bytes(300_000)


def test_two_gigabytes_on_both_streams_end_at_the_limit_in_little_memory() -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    ended = run("yes & yes >&2", output_bytes=2**31)
    assert ended.detail == "limit:output"
    assert ended.stdout.length + ended.stderr.length > 2**31
    assert min(ended.stdout.length, ended.stderr.length) > 2**20
    assert len(ended.stdout.value()) < 2**18
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 10 * 2**10


def test_the_output_limit_itself_is_allowed() -> None:
    assert run("printf 12345", output_bytes=5).detail is None
    assert run("printf 123456", output_bytes=5).detail == "limit:output"


def test_without_standard_input_there_is_none() -> None:
    assert run("cat; read x; echo $?").stdout.value() == b"1\n"


@pytest.mark.parametrize("size", [1, 2**16, 3_000_000])
def test_standard_input_arrives_whole_and_ends(size: int) -> None:
    ended = run("cat", stdin=b"x" * size, kept_output_bytes=2**23)
    assert ended.stdout.value() == b"x" * size


def test_standard_input_that_nobody_reads_holds_nothing() -> None:
    assert run("exit 3", stdin=b"x" * 3_000_000).exit_status == 3
    assert run("exec <&-; sleep 0.1; exit 4", stdin=b"x" * 3_000_000).exit_status == 4


def test_the_environment_is_exactly_the_given_one() -> None:
    argv = [b"/usr/bin/env", b"-0"]
    ended = run_to_end(argv, env={"A": "\udcff\n", "PATH": "/x"}, cwd="/", limits=Limits())
    assert ended.stdout.value() == b"A=\xff\n\0PATH=/x\0"


def test_arguments_arrive_byte_for_byte() -> None:
    argument = bytes(range(1, 256))
    ended = run_to_end([b"printf", b"%s", argument], env=ENVIRONMENT, cwd="/", limits=Limits())
    assert ended.stdout.value() == argument


def test_no_descriptor_of_ours_is_inherited(tmp_path: Path) -> None:
    with (tmp_path / "f").open("w") as file:
        os.set_inheritable(file.fileno(), True)  # noqa: FBT003
        ended = run(f"for f in /proc/$$/fd/*; do [ $f -ef {tmp_path}/f ] && echo inherited; done; true")
    assert ended.stdout.value() == b""


def test_signals_that_python_ignores_are_not_ignored() -> None:
    ended = run("yes | head -n 1; echo ${PIPESTATUS[0]}")
    assert ended.stdout.value() == b"y\n141\n"


@pytest.fixture(params=[0o000, 0o077])
def umask(request: pytest.FixtureRequest) -> Iterator[None]:
    former = os.umask(request.param)
    yield
    os.umask(former)


def test_the_umask_is_022_whatever_ours_is(umask: None) -> None:
    assert run("umask").stdout.value() == b"0022\n"


@pytest.mark.parametrize(
    ("argv", "detail"),
    [
        ([b"bash", b"-c", b": " + b"x" * 200_000], "spawn:E2BIG"),
        ([b"no-such-program"], "spawn:ENOENT"),
        ([b"/etc/passwd"], "spawn:EACCES"),
        ([b"bash", b"-c", b"a\0b"], "spawn:EINVAL"),
    ],
)
def test_what_cannot_be_started_is_broken_and_says_why(argv: list[bytes], detail: str) -> None:
    before = {path.name for path in Path("/proc/self/fd").iterdir()}
    with pytest.raises(Broken, match="cannot start") as raised:
        run_to_end(argv, env=ENVIRONMENT, cwd="/", stdin=b"x", limits=Limits())
    assert raised.value.detail == detail
    assert {path.name for path in Path("/proc/self/fd").iterdir()} <= before


def test_a_status_that_somebody_else_took_is_broken() -> None:
    former = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    try:
        with pytest.raises(Broken, match="SIGCHLD is ignored") as raised:
            run("exit 3")
    finally:
        signal.signal(signal.SIGCHLD, former)
    assert raised.value.detail == "lost-status"


def test_an_interrupt_ends_the_command_and_is_passed_on() -> None:
    marker = f"1{time.monotonic_ns()}"
    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        run(f"setsid -f sleep {marker}; sleep {marker}")
    timer.join()
    commands = (path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline"))
    assert not any(marker.encode() in command for command in commands)


def test_nothing_grows_over_many_runs() -> None:
    run("true")
    before = [len(list(Path(f"/proc/self/{held}").iterdir())) for held in ("fd", "task")]
    for _ in range(100):
        run("sleep 100 & true", stdin=b"x")
    after = [len(list(Path(f"/proc/self/{held}").iterdir())) for held in ("fd", "task")]
    assert all(now <= then for now, then in zip(after, before, strict=True)), (before, after)

"""Running one process of this machine to its end, and everything it starts with it."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from pytest_quotebench.core.errors import Broken
from pytest_quotebench.core.limits import Limits
from pytest_quotebench.core.text import to_bytes
from pytest_quotebench.processes.descendants import kill_group, nothing_outlives
from pytest_quotebench.processes.ending import Ended
from pytest_quotebench.processes.pipes import Pipes, connected
from pytest_quotebench.processes.signals import restoring_defaults
from pytest_quotebench.processes.watching import Watch

UMASK = 0o022
"""The command's umask, whatever this process's own is."""

_REAP_S = 5.0
"""How long a killed process may take to end before it counts as a survivor."""


def run_to_end(
    argv: Sequence[bytes], *, env: Mapping[str, str], cwd: str, limits: Limits, stdin: bytes = b""
) -> Ended:
    """Run `argv` with exactly the environment `env`, in a session of its own, and return when all of it is gone.

    An empty `stdin` is /dev/null. The end is that of the process itself, its deadline or its output limit.
    Raises Broken: `spawn:<errno name>` where it cannot be started (`spawn:E2BIG`, `spawn:ENOENT`), `survivor`
    where something it started cannot be killed.
    """
    with connected(stdin, limits) as pipes:
        watch = pipes.watch
        with nothing_outlives():
            started = time.monotonic()
            process = _spawn(argv, env, cwd, pipes)
            try:
                _watch(process, watch)
                duration = time.monotonic() - started
            finally:
                kill_group(process.pid)
                returncode = _reap(process)
        watch.drain()
    return Ended.of(returncode, watch, duration, "limit:output" if watch.is_over_output_limit else None)


def _spawn(argv: Sequence[bytes], env: Mapping[str, str], cwd: str, pipes: Pipes) -> subprocess.Popen[bytes]:
    """Start the command by vfork(2), which a preexec_fn, a user or a group would turn into a slow fork(2)."""
    stdout, stderr, *to_command = pipes.theirs
    try:
        return subprocess.Popen(  # noqa: S603 -- the command is hostile by trade, and has no shell but its own
            argv,
            env={to_bytes(name): to_bytes(value) for name, value in env.items()},
            cwd=cwd,
            stdin=to_command[0] if to_command else subprocess.DEVNULL,
            stdout=stdout,
            stderr=stderr,
            start_new_session=True,
            umask=UMASK,
            preexec_fn=restoring_defaults(),  # noqa: PLW1509 -- one call of signal(2), and only under nohup and the like
        )
    except OSError as error:
        name = errno.errorcode.get(error.errno or 0, "unknown")
        raise Broken(f"spawn:{name}", f"cannot start {argv[0]!r}: {error.strerror}") from error
    except ValueError as error:
        raise Broken("spawn:EINVAL", f"cannot start {argv[0]!r}: {error}") from error
    finally:
        pipes.close_theirs()


def _watch(process: subprocess.Popen[bytes], watch: Watch) -> None:
    try:
        with _end_descriptor(process) as pidfd:
            watch.until_end(_end_test(process), pidfd)
    except (ChildProcessError, ProcessLookupError) as error:
        message = "its exit status was taken away: SIGCHLD is ignored, or something here waits for all children"
        raise Broken("lost-status", message) from error


@contextmanager
def _end_descriptor(process: subprocess.Popen[bytes]) -> Iterator[int | None]:
    """Hold a pidfd of the process; None where there is no such thing, or a system call filter forbids it."""
    try:
        pidfd = os.pidfd_open(process.pid)
    except ProcessLookupError:
        raise
    except (AttributeError, OSError):
        yield None
        return
    try:
        yield pidfd
    finally:
        os.close(pidfd)


def _end_test(process: subprocess.Popen[bytes]) -> Callable[[], bool]:
    """Return how to ask for the end: without reaping where that is possible, so that the number stays its own."""
    if not hasattr(os, "waitid"):
        return lambda: process.poll() is not None
    options = os.WEXITED | os.WNOHANG | os.WNOWAIT
    return lambda: os.waitid(os.P_PID, process.pid, options) is not None


def _reap(process: subprocess.Popen[bytes]) -> int:
    try:
        return process.wait(_REAP_S)
    except subprocess.TimeoutExpired:
        return -signal.SIGKILL

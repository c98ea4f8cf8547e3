"""The first process of an item's namespaces: it starts the command, reaps orphans, and tells how it ended."""

from __future__ import annotations

import errno
import marshal
import os
import resource
import signal
import socket
from functools import partial
from typing import NoReturn

from pytest_quotebench.processes.namespaces import messages
from pytest_quotebench.processes.namespaces.kernel import (
    MS_NODEV,
    MS_NOEXEC,
    MS_NOSUID,
    PR_SET_DUMPABLE,
    drop_capabilities,
    install_filter,
    mount,
    pidfd_open,
    prctl,
    rlimit_for_processes,
)
from pytest_quotebench.processes.namespaces.messages import Parameters
from pytest_quotebench.processes.namespaces.script import INTERPRETER, start_script
from pytest_quotebench.processes.namespaces.view import TASK, TMP

CLOSED = 3
"""The exit status that says that pytest's side is gone."""

_NO_SUCH_PROGRAM = (errno.ENOENT, errno.ENOTDIR)
_EVERY_SIGNAL = tuple(signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP})


def run_item(channel: socket.socket, parameters: Parameters, filter_program: bytes) -> NoReturn:
    """Set the item up, say so, wait for its command, run it to its end and end. Raises StepFailed before that."""
    mount_fresh(parameters)
    prctl("forbid looking into this process", PR_SET_DUMPABLE, 0)
    descriptors = (_open_directory(TASK), _open_directory(TMP), pidfd_open(os.getpid()))
    os.chdir(TASK)
    limit_resources(parameters)
    drop_capabilities()
    install_filter(filter_program)
    messages.send(channel, messages.READY, b"", descriptors)
    for descriptor in descriptors:
        os.close(descriptor)
    message = messages.receive(channel)
    if message is None:
        os._exit(CLOSED)
    status = _run(message)
    messages.send(channel, messages.STATUS, status)
    os._exit(0)


def mount_fresh(parameters: Parameters) -> None:
    """Mount what no two items share: /proc of this pid namespace, /tmp, and the task directory."""
    mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC)
    size = f"size={parameters.directory_bytes},nr_inodes={parameters.directory_entries}"
    mount("tmpfs", TMP, "tmpfs", MS_NOSUID | MS_NODEV, f"mode=1777,{size}")
    mount("tmpfs", TASK, "tmpfs", MS_NOSUID | MS_NODEV, f"mode=0755,{size}")


def limit_resources(parameters: Parameters) -> None:
    """Set this process's limits, and so the command's (getrlimit(2)); 0 leaves one as it is."""
    for kind, wanted in (
        (resource.RLIMIT_CORE, None),
        (resource.RLIMIT_NOFILE, 1024),
        (resource.RLIMIT_NPROC, rlimit_for_processes(parameters.processes)),
        (resource.RLIMIT_DATA, parameters.memory_bytes),
        (resource.RLIMIT_AS, 4 * parameters.memory_bytes),
        (resource.RLIMIT_MEMLOCK, None),
        (resource.RLIMIT_MSGQUEUE, None),
    ):
        if wanted == 0:
            continue
        hard = resource.getrlimit(kind)[1]
        value = min(wanted or 0, hard) if hard != resource.RLIM_INFINITY else wanted or 0
        resource.setrlimit(kind, (value, value))
    # SIGXCPU at the first, which can be ignored, SIGKILL at the second.
    resource.setrlimit(resource.RLIMIT_CPU, (parameters.cpu_s, parameters.cpu_s + 1))


def _open_directory(path: str) -> int:
    return os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)


def _run(message: messages.Message) -> bytes:
    argv, environment, code = marshal.loads(message.body)  # noqa: S302 -- from pytest's side, before the item runs
    try:
        child = (_spawn if code is None else partial(_fork, code))(argv, environment, message.descriptors)
    except OSError as error:
        return messages.STATUS_BODY.pack(0, error.errno or errno.EINVAL, 0.0)
    except ValueError:
        return messages.STATUS_BODY.pack(0, errno.EINVAL, 0.0)
    finally:
        for descriptor in message.descriptors:
            os.close(descriptor)
    ended, status, usage = os.wait4(-1, 0)
    while ended != child:
        ended, status, usage = os.wait4(-1, 0)
    return messages.STATUS_BODY.pack(status, 0, usage.ru_utime + usage.ru_stime)


def _fork(code: bytes, argv: list[bytes], environment: dict[bytes, bytes], streams: tuple[int, ...]) -> int:
    stdout, stderr, *stdin = streams
    stdin = stdin or [os.open("/dev/null", os.O_RDONLY | os.O_CLOEXEC)]
    return start_script(code, argv[len(INTERPRETER) :], environment, (stdin[0], stdout, stderr))


def _spawn(argv: list[bytes], environment: dict[bytes, bytes], streams: tuple[int, ...]) -> int:
    """Start the command in a session of its own with all signals as they are by default (posix_spawn(3))."""
    stdout, stderr, *stdin = streams
    actions: list[tuple[object, ...]] = [
        (os.POSIX_SPAWN_DUP2, stdin[0], 0) if stdin else (os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDONLY, 0),
        (os.POSIX_SPAWN_DUP2, stdout, 1),
        (os.POSIX_SPAWN_DUP2, stderr, 2),
    ]
    failure: OSError = FileNotFoundError(errno.ENOENT, "not found in PATH")
    for program in _candidates(argv[0], environment.get(b"PATH", b"")):
        try:
            return os.posix_spawn(
                program,
                argv,
                environment,
                file_actions=actions,
                setsid=True,
                setsigmask=(),
                setsigdef=_EVERY_SIGNAL,
            )
        except OSError as error:
            if error.errno not in (*_NO_SUCH_PROGRAM, errno.EACCES):
                raise
            if error.errno == errno.EACCES or failure.errno == errno.ENOENT:
                failure = error
    raise failure


def _candidates(name: bytes, path: bytes) -> list[bytes]:
    if b"/" in name:
        return [name]
    found = [directory + b"/" + name for directory in path.split(b":") if directory]
    return [program for program in found if os.path.lexists(program)]

"""The first process of an item's namespaces: it starts the command, reaps orphans, and tells how it ended."""

from __future__ import annotations

import errno
import marshal
import os
import resource
import socket
from functools import partial
from typing import NoReturn

from pytest_quotebench.processes.becoming import limit_resources, spawn
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


def run_item(channel: socket.socket, parameters: Parameters, filter_program: bytes) -> NoReturn:
    """Set the item up, say so, wait for its command, run it to its end and end. Raises StepFailed before that."""
    mount_fresh(parameters)
    prctl("forbid looking into this process", PR_SET_DUMPABLE, 0)
    descriptors = (_open_directory(TASK), _open_directory(TMP), pidfd_open(os.getpid()))
    os.chdir(TASK)
    _limit_resources(parameters)
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


def _limit_resources(parameters: Parameters) -> None:
    """Set this process's limits, and so the command's; where a cgroup bounds memory, 0 is said for it."""
    others = [(resource.RLIMIT_NPROC, rlimit_for_processes(parameters.processes))]
    if parameters.memory_bytes:
        others.append((resource.RLIMIT_DATA, parameters.memory_bytes))
        others.append((resource.RLIMIT_AS, 4 * parameters.memory_bytes))
    limit_resources(parameters.cpu_s, parameters.file_bytes, others)


def _open_directory(path: str) -> int:
    return os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)


def _run(message: messages.Message) -> bytes:
    argv, environment, code = marshal.loads(message.body)  # noqa: S302 -- from pytest's side, before the item runs
    try:
        child = (spawn if code is None else partial(_fork, code))(argv, environment, message.descriptors)
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

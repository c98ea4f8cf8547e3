"""What an item's first process does to itself before it becomes the command. Part of the agent's program."""

from __future__ import annotations

import errno
import marshal
import os
import resource
import signal
import socket
from pathlib import Path
from typing import NoReturn

from pytest_quotebench.processes.containers.places import TASK
from pytest_quotebench.processes.namespaces import messages

_LIMITS = (
    (resource.RLIMIT_CORE, 0),
    (resource.RLIMIT_MSGQUEUE, 0),
    (resource.RLIMIT_MEMLOCK, 0),
    (resource.RLIMIT_NOFILE, 1024),
)
"""Memory and processes are limited by the container's cgroup."""

FAILED = messages.FAILED
"""What it says where the command cannot be started: an errno in digits."""


def start_waiting(channel: socket.socket, uid: int, cpu_s: int) -> int:
    """Start a process of the user `uid` that waits for its command; return its number.

    It is started before there is an item, so that no item waits for it.
    """
    child = os.fork()
    if child:
        return child
    try:
        _become(uid, cpu_s)
        _run(channel)
    except BaseException as error:  # noqa: BLE001 -- whatever it was, this copy of the agent must end here
        number = error.errno if isinstance(error, OSError) and error.errno else errno.EINVAL
        messages.send(channel, FAILED, b"%d" % number)
    finally:
        os._exit(1)


def _become(uid: int, cpu_s: int) -> None:
    os.setsid()
    # Where memory runs out, an item's processes are to go and not the agent (proc_pid_oom_score_adj(5)).
    Path("/proc/self/oom_score_adj").write_text("1000", encoding="ascii")
    for kind, wanted in (*_LIMITS, (resource.RLIMIT_CPU, cpu_s)):
        hard = resource.getrlimit(kind)[1]
        most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(kind, (most, most))
    for name in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(name, signal.SIG_DFL)  # Python ignores them, and that would be inherited
    os.chdir(TASK)
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)


def _run(channel: socket.socket) -> NoReturn:
    message = messages.receive(channel)
    if message is None:
        os._exit(0)
    argv, environment = marshal.loads(message.body)  # noqa: S302 -- from the agent
    stdout, stderr, *stdin = message.descriptors
    os.dup2(stdin[0] if stdin else os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(stdout, 1)
    os.dup2(stderr, 2)
    os.execvpe(argv[0], argv, environment)  # noqa: S606 -- exact arguments, no shell

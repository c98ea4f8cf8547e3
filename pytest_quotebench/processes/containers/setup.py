"""What an item's first process does to itself before it becomes the command. Part of the agent's program."""

from __future__ import annotations

import errno
import marshal
import os
import socket
from pathlib import Path
from typing import NoReturn

from pytest_quotebench.processes.becoming import become, limit_resources, restore_signals
from pytest_quotebench.processes.containers.places import TASK
from pytest_quotebench.processes.namespaces import messages

FAILED = messages.FAILED
"""What it says where the command cannot be started: an errno in digits."""


def start_waiting(channel: socket.socket, uid: int, cpu_s: int, file_bytes: int) -> int:
    """Start a process of the user `uid` that waits for its command; return its number.

    It is started before there is an item, so that no item waits for it.
    """
    child = os.fork()
    if child:
        return child
    try:
        _set_up(uid, cpu_s, file_bytes)
        _run(channel)
    except BaseException as error:  # noqa: BLE001 -- whatever it was, this copy of the agent must end here
        number = error.errno if isinstance(error, OSError) and error.errno else errno.EINVAL
        messages.send(channel, FAILED, b"%d" % number)
    finally:
        os._exit(1)


def _set_up(uid: int, cpu_s: int, file_bytes: int) -> None:
    os.setsid()
    # Where memory runs out, an item's processes are to go and not the agent (proc_pid_oom_score_adj(5)).
    Path("/proc/self/oom_score_adj").write_text("1000", encoding="ascii")
    limit_resources(cpu_s, file_bytes)  # memory and processes are limited by the container's cgroup
    restore_signals()
    os.chdir(TASK)
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)


def _run(channel: socket.socket) -> NoReturn:
    message = messages.receive(channel)
    if message is None:
        os._exit(0)
    argv, environment = marshal.loads(message.body)  # noqa: S302 -- from the agent
    become(argv, environment, message.descriptors)

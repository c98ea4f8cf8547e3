"""From a process of ours to a command: its limits, signals and streams. It imports the standard library alone."""

from __future__ import annotations

import errno
import os
import resource
import signal
from collections.abc import Iterable, Mapping, Sequence
from typing import NoReturn

_NO_SUCH_PROGRAM = (errno.ENOENT, errno.ENOTDIR)
_EVERY_SIGNAL = tuple(signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP})
_ALWAYS = {"RLIMIT_CORE": 0, "RLIMIT_NOFILE": 1024, "RLIMIT_MEMLOCK": 0, "RLIMIT_MSGQUEUE": 0}
"""By name: this module is imported on systems that do not have them all."""


def limit_resources(cpu_s: int, file_bytes: int, others: Iterable[tuple[int, int]] = ()) -> None:
    """Set this process's limits, and so the command's (getrlimit(2)); `others` are pairs of RLIMIT_* and value."""
    always = ((getattr(resource, name), value) for name, value in _ALWAYS.items())
    for kind, wanted in (*always, *others):
        _limit(kind, wanted, wanted)
    # One byte more than is allowed can be written, and is seen by the capture. A command may lift this one, as
    # it may write more than one file: it ends what runs away, and the verdict on what is left is the capture's.
    _limit(resource.RLIMIT_FSIZE, file_bytes + 1, resource.RLIM_INFINITY)
    # SIGXCPU at the first, which can be ignored, SIGKILL at the second.
    _limit(resource.RLIMIT_CPU, cpu_s, cpu_s + 1)


def restore_signals() -> None:
    """Set back to default what this process ignores: that would be inherited."""
    for number in signal.valid_signals():
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)


def become(argv: list[bytes], environment: Mapping[bytes, bytes], streams: Sequence[int]) -> NoReturn:
    """Execute a command of its own PATH; `streams` are output, error and input. Raises OSError and ValueError."""
    stdout, stderr, *stdin = streams
    os.dup2(stdin[0] if stdin else os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC), 0)
    os.dup2(stdout, 1)
    os.dup2(stderr, 2)
    os.execvpe(argv[0], argv, environment)  # noqa: S606 -- exact arguments, no shell


def spawn(argv: list[bytes], environment: dict[bytes, bytes], streams: Sequence[int]) -> int:
    """Start a command in a session of its own with all signals as they are by default (posix_spawn(3)).

    Returns its number; `streams` are as for `become`. Raises OSError and ValueError.
    """
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


def _limit(kind: int, soft: int, hard: int) -> None:
    most = resource.getrlimit(kind)[1]
    if most != resource.RLIM_INFINITY:
        hard = most if hard == resource.RLIM_INFINITY else min(hard, most)
        soft = min(soft, hard)
    resource.setrlimit(kind, (soft, hard))

"""Running a program of Python in a fork of this interpreter: a fresh one takes longer to start than a shell.

That is for the drivers of sessions. What such a program imports must be loaded already: the interpreter's own
directory is not to be seen inside the namespaces.
"""

from __future__ import annotations

import ast
import fcntl
import marshal
import os
import select
import signal
import sys
import termios
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from types import ModuleType
from typing import NoReturn

_LOADED: tuple[ModuleType, ...] = (fcntl, os, select, sys, termios, time)
LOADED = frozenset(module.__name__ for module in _LOADED)
"""The modules that a program may import."""

INTERPRETER = (b"python3", b"-I", b"-S")
"""How the arguments of such a program begin; its path follows. Both switches hold for this interpreter as well."""

_IGNORED = (signal.SIGPIPE, signal.SIGXFSZ)
"""What a Python that was just started ignores (Doc/library/signal.rst)."""


@lru_cache(maxsize=64)
def compiled(source: bytes, path: str) -> bytes | None:
    """Return the program marshalled, for an interpreter of this version; None where it must have one of its own.

    That is where it imports what may not be loaded, or is no program.
    """
    try:
        tree = ast.parse(source, path)
    except (SyntaxError, ValueError):
        return None
    if not _imports(tree) <= LOADED:
        return None
    return marshal.dumps(compile(tree, path, "exec", dont_inherit=True))


def _imports(tree: ast.AST) -> set[str]:
    names: set[str] = {"__future__"}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add(node.module or ".")
    return names - {"__future__"}


def start_script(
    code: bytes, argv: Sequence[bytes], environment: Mapping[bytes, bytes], streams: tuple[int, int, int]
) -> int:
    """Fork a process that runs what `compiled` returned, and nothing else; return its id. Raises OSError.

    It leads a session of its own; it has its three streams, `argv` from the program's path on, and `environment`.
    """
    child = os.fork()
    if child == 0:
        _run(code, argv, environment, streams)
    return child


def _run(
    code: bytes, argv: Sequence[bytes], environment: Mapping[bytes, bytes], streams: tuple[int, int, int]
) -> NoReturn:
    status = 1
    try:
        os.setsid()
        _take(streams)
        _reset_signals()
        os.environb.clear()
        os.environb.update(environment)
        sys.argv = [os.fsdecode(argument) for argument in argv]
        program = marshal.loads(code)  # noqa: S302 -- pytest's side made it, before the item ran
        exec(program, {"__name__": "__main__", "__file__": sys.argv[0]})  # noqa: S102
        status = 0
    except SystemExit as end:
        status = _status(end)
    except BaseException:  # noqa: BLE001 -- as an interpreter of its own would
        sys.excepthook(*sys.exc_info())
    finally:
        with suppress(OSError, ValueError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(status)


def _status(end: SystemExit) -> int:
    """Return what `sys.exit` was given as a status; anything but a number is a message."""
    if end.code is None or isinstance(end.code, int):
        return (end.code or 0) & 0xFF
    sys.stderr.write(f"{end.code}\n")
    return 1


def _take(streams: tuple[int, int, int]) -> None:
    """Make the streams 0, 1 and 2, whatever numbers they had, and close everything else."""
    high = [fcntl.fcntl(stream, fcntl.F_DUPFD, 10) for stream in streams]
    for number, stream in enumerate(high):
        os.dup2(stream, number)
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))


def _reset_signals() -> None:
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_IGN if number in _IGNORED else signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)

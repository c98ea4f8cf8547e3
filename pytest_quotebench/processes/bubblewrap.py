"""One bubblewrap (bwrap(1)) with one command in it: held until it is looked into, released, and ended.

bwrap may end before its first process inside, which this process must therefore adopt (`nothing_outlives`).
Nothing of it lies on this machine's disks: bubblewrap itself writes the files into file systems in memory. This
process opens their roots while bubblewrap still waits, and reads them through these descriptors afterwards.
"""

from __future__ import annotations

import errno
import json
import os
import select
import signal
import stat
import subprocess
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from pytest_quotebench.core.errors import Broken
from pytest_quotebench.core.text import to_bytes
from pytest_quotebench.core.tree import Directory, File, FileTree, Symlink
from pytest_quotebench.processes.namespaces.kernel import StepFailed, kill_by_descriptor, pidfd_open
from pytest_quotebench.processes.running import UMASK
from pytest_quotebench.processes.signals import restoring_defaults
from pytest_quotebench.processes.users import User

PATIENCE_S = 10.0
"""How long bubblewrap may take to be ready, and what was killed to be gone."""

_PAUSE_S = 0.0003
"""Between two looks at whether bubblewrap is ready, which takes it a few milliseconds."""
_STATUS_BYTES = 2**16
_OPEN = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class Options:
    """Options of one bwrap, and the descriptors that they name."""

    def __init__(self) -> None:
        self.words: list[bytes] = []
        self.descriptors: list[int] = []

    def add(self, *words: str | bytes | int) -> None:
        """Add an option with its arguments."""
        self.words += (word if isinstance(word, bytes) else to_bytes(str(word)) for word in words)

    def add_descriptor(self, option: str, descriptor: int, *words: str | bytes) -> None:
        """Add an option whose first argument is a descriptor, which is this object's to close."""
        self.descriptors.append(descriptor)
        self.add(option, descriptor, *words)

    def add_data(self, option: str, data: bytes, *words: str | bytes) -> None:
        """Add an option whose first argument is a descriptor from which `data` is read. Raises OSError."""
        self.add_descriptor(option, _in_memory(data), *words)

    def add_tree(self, tree: FileTree, place: str) -> None:
        """Have bubblewrap lay out `tree` at `place`. Raises Broken (`layout`) for a FIFO, socket or device."""
        for path, entry in tree.items():
            target = to_bytes(f"{place}/{path}")
            match entry:
                case File(data, mode):
                    self.add("--perms", f"{mode:04o}")
                    self.add_data("--file", data, target)
                case Directory():
                    self.add("--perms", "0700", "--dir", target)
                case Symlink(to):
                    self.add("--symlink", to_bytes(to), target)
                case _:
                    raise Broken("layout", f"a fixture cannot hold a {entry.kind}")
        # The deepest first: a directory may be closed to its owner.
        for path, entry in reversed(tuple(tree.items())):
            if isinstance(entry, Directory):
                self.add("--chmod", f"{entry.mode:04o}", to_bytes(f"{place}/{path}"))

    def sealed(self) -> int:
        """Return a descriptor of all the options, for `--args`: no item can read them there. To be called last."""
        self.descriptors.append(_in_memory(b"".join(word + b"\0" for word in self.words)))
        return self.descriptors[-1]

    def close(self) -> None:
        """Close the descriptors here."""
        while self.descriptors:
            os.close(self.descriptors.pop())


class Bubble:
    """A bwrap that has set everything up and waits."""

    def __init__(self, process: subprocess.Popen[bytes], status: int, gate: int) -> None:
        """Wait until it is ready. Raises Broken (`bubblewrap`)."""
        self.process = process
        self._status, self._gate = status, gate
        self._said = b""
        self.cpu_s = 0.0
        """CPU time of all that it ran, known at its end."""
        self._first = self._pid_of_first()
        self._inside = pidfd_open(self._first)

    @property
    def first(self) -> int:
        """The process id of the first process inside."""
        return self._first

    def open_directories(self, *places: str) -> list[int]:
        """Return descriptors of directories as they are inside. Raises Broken (`bubblewrap`)."""
        deadline = time.monotonic() + PATIENCE_S
        root = f"/proc/{self._first}/root"
        while not _is_set_up(root, places):
            if time.monotonic() > deadline or self.has_ended():
                raise self._failed()
            time.sleep(_PAUSE_S)
        return [os.open(f"{root}{place}", _OPEN) for place in places]

    def release(self) -> None:
        """Let the command start."""
        os.write(self._gate, b".")

    def has_ended(self) -> bool:
        """Tell whether the command, or bwrap itself, has ended."""
        return self.process.returncode is not None or _is_a_zombie(self.process.pid)

    def end(self) -> bool:
        """Kill everything; return whether it is gone."""
        with suppress(StepFailed):
            kill_by_descriptor(self._inside, signal.SIGKILL)
        poll = select.poll()
        poll.register(self._inside, select.POLLIN)
        if not (self._reap() and poll.poll(1000 * PATIENCE_S)):
            return False
        with suppress(ChildProcessError):  # bwrap has waited for it itself
            self._reap_child(self._first)
        return True

    def exit_code(self) -> int | None:
        """Return what bwrap wrote of the end, 128 + signal where one ended the command; None where nothing."""
        while piece := os.read(self._status, _STATUS_BYTES):
            self._said += piece
        found = (json.loads(line).get("exit-code") for line in self._said.splitlines())
        return next((code for code in found if code is not None), None)

    def close(self) -> None:
        """End it and let go of it."""
        self.end()
        os.close(self._inside)

    def _reap(self) -> bool:
        """Kill bwrap and wait for it, as Popen does, which tells no CPU time; return whether it is gone."""
        if self.process.returncode is not None:
            return True
        os.kill(self.process.pid, signal.SIGKILL)
        deadline = time.monotonic() + PATIENCE_S
        while not _is_a_zombie(self.process.pid):
            if time.monotonic() > deadline:
                return False
            time.sleep(_PAUSE_S)
        self.process.returncode = self._reap_child(self.process.pid)
        return True

    def _reap_child(self, child: int) -> int:
        _, status, usage = os.wait4(child, 0)
        self.cpu_s += usage.ru_utime + usage.ru_stime
        return os.waitstatus_to_exitcode(status)

    def _pid_of_first(self) -> int:
        poll = select.poll()
        poll.register(self._status, select.POLLIN)
        while b"\n" not in self._said:
            piece = os.read(self._status, _STATUS_BYTES) if poll.poll(1000 * PATIENCE_S) else b""
            if not piece:
                raise self._failed()
            self._said += piece
        return int(json.loads(self._said.partition(b"\n")[0])["child-pid"])

    def _failed(self) -> Broken:
        self.process.kill()
        self.process.wait(PATIENCE_S)
        return Broken("bubblewrap", f"bubblewrap could not set the item up (status {self.process.returncode})")


@contextmanager
def bubble(
    program: str, options: Options, argv: Sequence[bytes], user: User, streams: Sequence[int]
) -> Iterator[Bubble]:
    """Start bwrap up to where it waits, and end it. Raises Broken: `spawn:<errno name>`, `bubblewrap`."""
    status, status_end = os.pipe()
    gate_end, gate = os.pipe()
    options.add_descriptor("--json-status-fd", status_end)
    options.add_descriptor("--block-fd", gate_end)
    try:
        try:
            process = _start(program, options, argv, user, streams)
        finally:
            options.close()
        held = Bubble(process, status, gate)
        try:
            yield held
        finally:
            held.close()
    finally:
        os.close(status)
        os.close(gate)


def _start(
    program: str, options: Options, argv: Sequence[bytes], user: User, streams: Sequence[int]
) -> subprocess.Popen[bytes]:
    """Start bwrap with an empty environment: its first process inside keeps what it was started with."""
    stdout, stderr, *stdin = streams
    as_user = {"user": user.uid, "group": user.gid, "extra_groups": []} if user.is_somebody_else else {}
    sealed = options.sealed()
    try:
        return subprocess.Popen(  # type: ignore[call-overload, no-any-return]  # noqa: S603 -- hostile by trade
            [program, "--args", str(sealed), "--", *argv],
            env={},
            cwd="/",
            stdin=stdin[0] if stdin else subprocess.DEVNULL,
            stdout=stdout,
            stderr=stderr,
            pass_fds=options.descriptors,
            start_new_session=True,
            umask=UMASK,
            preexec_fn=restoring_defaults(),  # noqa: PLW1509 -- see there
            **as_user,
        )
    except OSError as error:
        name = errno.errorcode.get(error.errno or 0, "unknown")
        raise Broken(f"spawn:{name}", f"cannot start {argv[0]!r}: {error.strerror}") from error
    except ValueError as error:
        raise Broken("spawn:EINVAL", f"cannot start {argv[0]!r}: {error}") from error


def _is_a_zombie(child: int) -> bool:
    return os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def _is_set_up(root: str, places: Iterable[str]) -> bool:
    """Tell whether the first process has the new root: bwrap enters it when all is in place."""
    try:
        if Path(root).samefile("/"):
            return False
        return all(stat.S_ISDIR(os.lstat(f"{root}{place}").st_mode) for place in places)
    except OSError:
        return False


def _in_memory(data: bytes) -> int:
    """Return a descriptor from which `data` can be read. Raises OSError."""
    descriptor = os.memfd_create("qb")
    with open(descriptor, "wb", closefd=False) as file:
        file.write(data)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor

"""`bubblewrap`: one bwrap(1) for each item, where that program is installed and may make namespaces.

An item sees and may do what it does under `namespace`, the same seccomp filter included; its directories are
limited in bytes, not in entries. bwrap tells a command that was ended by a signal as exit status 128 + signal.
"""

from __future__ import annotations

import os
import resource
import shutil
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from platform import machine
from signal import SIGKILL

from pytest_quotebench.core.capture import capture_directory
from pytest_quotebench.core.errors import Broken
from pytest_quotebench.core.execution import REPORT, Applets, AuxPath, Execution, Invocation, whole_environment
from pytest_quotebench.core.limits import Limits
from pytest_quotebench.core.text import to_bytes, visible_block
from pytest_quotebench.core.tree import FileTree
from pytest_quotebench.processes.bounding import Bound
from pytest_quotebench.processes.broker.place import auxiliary_tree, brokered
from pytest_quotebench.processes.bubblewrap import Bubble, Options, bubble
from pytest_quotebench.processes.descendants import nothing_outlives
from pytest_quotebench.processes.ending import Ended, limit_met, read_report, to_execution
from pytest_quotebench.processes.namespaces.kernel import StepFailed, pidfd_open, rlimit_for_processes
from pytest_quotebench.processes.namespaces.refusals import obvious_refusal
from pytest_quotebench.processes.namespaces.seccomp import filter_program
from pytest_quotebench.processes.namespaces.view import AUX, COPIED, ETC, SYSTEM, TASK, TMP, UID
from pytest_quotebench.processes.pipes import Pipes, connected
from pytest_quotebench.processes.users import item_user
from pytest_quotebench.sandboxes import refusal_when_tried

STRENGTH = 20
"""Weaker than `namespace` by the limit on entries, and by a program that may be old."""

BROKERS = True
"""A broker's socket can be bound for an item."""

_PRLIMIT = "/usr/bin/prlimit"
_PAGE = 4096
_OPEN_FILES = 1024
_SPARE_PROCESSES = 16
"""So that the cgroup, which counts, refuses a process before the rlimit does."""

_NAMESPACES = (
    *("--unshare-all", "--unshare-user", "--disable-userns", "--die-with-parent", "--new-session"),
    *("--cap-drop", "ALL", "--uid", UID, "--gid", UID, "--hostname", "sandbox", "--clearenv"),
)
_SYSTEM_OPTIONS = (
    *("--ro-bind", "/usr", "/usr", "--proc", "/proc", "--dev", "/dev"),
    *("--perms", "0755", "--dir", "/etc", "--perms", "0755", "--dir", AUX, "--dir", "/run", "--dir", "/var"),
    *("--symlink", TMP, f"/var{TMP}"),
    *("--ro-bind-try", "/etc/alternatives", "/etc/alternatives", "--symlink", "/proc/self/mounts", "/etc/mtab"),
)


def refusal() -> str | None:
    """Try it: run one command; return what this machine refused and what to do, or None."""
    if (obvious := obvious_refusal()) is not None:
        return obvious
    if shutil.which("bwrap") is None:
        return "the program bwrap is not installed: install the package bubblewrap, 0.8 or newer"
    if not os.access(_PRLIMIT, os.X_OK):
        return f"{_PRLIMIT} is not installed: install the package util-linux"
    return refusal_when_tried(open_sandbox())


@contextmanager
def open_sandbox() -> Iterator[BubblewrapSandbox]:
    """Open a sandbox. All that an item has lies in memory and goes with it; a cgroup is removed at the end."""
    with closing(BubblewrapSandbox()) as sandbox:
        yield sandbox


class BubblewrapSandbox:
    """Runs one command after the other, each in a bwrap of its own."""

    name = "bubblewrap"

    def __init__(self) -> None:
        self._bound: Bound | None = None

    def run(self, tree: FileTree, invocation: Invocation, limits: Limits) -> Execution:
        """Run `invocation` in a fresh directory that holds `tree`, as the protocol says.

        Raises Broken: `bubblewrap` with what bwrap said, `layout`, `spawn:<errno name>`, `survivor`, and
        `unsupported` for a terminal.
        """
        if invocation.tty:
            raise Broken("unsupported", "the bubblewrap sandbox gives no terminal")
        try:
            return _run(self._bounds(limits), tree, invocation, limits)
        except (OSError, StepFailed) as error:
            raise Broken("bubblewrap", f"the bubblewrap sandbox failed: {error}") from error

    def close(self) -> None:
        """Remove the cgroup, where there is one."""
        bound, self._bound = self._bound, None
        if bound is not None:
            bound.close()

    def _bounds(self, limits: Limits) -> Bound:
        if self._bound is None or not self._bound.is_for(limits):
            self.close()
            self._bound = Bound(limits)
        return self._bound


def _prefix(limits: Limits, *, is_bound: bool) -> list[bytes]:
    """Return the start of an argv that sets the limits of one process (prlimit(1)), and so the command's."""
    memory, processes = limits.memory_bytes, limits.processes
    wanted = {"core": 0, "memlock": 0, "msgqueue": 0, "nofile": _OPEN_FILES}
    if is_bound:
        wanted |= {"nproc": rlimit_for_processes(processes + _SPARE_PROCESSES)}
    else:
        wanted |= {"nproc": rlimit_for_processes(processes), "data": memory, "as": 4 * memory}
    cpu = f"--cpu={limits.cpu_s}:{limits.cpu_s + 1}".encode()
    # With a colon only the soft one is set, which a command may lift: see `limit_resources`.
    size = f"--fsize={limits.tree.file_bytes + 1}:".encode()
    return [_PRLIMIT.encode(), cpu, size, *(_limit(name, value) for name, value in wanted.items()), b"--"]


def _limit(name: str, wanted: int) -> bytes:
    hard = resource.getrlimit(getattr(resource, f"RLIMIT_{name.upper()}"))[1]
    return f"--{name}={wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)}".encode()


def _run(bound: Bound, tree: FileTree, invocation: Invocation, limits: Limits) -> Execution:
    # Started as root, bwrap would keep rights outside that a command could use (core_pattern, others' files).
    user = item_user()
    argv = [_argument(argument, invocation) for argument in invocation.argv]
    environment = whole_environment(invocation, TASK, _applets_place(invocation.applets))
    _check_program(argv[0], invocation, environment)
    with nothing_outlives(), ExitStack() as held:
        options = Options()
        held.callback(options.close)
        _describe(options, tree, invocation, limits, environment)
        pipes = held.enter_context(connected(invocation.stdin, limits))
        if user.is_somebody_else:
            pipes.give_away(*user)
        with _bwraps_words(pipes):
            argv = [*_prefix(limits, is_bound=bound.is_granted), *argv]
            inside = held.enter_context(bubble(_program(), options, argv, user, pipes.theirs))
            pipes.close_theirs()
            task, scratch = inside.open_directories(TASK, TMP)
        held.callback(os.close, task)
        held.callback(os.close, scratch)
        if invocation.broker is not None:
            held.enter_context(brokered(invocation.broker, scratch, user))
        if bound.is_granted and not bound.add(inside.first):
            raise Broken("cgroup", "a process cannot be put into the cgroup that was made for it")
        ended = _run_to_end(inside, bound, pipes, limits)
        after = capture_directory(task, limits.tree)
        return to_execution(
            ended,
            after.unless(os.fstatvfs(task).f_bfree == 0),
            aux_directory=AUX if invocation.aux_files else "",
            report=read_report(scratch, REPORT) if invocation.reports else b"",
        )


def _run_to_end(inside: Bubble, bound: Bound, pipes: Pipes, limits: Limits) -> Ended:
    watch = pipes.watch
    wakes = pidfd_open(inside.process.pid)
    try:
        started = time.monotonic()
        inside.release()
        watch.until_end(inside.has_ended, wakes)
        duration = time.monotonic() - started
    finally:
        os.close(wakes)
    if not inside.end():
        raise Broken("survivor", "something that the command started cannot be killed")
    watch.drain()
    code, met = inside.exit_code(), bound.met()
    ended_by_us = watch.timed_out or watch.is_over_output_limit
    if code is None and not ended_by_us and "limit:memory" not in met:
        raise Broken("bubblewrap", f"bwrap was ended from outside (status {inside.process.returncode})")
    if watch.timed_out:
        code = None
    detail = limit_met(watch, met, _as_signal(code), inside.cpu_s, limits)
    return Ended.of(-SIGKILL if code is None else code, watch, duration, detail)


def _as_signal(code: int | None) -> int:
    """Return a signal below 0 where bwrap's word can be one: it tells it as 128 + its number."""
    return -SIGKILL if code is None else 128 - code if code > 128 else code


def _describe(
    options: Options, tree: FileTree, invocation: Invocation, limits: Limits, environment: Mapping[str, str]
) -> None:
    """Say what the item sees and may do."""
    # Small files take whole pages of a tmpfs.
    size = limits.tree.total_bytes + limits.tree.entries * _PAGE
    options.add(*_NAMESPACES)
    for name, value in environment.items():
        options.add("--setenv", to_bytes(name), to_bytes(value))
    options.add(*_SYSTEM_OPTIONS)
    for name in SYSTEM:
        if Path("/", name).is_symlink():
            options.add("--symlink", str(Path("/", name).readlink()), f"/{name}")
        else:
            options.add("--ro-bind-try", f"/{name}", f"/{name}")
    options.add_tree(FileTree.of(ETC), "/etc")
    for name in COPIED:
        options.add("--ro-bind-try", f"/etc/{name}", f"/etc/{name}")
    options.add("--size", size, "--tmpfs", "/dev/shm")  # noqa: S108 -- the sandbox's own
    options.add(
        "--size", size, "--perms", "1777", "--tmpfs", TMP, "--size", size, "--perms", "0755", "--tmpfs", TASK
    )
    options.add_tree(tree, TASK)
    options.add_tree(auxiliary_tree(invocation, TMP), AUX)
    if invocation.applets is not None:
        place = _applets_place(invocation.applets)
        options.add("--perms", "0755", "--dir", place)
        options.add_tree(invocation.applets.tree, place)
    if invocation.reports:
        options.add_data("--file", b"", f"{TMP}/{REPORT}")
    options.add("--remount-ro", "/dev", "--remount-ro", "/", "--chdir", TASK)
    options.add_data("--seccomp", filter_program(machine()))


@contextmanager
def _bwraps_words(pipes: Pipes) -> Iterator[None]:
    """Add what bwrap wrote to an error that it caused; no command has run yet."""
    try:
        yield
    except Broken as broken:
        pipes.watch.drain()
        said = visible_block(pipes.watch.kept[pipes.watch.stderr].value(), 500).strip()
        raise Broken(broken.detail, f"{broken}: {said}" if said else str(broken)) from broken


def _program() -> str:
    found = shutil.which("bwrap")
    if found is None:
        raise Broken("bubblewrap", "the program bwrap is not there any more")
    return found


def _applets_place(applets: Applets | None) -> str:
    return f"{AUX}/{applets.directory}" if applets is not None else ""


def _check_program(name: bytes, invocation: Invocation, environment: Mapping[str, str]) -> None:
    """Raise Broken where the program is in none of PATH's directories: prlimit would tell it as an exit status."""
    if b"/" in name or (invocation.applets is not None and os.fsdecode(name) in invocation.applets.tree):
        return
    if shutil.which(os.fsdecode(name), path=environment["PATH"]) is None:
        raise Broken("spawn:ENOENT", f"cannot start {name!r}: it is not in {environment['PATH']}")


def _argument(argument: bytes | AuxPath, invocation: Invocation) -> bytes:
    if isinstance(argument, bytes):
        return argument
    # Auxiliary files cannot be written to; a report lies in the item's /tmp.
    place = TMP if invocation.reports and argument.name == REPORT else AUX
    return to_bytes(f"{place}/{argument.name}")

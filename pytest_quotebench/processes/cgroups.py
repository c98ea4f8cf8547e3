"""A cgroup that bounds memory and processes together and counts where a bound was met, where one is granted.

It is granted to root with a writable /sys/fs/cgroup, and to a user whose session manager delegates a part of it.
"""

from __future__ import annotations

import os
import signal
import time
from errno import EBUSY
from typing import NamedTuple

_PREFIX = "qb-"
_ROOT = "/sys/fs/cgroup"
_TRIES, _PAUSE_S = 100, 0.01
_SLACK = 64 * 2**20
"""What the sandbox's own processes take beside the items'."""
_OWN_PROCESSES = 2
"""The zygote and an item's init, a keeper and a spare one, or bwrap's."""


class Cgroup(NamedTuple):
    """Directories below /sys/fs/cgroup, one where controllers are unified (cgroups(7))."""

    directories: list[str]
    event_files: list[tuple[str, str, str]]
    """A verdict's detail, the file that counts its events, and the word before the count."""

    def add(self, process: int) -> bool:
        """Put a process, and what it starts from now on, under the limits; return whether that is granted."""
        try:
            for directory in self.directories:
                _write(f"{directory}/cgroup.procs", str(process))
        except OSError:
            return False
        return True

    def kill(self) -> None:
        """Kill every process in it, wherever it has gone: they cannot leave it. Not to be called from inside."""
        for directory in self.directories:
            for _ in range(_TRIES):
                members = _members(directory)
                if not members:
                    break
                for process in members:
                    _kill(process)
                time.sleep(_PAUSE_S)

    def remove(self) -> None:
        """Remove it, where it is still there; processes that were killed are given some time to be gone."""
        for directory in self.directories:
            for _ in range(_TRIES):
                try:
                    os.rmdir(directory)
                except OSError as error:
                    if error.errno != EBUSY:
                        break
                    time.sleep(_PAUSE_S)
                else:
                    break


def create(memory_bytes: int, processes: int) -> Cgroup | None:
    """Make a cgroup with these limits, or return None where none is granted; remove what a killed run left."""
    name = f"{_PREFIX}{os.getpid()}-{os.urandom(4).hex()}"
    memory, pids = _parents()
    if not memory or not pids:
        return None
    made: list[str] = []
    try:
        for parent in dict.fromkeys((memory, pids)):
            _remove_stale(parent)
            os.mkdir(f"{parent}/{name}")
            made.append(f"{parent}/{name}")
        return _limited(f"{memory}/{name}", f"{pids}/{name}", memory_bytes + _SLACK, processes + _OWN_PROCESSES)
    except OSError:
        Cgroup(made, []).remove()
        return None


def _limited(memory: str, pids: str, memory_bytes: int, processes: int) -> Cgroup:
    _write(f"{pids}/pids.max", str(processes))
    if os.path.exists(f"{memory}/memory.max"):
        _write(f"{memory}/memory.max", str(memory_bytes))
        if os.path.exists(f"{memory}/memory.swap.max"):
            _write(f"{memory}/memory.swap.max", "0")
        killed = f"{memory}/memory.events"
    else:
        _write(f"{memory}/memory.limit_in_bytes", str(memory_bytes))
        killed = f"{memory}/memory.oom_control"
    events = [("limit:memory", killed, "oom_kill"), ("limit:pids", f"{pids}/pids.events", "max")]
    return Cgroup(list(dict.fromkeys((memory, pids))), events)


def _parents() -> tuple[str, str]:
    """Return the directories below which a memory and a pids cgroup can be made; empty where there is none."""
    own: dict[str, str] = {}
    with open("/proc/self/cgroup") as file:
        for line in file:
            _, controllers, path = line.rstrip("\n").split(":", 2)
            for controller in controllers.split(","):
                own[controller] = path.rstrip("/")
    if "memory" in own and "pids" in own:
        return f"{_ROOT}/memory{own['memory']}", f"{_ROOT}/pids{own['pids']}"
    for parent in (f"{_ROOT}{os.path.dirname(own.get('', ''))}".rstrip("/"), _ROOT):
        try:
            with open(f"{parent}/cgroup.subtree_control") as file:
                granted = file.read().split()
        except OSError:
            continue
        if "memory" in granted and "pids" in granted:
            return parent, parent
    return "", ""


def _remove_stale(parent: str) -> None:
    """Remove the directories of makers that are gone: where one was killed, nobody else does."""
    with os.scandir(parent) as listing:
        found = [(entry.path, entry.name.split("-")) for entry in listing if entry.name.startswith(_PREFIX)]
    for directory, (_, maker, *_) in found:
        if not os.path.exists(f"/proc/{maker}"):
            Cgroup([directory], []).remove()


def _members(directory: str) -> list[int]:
    try:
        with open(f"{directory}/cgroup.procs") as file:
            return [int(line) for line in file]
    except OSError:
        return []


def _kill(process: int) -> None:
    try:
        os.kill(process, signal.SIGKILL)
    except OSError:
        return


def _write(path: str, text: str) -> None:
    with open(path, "w") as file:
        file.write(text)

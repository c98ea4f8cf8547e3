"""The system calls that Python has no function for, on Linux for x86_64 and aarch64 (syscalls(2))."""

from __future__ import annotations

import ctypes
import os
import platform
import struct
from collections.abc import Callable

MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC = 1, 2, 4, 8
MS_REMOUNT, MS_BIND, MS_REC, MS_PRIVATE = 32, 4096, 16384, 1 << 18
"""mount(2), linux/mount.h."""
MNT_DETACH = 2

CLONE_NEWNS, CLONE_NEWCGROUP, CLONE_NEWUTS, CLONE_NEWIPC = 0x20000, 0x2000000, 0x4000000, 0x8000000
CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET = 0x10000000, 0x20000000, 0x40000000
"""clone(2), linux/sched.h."""

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_SECCOMP = 1, 4, 22
PR_SET_SECUREBITS, SECBIT_NO_SETUID_FIXUP = 28, 4
PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS, PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL = 24, 38, 47, 4
"""prctl(2), linux/prctl.h."""

_LAST_CAPABILITY = 63
_ROOM_FOR_OTHERS = 4096
_SIGCHLD = 17
_KEYCTL_JOIN_SESSION_KEYRING = 1
_CAPABILITY_VERSION_3 = 0x20080522

_ON_EVERY_MACHINE = {"pidfd_send_signal": 424, "pidfd_open": 434}
_NUMBERS = {
    "x86_64": {"clone": 56, "capset": 126, "pivot_root": 155, "keyctl": 250, "seccomp": 317},
    "aarch64": {"clone": 220, "capset": 91, "pivot_root": 41, "keyctl": 219, "seccomp": 277},
}
MACHINES = tuple(_NUMBERS)


class StepFailed(Exception):
    """A step on the way into the namespaces that the kernel refused; `errno` is its number."""

    def __init__(self, step: str, errno: int) -> None:
        super().__init__(f"{step}: {os.strerror(errno)}")
        self.step = step
        self.errno = errno


# PyDLL keeps the interpreter's lock during the call: a clone(2) must not return without it.
_C = ctypes.PyDLL(None, use_errno=True)
_C.syscall.restype = ctypes.c_long


def _checked(step: str, function: Callable[..., int], *arguments: object) -> int:
    ctypes.set_errno(0)
    result = function(*arguments)
    if result < 0:
        raise StepFailed(step, ctypes.get_errno())
    return result


def _syscall(step: str, name: str, *arguments: object) -> int:
    number = _ON_EVERY_MACHINE.get(name) or _NUMBERS[platform.machine()][name]
    longs = [ctypes.c_long(value) if isinstance(value, int) else value for value in arguments]
    return _checked(step, _C.syscall, ctypes.c_long(number), *longs)


def mount(source: str, target: str, kind: str, flags: int, options: str = "") -> None:
    """Mount something (mount(2)). Raises StepFailed."""
    _checked(
        f"mount {kind or source} on {target}",
        _C.mount,
        os.fsencode(source),
        os.fsencode(target),
        kind.encode(),
        ctypes.c_ulong(flags),
        options.encode(),
    )


def unmount_lazily(target: str) -> None:
    """Take a mount away, whoever still holds something of it open. Raises StepFailed."""
    _checked(f"unmount {target}", _C.umount2, os.fsencode(target), MNT_DETACH)


def pivot_root(new_root: str, put_old: str) -> None:
    """Make `new_root` this mount namespace's root (pivot_root(2)). Raises StepFailed."""
    _syscall("pivot_root", "pivot_root", os.fsencode(new_root), os.fsencode(put_old))


def clone(flags: int) -> int:
    """Fork into new namespaces; return 0 in the child. This process must have one thread. Raises StepFailed."""
    return _syscall("clone into new namespaces", "clone", flags | _SIGCHLD, 0, 0, 0, 0)


def prctl(step: str, operation: int, *arguments: int) -> None:
    """Change something about this process (prctl(2)). Raises StepFailed."""
    longs = [ctypes.c_ulong(argument) for argument in (*arguments, 0, 0, 0, 0)[:4]]
    _checked(step, _C.prctl, operation, *longs)


def pidfd_open(pid: int) -> int:
    """Return a descriptor of a process, never inherited (pidfd_open(2)). Raises StepFailed."""
    return _syscall("pidfd_open", "pidfd_open", pid, 0)


def kill_by_descriptor(pidfd: int, signal: int) -> None:
    """Send a signal to the very process that `pidfd` stands for. Raises StepFailed (ESRCH where it is gone)."""
    _syscall("pidfd_send_signal", "pidfd_send_signal", pidfd, signal, 0, 0)


def install_filter(program: bytes) -> None:
    """Put a seccomp filter on this process and all that it will start (seccomp(2)). Raises StepFailed."""
    buffer = ctypes.create_string_buffer(program, len(program))
    header = struct.pack("HxxxxxxP", len(program) // 8, ctypes.addressof(buffer))
    # SECCOMP_FILTER_FLAG_SPEC_ALLOW: without it kernels before 5.16 slow the command down (seccomp(2)).
    _syscall("install the seccomp filter", "seccomp", 1, 4, ctypes.create_string_buffer(header, len(header)))


def empty_capability_bounds() -> None:
    """Take every capability out of what an execve(2) could ever give back (capabilities(7))."""
    for capability in range(_LAST_CAPABILITY + 1):
        try:
            prctl("empty the capability bounding set", PR_CAPBSET_DROP, capability)
        except StepFailed:
            return  # EINVAL: the one before was the kernel's last


def drop_capabilities() -> None:
    """Give up every capability of this process. Raises StepFailed."""
    prctl("clear the ambient capabilities", PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL)
    header = ctypes.create_string_buffer(struct.pack("Ii", _CAPABILITY_VERSION_3, 0), 8)
    _syscall("drop all capabilities", "capset", header, ctypes.create_string_buffer(24))


def join_new_keyring() -> None:
    """Leave the session keyring that was inherited; where the kernel has no keyrings there is nothing to leave."""
    try:
        _syscall("join a new keyring", "keyctl", _KEYCTL_JOIN_SESSION_KEYRING, 0)
    except StepFailed:
        return


def rlimit_for_processes(processes: int) -> int:
    """Return the RLIMIT_NPROC that allows a sandbox this many processes.

    Before Linux 5.14 the kernel counts what the user runs outside as well, for which there must be room.
    """
    major, minor, *_ = (int("".join(filter(str.isdigit, part))) for part in os.uname().release.split(".")[:2])
    return processes if (major, minor) >= (5, 14) else processes + _ROOM_FOR_OTHERS


def erase_arguments() -> None:
    """Overwrite this process's arguments and initial environment, which its children show in /proc/PID/cmdline."""
    with open("/proc/self/stat", "rb") as file:
        fields = file.read().rpartition(b")")[2].split()
    # Fields 48 to 51 of proc_pid_stat(5), of which the third is the first after the name.
    start, end, environment, environment_end = map(int, fields[45:49])
    ctypes.memset(start, 0, end - start)
    ctypes.memset(environment, 0, environment_end - environment)

"""What an item sees of the system: the installed programs, devices that hold nothing, and an /etc of its own.

There is no home, no /run and no socket in it, no /sys, no /opt, nothing of pytest, and nothing can be written to.
"""

from __future__ import annotations

import fcntl
import os
import socket
import struct

from pytest_quotebench.processes.namespaces.kernel import (
    MS_BIND,
    MS_NODEV,
    MS_NOEXEC,
    MS_NOSUID,
    MS_PRIVATE,
    MS_RDONLY,
    MS_REC,
    MS_REMOUNT,
    StepFailed,
    mount,
    pivot_root,
    unmount_lazily,
)

TASK, AUX, TMP = "/task", "/aux", "/tmp"  # noqa: S108 -- a fresh one for each item
UID = 1000
"""The user and group that items are, inside."""

_BASE = "/tmp"  # noqa: S108 -- a directory that every system has; only this mount namespace sees what is put on it
SYSTEM = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
_DEVICES = ("null", "zero", "full", "random", "urandom", "tty")
_LINKS = {
    "dev/fd": "/proc/self/fd",
    "dev/stdin": "/proc/self/fd/0",
    "dev/stdout": "/proc/self/fd/1",
    "dev/stderr": "/proc/self/fd/2",
    "dev/ptmx": "pts/ptmx",
    "dev/shm": TMP,
    "var/tmp": TMP,
    "etc/mtab": "/proc/self/mounts",
}
_DIRECTORIES = ("dev/pts", "proc", "etc/alternatives", "run", "var", "task", "aux", "tmp", "usr")
ETC = {
    "passwd": f"root:x:0:0:root:/:/usr/sbin/nologin\nuser:x:{UID}:{UID}:user:{TASK}:/bin/bash\n"
    "nobody:x:65534:65534:nobody:/:/usr/sbin/nologin\n",
    "group": f"root:x:0:\nuser:x:{UID}:\nnogroup:x:65534:\n",
    "hosts": "127.0.0.1 localhost sandbox\n::1 localhost\n",
    "hostname": "sandbox\n",
    "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\nservices: files\nprotocols: files\n",
}
COPIED = ("ld.so.cache", "ld.so.conf", "localtime", "os-release", "protocols", "services", "shells")
"""What programs need of the host's /etc, and every user may read; a link is copied as one."""
_LARGEST_COPY = 4 * 2**20
_UNREACHABLE = (2, 13)  # ENOENT, EACCES: what this user cannot reach, an item cannot either


def enter_view() -> int:
    """Make the view the root of this mount namespace; return a descriptor of the directory for auxiliary files.

    Through the descriptor it can be written to; an item sees it read-only. This process must be the first of its
    pid namespace, of which /proc then tells. Raises StepFailed, and OSError where the host's /etc cannot be read.
    """
    mount("none", "/", "", MS_REC | MS_PRIVATE)
    mount("tmpfs", _BASE, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755,size=16m")
    os.chdir(_BASE)
    _lay_out()
    _bind_system()
    auxiliary = _mount_auxiliary()
    pivot_root(".", ".")
    unmount_lazily(".")
    os.chdir("/")
    _make_read_only()
    return auxiliary


def bring_loopback_up() -> None:
    """Bring the only network interface up. Raises OSError."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        # SIOCSIFFLAGS with IFF_UP and IFF_RUNNING (netdevice(7))
        fcntl.ioctl(any_socket, 0x8914, struct.pack("16sH14x", b"lo", 0x41))


def _lay_out() -> None:
    for directory in _DIRECTORIES:
        os.makedirs(directory, 0o755, exist_ok=True)
    for link, target in _LINKS.items():
        os.symlink(target, link)
    for name, text in ETC.items():
        _write(f"etc/{name}", text.encode())
    for name in COPIED:
        _copy(f"/etc/{name}", f"etc/{name}")
    with os.scandir("/etc") as listing:
        for found in listing:
            if found.name.startswith("ld-musl-"):
                _copy(found.path, f"etc/{found.name}")
    _copy_links("/etc/alternatives", "etc/alternatives")


def _copy(source: str, target: str) -> None:
    try:
        if os.path.islink(source):
            os.symlink(os.readlink(source), target)
            return
        with open(source, "rb") as file:
            data = file.read(_LARGEST_COPY)
    except OSError:
        return  # not there, or not for this user
    _write(target, data)


def _copy_links(source: str, target: str) -> None:
    """Copy the links of a directory: on Debian /usr/bin/awk leads through one of /etc/alternatives."""
    try:
        names = os.listdir(source)
    except OSError:
        return
    for name in names:
        if os.path.islink(f"{source}/{name}"):
            os.symlink(os.readlink(f"{source}/{name}"), f"{target}/{name}")


def _write(path: str, data: bytes) -> None:
    with open(path, "xb") as file:
        file.write(data)


def _bind_system() -> None:
    mount("/usr", "usr", "", MS_BIND | MS_REC)
    for name in SYSTEM:
        if os.path.islink(f"/{name}"):
            os.symlink(os.readlink(f"/{name}"), name)
        elif os.path.isdir(f"/{name}"):
            os.mkdir(name)
            mount(f"/{name}", name, "", MS_BIND | MS_REC)
    for name in _DEVICES:
        _write(f"dev/{name}", b"")
        mount(f"/dev/{name}", f"dev/{name}", "", MS_BIND)
    mount("devpts", "dev/pts", "devpts", MS_NOSUID | MS_NOEXEC, "newinstance,ptmxmode=0666,mode=0620")
    # The kernel gives a new /proc only to those who see one without anything put over it (mount_too_revealing in
    # fs/namespace.c): this one stays below each item's own.
    mount("proc", "proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC)


def _mount_auxiliary() -> int:
    """Mount the file system for auxiliary files read-only, and keep a way to write to it."""
    mount("tmpfs", "tmp", "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755,size=64m")
    directory = os.open("tmp", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    mount("tmp", "aux", "", MS_BIND)
    unmount_lazily("tmp")
    return directory


def _make_read_only() -> None:
    for place, options in _mounts():
        if place in ("/proc", "/dev/pts"):
            continue
        flags = MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID
        flags |= 0 if place.startswith("/dev/") else MS_NODEV
        # Flags of a mount that came from the host are locked: they can be added to, not left out.
        flags |= MS_NOEXEC if "noexec" in options else 0
        try:
            mount("none", place, "", flags)
        except StepFailed as failed:
            if failed.errno not in _UNREACHABLE:
                raise


def _mounts() -> list[tuple[str, list[str]]]:
    """Return mount points and their options (proc_pid_mountinfo(5)), the deepest last."""
    with open("/proc/self/mountinfo", "rb") as file:
        lines = [line.split(b" ") for line in file.read().splitlines()]
    return [(_unescaped(fields[4]), os.fsdecode(fields[5]).split(",")) for fields in lines]


def _unescaped(path: bytes) -> str:
    for octal in (b"040", b"011", b"012", b"134"):
        path = path.replace(b"\\" + octal, bytes([int(octal, 8)]))
    return os.fsdecode(path)

"""The filter that every command runs under.

It refuses system calls that no shell command needs and that reach the kernel's less travelled parts, other
processes, or what outlives an item. It names what is refused and lets the rest pass: a list of what is allowed
would have to know every userland. Refused calls return an error as if the kernel had no right or no such call;
nothing is killed.
"""

from __future__ import annotations

import struct
from errno import EAFNOSUPPORT, ENOSYS, EPERM

REFUSED = {
    # namespaces and mounts
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "open_tree_attr": (467, 467),
    "statmount": (457, 457),
    "listmount": (458, 458),
    # other processes
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "pidfd_getfd": (438, 438),
    "kcmp": (312, 272),
    # keys
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    # large or rarely used parts of the kernel
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "fanotify_init": (300, 262),
    "open_by_handle_at": (304, 265),
    "lookup_dcookie": (212, 18),
    "modify_ldt": (154, None),
    "uselib": (134, None),
    "vhangup": (153, 58),
    # the machine
    "acct": (163, 89),
    "adjtimex": (159, 171),
    "clock_adjtime": (305, 266),
    "clock_settime": (227, 112),
    "settimeofday": (164, 170),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "ioperm": (173, None),
    "iopl": (172, None),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "reboot": (169, 142),
    "sethostname": (170, 161),
    "setdomainname": (171, 162),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "syslog": (103, 116),
}
"""By name, the numbers on x86_64 and aarch64 (asm/unistd_64.h, asm-generic/unistd.h); EPERM."""

MISSING = {
    "clone3": (435, 435),  # its flags lie in memory, where a filter cannot look; the C library then takes clone
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    # System V objects and POSIX queues live as long as the helper: one item could leave some to another
    "shmget": (29, 194),
    "semget": (64, 190),
    "msgget": (68, 186),
    "mq_open": (240, 180),
}
"""ENOSYS, as on a kernel that was built without them."""

_CLONE, _IOCTL = (56, 220), (16, 29)
_SOCKETS = ((41, 198), (53, 199))
"""socket and socketpair."""
_NEW_NAMESPACES = 0x7E020000
"""All CLONE_NEW... flags that clone(2) takes."""
_TERMINAL_INPUT = (0x5412, 0x541C)
"""TIOCSTI, which types on somebody's terminal (CVE-2017-5226), and TIOCLINUX (asm-generic/ioctls.h)."""
_FAMILIES = (0, 1, 2, 10, 16)
"""AF_UNSPEC, AF_UNIX, AF_INET, AF_INET6, AF_NETLINK; AF_VSOCK reaches a virtual machine's host."""
_X32 = 0x40000000
"""The bit of the x32 calls on x86_64, which are other numbers for the same calls."""

_ARCHITECTURES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
"""The column above and AUDIT_ARCH_... (linux/audit.h)."""

_LOAD, _RETURN = 0x20, 0x06
_IF_EQUAL, _IF_AT_LEAST, _IF_ANY_BIT = 0x15, 0x35, 0x45
"""linux/bpf_common.h."""
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT, _SECOND_ARGUMENT = 0, 4, 16, 24
"""Offsets in struct seccomp_data (linux/seccomp.h); of an argument, its low half."""
_ALLOW, _ERROR = 0x7FFF0000, 0x00050000


def filter_program(machine: str) -> bytes:
    """Return the filter for a machine (`x86_64`, `aarch64`) as packed `struct sock_filter`s. Raises KeyError."""
    column, architecture = _ARCHITECTURES[machine]
    program = [
        _instruction(_LOAD, _ARCHITECTURE),
        _instruction(_IF_EQUAL, architecture, 1, 0),
        _refuse(ENOSYS),
        _instruction(_LOAD, _NUMBER),
    ]
    if machine == "x86_64":
        program += [_instruction(_IF_AT_LEAST, _X32, 0, 1), _refuse(ENOSYS)]
    program += _block(_IF_EQUAL, [numbers[column] for numbers in REFUSED.values()], EPERM)
    program += _block(_IF_EQUAL, [numbers[column] for numbers in MISSING.values()], ENOSYS)
    program += _guarded(
        _CLONE[column], _FIRST_ARGUMENT, [_instruction(_IF_ANY_BIT, _NEW_NAMESPACES, 0, 1), _refuse(EPERM)]
    )
    program += _guarded(_IOCTL[column], _SECOND_ARGUMENT, _block(_IF_EQUAL, _TERMINAL_INPUT, EPERM))
    for numbers in _SOCKETS:
        program += _guarded(numbers[column], _FIRST_ARGUMENT, _unless_one_of(_FAMILIES, EAFNOSUPPORT))
    program.append(_instruction(_RETURN, _ALLOW))
    return b"".join(program)


def _instruction(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, value)


def _refuse(errno: int) -> bytes:
    return _instruction(_RETURN, _ERROR | errno)


def _block(test: int, values: object, errno: int) -> list[bytes]:
    """Refuse where the loaded word equals one of `values`; go on behind the block otherwise."""
    found = [value for value in values if value is not None]  # type: ignore[attr-defined]
    last = len(found) - 1
    tests = [
        _instruction(test, value, last - index, 0 if index < last else 1) for index, value in enumerate(found)
    ]
    return [*tests, _refuse(errno)]


def _unless_one_of(values: tuple[int, ...], errno: int) -> list[bytes]:
    """Refuse where the loaded word equals none of `values`."""
    last = len(values)
    return [
        *(_instruction(_IF_EQUAL, value, last - index, 0) for index, value in enumerate(values)),
        _refuse(errno),
    ]


def _guarded(number: int, argument: int, block: list[bytes]) -> list[bytes]:
    """Run `block` on an argument of the call `number` alone; afterwards the number is loaded again."""
    body = [_instruction(_LOAD, argument), *block, _instruction(_LOAD, _NUMBER)]
    return [_instruction(_IF_EQUAL, number, 0, len(body)), *body]

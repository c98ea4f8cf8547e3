"""The filter, run on every machine it is written for by a small interpreter of its instructions."""

from __future__ import annotations

import struct
from errno import EAFNOSUPPORT, ENOSYS, EPERM

import pytest

from pytest_quotebench.processes.namespaces import seccomp

ALLOW = 0x7FFF0000
ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
COLUMN = {"x86_64": 0, "aarch64": 1}
MACHINES = sorted(ARCHITECTURES)

CLONE, IOCTL, SOCKET = (
    {"x86_64": 56, "aarch64": 220},
    {"x86_64": 16, "aarch64": 29},
    {"x86_64": 41, "aarch64": 198},
)
READ = {"x86_64": 0, "aarch64": 63}


def answer(machine: str, number: int, *arguments: int, architecture: int | None = None) -> int:
    """Return the errno with which a call is refused, 0 where it is allowed."""
    data = struct.pack("=iIQ6Q", number, architecture or ARCHITECTURES[machine], 0, *(arguments + (0,) * 6)[:6])
    instructions = list(struct.iter_unpack("=HBBI", seccomp.filter_program(machine)))
    position, word = 0, 0
    while True:
        code, if_true, if_false, value = instructions[position]
        position += 1
        match code:
            case 0x20:
                (word,) = struct.unpack_from("=I", data, value)
            case 0x06:
                return 0 if value == ALLOW else value & 0xFFFF
            case 0x15:
                position += if_true if word == value else if_false
            case 0x35:
                position += if_true if word >= value else if_false
            case 0x45:
                position += if_true if word & value else if_false
            case _:
                raise AssertionError(f"an instruction that the filter does not use: {code:#x}")


@pytest.mark.parametrize("machine", MACHINES)
def test_what_is_refused_is_refused_and_what_is_missing_is_missing(machine: str) -> None:
    column = COLUMN[machine]
    refused = [number for numbers in seccomp.REFUSED.values() if (number := numbers[column]) is not None]
    missing = [numbers[column] for numbers in seccomp.MISSING.values()]
    assert {answer(machine, number) for number in refused} == {EPERM}
    assert {answer(machine, number) for number in missing} == {ENOSYS}


@pytest.mark.parametrize("machine", MACHINES)
def test_everything_else_is_allowed(machine: str) -> None:
    column = COLUMN[machine]
    listed = {numbers[column] for numbers in (*seccomp.REFUSED.values(), *seccomp.MISSING.values())}
    assert READ[machine] not in listed
    assert [number for number in range(468) if number not in listed and answer(machine, number, 2)] == []


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("flag", [0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000])
def test_a_fork_is_allowed_and_a_namespace_is_not(machine: str, flag: int) -> None:
    assert answer(machine, CLONE[machine], 17) == 0
    assert answer(machine, CLONE[machine], 0x3D0F00) == 0
    assert answer(machine, CLONE[machine], flag | 17) == EPERM


@pytest.mark.parametrize("machine", MACHINES)
def test_a_terminal_cannot_be_typed_on(machine: str) -> None:
    assert answer(machine, IOCTL[machine], 0, 0x5412) == EPERM
    assert answer(machine, IOCTL[machine], 0, 0x541C) == EPERM
    assert answer(machine, IOCTL[machine], 0, 0x5412 | 7 << 32) == EPERM
    assert answer(machine, IOCTL[machine], 0, 0x5401) == 0


@pytest.mark.parametrize("machine", MACHINES)
def test_only_ordinary_socket_families_are_there(machine: str) -> None:
    assert [family for family in range(50) if answer(machine, SOCKET[machine], family) == 0] == [0, 1, 2, 10, 16]
    assert answer(machine, SOCKET[machine], 40) == EAFNOSUPPORT


@pytest.mark.parametrize("machine", MACHINES)
def test_calls_of_another_architecture_are_missing(machine: str) -> None:
    """A 32-bit program, or x32, has other numbers for the same calls."""
    assert answer(machine, READ[machine], architecture=0x40000003) == ENOSYS
    if machine == "x86_64":
        assert answer(machine, 0x40000000 + 101) == ENOSYS


def test_a_machine_without_a_table_is_an_error() -> None:
    with pytest.raises(KeyError):
        seccomp.filter_program("riscv64")

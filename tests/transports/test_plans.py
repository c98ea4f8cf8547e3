"""The exact bytes that each transport hands to the first process."""

from __future__ import annotations

import pytest

from pytest_quotebench.core.errors import TransportError
from pytest_quotebench.core.execution import AuxPath, Invocation
from pytest_quotebench.core.tree import File
from pytest_quotebench.transports import Transport
from pytest_quotebench.transports.json import TRANSPORT as JSON
from pytest_quotebench.transports.nested import TRANSPORT as NESTED
from pytest_quotebench.transports.nested_double import TRANSPORT as NESTED_DOUBLE
from pytest_quotebench.transports.nested_escaped import TRANSPORT as NESTED_ESCAPED
from pytest_quotebench.transports.nested_single import TRANSPORT as NESTED_SINGLE
from pytest_quotebench.transports.raw import TRANSPORT as RAW
from pytest_quotebench.transports.script import TRANSPORT as SCRIPT
from pytest_quotebench.transports.stdin import TRANSPORT as STDIN

COMMAND = "echo \"$a\" 'é\udcff' \\n\n"
RAW_BYTES = b"echo \"$a\" '\xc3\xa9\xff' \\n\n"


@pytest.mark.parametrize(
    ("transport", "source"),
    [
        (RAW, RAW_BYTES),
        (JSON, RAW_BYTES),
        (NESTED, b'bash -c "' + RAW_BYTES + b'"'),
        (NESTED_SINGLE, b"bash -c '" + RAW_BYTES + b"'"),
        (NESTED_DOUBLE, b'bash -c "bash -c \\"' + RAW_BYTES + b'\\""'),
        (NESTED_ESCAPED, b'bash -c "echo \\"\\$a\\" \'\xc3\xa9\xff\' \\\\n\n"'),
    ],
)
def test_a_line_for_bash_is_one_argument_with_the_command_pasted(transport: Transport, source: bytes) -> None:
    assert transport.plan(COMMAND) == Invocation(argv=(b"bash", b"-c", source))


def test_a_script_is_a_file_outside_the_task_directory() -> None:
    assert SCRIPT.plan(COMMAND) == Invocation(
        argv=(b"bash", AuxPath("command.sh")), aux_files={"command.sh": File(RAW_BYTES)}
    )


def test_standard_input_is_the_command() -> None:
    assert STDIN.plan(COMMAND) == Invocation(argv=(b"bash",), stdin=RAW_BYTES)


@pytest.mark.parametrize("transport", [RAW, JSON, NESTED, NESTED_SINGLE, NESTED_DOUBLE, NESTED_ESCAPED])
def test_nul_cannot_be_part_of_an_argument(transport: Transport) -> None:
    with pytest.raises(TransportError) as raised:
        transport.plan("a\0b")

    assert raised.value.detail == "nul"


@pytest.mark.parametrize("transport", [SCRIPT, STDIN])
def test_nul_is_carried_where_no_argument_carries_it(transport: Transport) -> None:
    planned = transport.plan("a\0b")

    assert b"a\0b" in (planned.stdin, *(file.data for file in planned.aux_files.values()))


@pytest.mark.parametrize(
    "transport", [RAW, JSON, NESTED, NESTED_SINGLE, NESTED_DOUBLE, NESTED_ESCAPED, SCRIPT, STDIN]
)
def test_half_a_character_is_refused(transport: Transport) -> None:
    with pytest.raises(TransportError) as raised:
        transport.plan("echo \ud83d")

    assert raised.value.detail == "lone-surrogate"

"""Escaped at the point of interpolation, a made-up command does what it does on the raw path."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from importlib import import_module

import pytest
from hypothesis import given, settings
from hypothesis.strategies import SearchStrategy

from pytest_quotebench.core.errors import TransportError
from pytest_quotebench.core.limits import Limits
from pytest_quotebench.core.tree import FileTree
from pytest_quotebench.lossless.probes import FIXTURE
from pytest_quotebench.registry import Registry, built_in, variant_names
from pytest_quotebench.replay import carry
from pytest_quotebench.sandboxes import Sandbox
from pytest_quotebench.transports import BrokeredTransport, Transport
from pytest_quotebench.transports.raw import TRANSPORT as RAW

pytestmark = pytest.mark.fuzz

Fuzzed = Callable[..., settings]


MATCHED = variant_names("transports")


@pytest.fixture(scope="module")
def transports() -> Iterator[Registry[Transport]]:
    with closing(Registry("transport", built_in("transports", "TRANSPORT"))) as registry:
        yield registry


def left(transport: Transport, command: str, sandbox: Sandbox) -> tuple[FileTree, int | None]:
    outcome = carry(transport, command, FIXTURE, sandbox, Limits(wall_s=10))
    assert not isinstance(outcome, TransportError)
    return outcome.tree, outcome.exit_status


@pytest.mark.parametrize("name", ["nested_escaped", "script", "stdin", "json"])
def test_a_path_that_escapes_equals_raw(
    name: str, sandbox: Sandbox, fuzzed: Fuzzed, hostile_commands: SearchStrategy[str]
) -> None:
    """Any command at all: as it is."""
    transport: Transport = import_module(f"pytest_quotebench.transports.{name}").TRANSPORT

    @fuzzed(15)
    @given(command=hostile_commands)
    def equals(command: str) -> None:
        assert left(transport, command, sandbox) == left(RAW, command, sandbox)

    equals()


@pytest.mark.parametrize("name", MATCHED)
def test_a_matched_command_equals_raw(
    name: str,
    transports: Registry[Transport],
    sandbox: Sandbox,
    fuzzed: Fuzzed,
    hostile_commands: SearchStrategy[str],
) -> None:
    """Through the transport's own escaper; a text for which there is none is said to have none."""
    transport = transports[name]
    reason = transport.refusal() if isinstance(transport, BrokeredTransport) else None
    if reason is not None:
        pytest.skip(reason)
    compared = 0

    @fuzzed(6)
    @given(command=hostile_commands)
    def equals(command: str) -> None:
        nonlocal compared
        try:
            matched = transport.matched(command)
        except ValueError:
            return
        compared += 1
        assert left(transport, matched, sandbox) == left(RAW, command, sandbox)

    equals()
    assert compared

"""Every row of the measured probes, played for real along the session transports, against what was measured."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import pytest

from pytest_quotebench.core.errors import TransportError
from pytest_quotebench.core.execution import Execution, Invocation
from pytest_quotebench.core.limits import Limits
from pytest_quotebench.core.text import to_bytes
from pytest_quotebench.core.tree import FileTree
from pytest_quotebench.sandboxes.local import LocalSandbox
from pytest_quotebench.transports import SessionTransport

Probes = Sequence[Any]
"""The `Probe`s of conftest.py."""

COLUMNS = {
    "langchain": "langchain",
    "anthropic-quickstart": "anthropic",
    "anthropic-sdk": "ant_sdk",
    "swe-agent": "swerex",
    "terminal-bench": "tb_block",
    "openhands": "literal",
}
"""Which column of the file is about which path."""

EXPLAINED = {
    ("terminal-bench", "no_newline"): ("=", "the prompt is marked, so that it does not count as output"),
    ("openhands", "no_newline"): ("=", "the prompt is marked, so that it does not count as output"),
    ("openhands", "multiline"): ("R", "its refusal of several statements was left out of the measurement"),
    ("openhands", "heredoc_then"): ("R", "as above, in 611629e6; openhands-tools 1.58.2 takes it"),
    ("openhands", "typeahead_cat"): ("R", "its refusal of several statements was left out of the measurement"),
}
"""Where a path is known to differ from its column: the outcome here, and why."""

SPEAKER = re.compile(rb"^(?:/bin/)?bash: line \d+: ", re.MULTILINE)
"""Carriers start bash by its path, which then stands in its messages."""
ESCAPES = re.compile(rb"\x1b[@-_][0-?]*[ -/]*[@-~]|\r")


@pytest.fixture(scope="module")
def raw(sandbox: LocalSandbox, probes: Probes) -> dict[str, bytes]:
    """What each probe prints under `bash -c`, both streams in one."""
    return {probe.name: _said(sandbox, probe.command) for probe in probes}


@pytest.mark.parametrize("name", COLUMNS, scope="module")
def test_each_probe_ends_as_it_was_measured(
    name: str, sandbox: LocalSandbox, raw: dict[str, bytes], probes: Probes, transport: SessionTransport
) -> None:
    expected, got = {}, {}
    for probe in probes:
        expected[probe.name] = EXPLAINED.get((name, probe.name), (probe.outcome[COLUMNS[name]], ""))[0]
        try:
            ended = sandbox.run(FileTree(), transport.plan(probe.command), Limits(wall_s=10))
            outcome = transport.interpret(ended)
        except TransportError as refused:
            outcome = refused
        got[probe.name] = _letter(outcome, raw[probe.name])

    assert got == expected


def _said(sandbox: LocalSandbox, command: str) -> bytes:
    argv = (b"bash", b"-c", b'exec 2>&1; exec bash -c "$1"', b"raw", to_bytes(command))
    return _shown(sandbox.run(FileTree(), Invocation(argv=argv), Limits(wall_s=10)).stdout)


def _letter(outcome: Execution | TransportError, raw: bytes) -> str:
    if isinstance(outcome, TransportError):
        return {"refused": "R", "died": "D"}[outcome.detail]
    if outcome.detail == "hang":
        return "H"
    assert not outcome.timed_out
    return "=" if _shown(outcome.stdout + outcome.stderr) == raw else "X"


def _shown(output: bytes) -> bytes:
    return SPEAKER.sub(b"bash: line N: ", ESCAPES.sub(b"", output)).strip()

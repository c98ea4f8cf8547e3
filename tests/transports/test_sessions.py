"""Every row of the measured probes, played for real along the session transports, against what was measured."""

from __future__ import annotations

import importlib
import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from pytest_quotebench.core.errors import TransportError
from pytest_quotebench.core.execution import Execution, Invocation
from pytest_quotebench.core.limits import Limits
from pytest_quotebench.core.text import to_bytes
from pytest_quotebench.core.tree import FileTree
from pytest_quotebench.sandboxes.local import LocalSandbox, open_sandbox

PROBES = Path(__file__).resolve().parents[3] / "shared" / "cases" / "probes.jsonl"
pytestmark = pytest.mark.skipif(not PROBES.is_file(), reason="the measured probes are not beside the repository")

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


class Probe(NamedTuple):
    name: str
    command: str
    outcome: dict[str, str]


def probes() -> Iterator[Probe]:
    for line in PROBES.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        yield Probe(record["probe"], record["command"], record["outcome"])


@pytest.fixture(scope="module")
def sandbox() -> Iterator[LocalSandbox]:
    with open_sandbox() as opened:
        yield opened


@pytest.fixture(scope="module")
def raw(sandbox: LocalSandbox) -> dict[str, bytes]:
    """What each probe prints under `bash -c`, both streams in one."""
    return {probe.name: _said(sandbox, probe.command) for probe in probes()}


@pytest.mark.parametrize("name", COLUMNS)
def test_each_probe_ends_as_it_was_measured(name: str, sandbox: LocalSandbox, raw: dict[str, bytes]) -> None:
    transport = importlib.import_module(f"pytest_quotebench.transports.{name.replace('-', '_')}").TRANSPORT
    if missing := [program for program in transport.needs if shutil.which(program) is None]:
        pytest.skip(f"{name} needs {', '.join(missing)}")
    expected, got = {}, {}
    for probe in probes():
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

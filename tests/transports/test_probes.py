"""Every row of the measured probes, run for real along the paths that are plans, against what was measured."""

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
from pytest_quotebench.core.limits import Limits
from pytest_quotebench.core.tree import FileTree
from pytest_quotebench.sandboxes.local import LocalSandbox, open_sandbox
from pytest_quotebench.transports import Transport
from pytest_quotebench.transports.raw import TRANSPORT as RAW

PROBES = Path(__file__).resolve().parents[3] / "shared" / "cases" / "probes.jsonl"
pytestmark = pytest.mark.skipif(not PROBES.is_file(), reason="the measured probes are not beside the repository")

COLUMNS = {
    "ansible-command": "shlex",
    "autogen": "script",
    "codex": "bash_lc",
    "env-s": "env_S",
    "gemini-cli": "gemini",
    "github-actions": "gha_bash",
    "gitlab-ci": "gitlab",
    "inspect": "bash_lc",
    "intercode": "intercode",
    "login-shell": "bash_lc",
    "make": "make",
    "mini-swe-agent": "sh_c",
    "openhands-acp": "acp",
    "script": "script",
    "sh": "sh_c",
    "tty": "bash_lc",
    "xargs": "xargs",
}
"""Which column of the file is about which path. `tty` has none; it was measured as 86 of 87 like `bash -c`."""

EXPLAINED = {
    ("tty", "heredoc_unterm"): ("X", "one stream: bash's warning comes before the output of cat"),
}
"""Where a path is known to differ from its column: the outcome here, and why."""

SPEAKER = re.compile(
    rb"^\S*?(?:bash|sh|command\.sh|step\.sh|tmp_code_\w+\.bash): (?:-c: )?line \d+: ", re.MULTILINE
)
NOT_THERE = re.compile(rb"^(?:nice: '.*': |\[Errno \d+\] )No such file or directory", re.MULTILINE)


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
    """What each probe prints under `bash -c`."""
    return {probe.name: output(sandbox, RAW, probe.command) or b"" for probe in probes()}


def output(sandbox: LocalSandbox, transport: Transport, command: str) -> bytes | None:
    """Return what a command prints, errors after output, without who says it; None where it is a hang."""
    ended = sandbox.run(FileTree(), transport.plan(command), Limits(wall_s=5))
    if ended.timed_out:
        return None
    return SPEAKER.sub(b"bash: ", ended.stdout + ended.stderr)


def outcome(sandbox: LocalSandbox, transport: Transport, command: str, expected: bytes) -> str:
    """Return the outcome in the letters of the file."""
    try:
        printed = output(sandbox, transport, command)
    except TransportError:
        return "F"
    if printed is None:
        return "H"
    if NOT_THERE.search(printed):
        return "F"
    return "=" if printed.replace(b"\r\n", b"\n") == expected else "X"


@pytest.mark.parametrize("name", sorted(COLUMNS))
def test_every_probe_comes_out_as_it_was_measured(sandbox: LocalSandbox, raw: dict[str, bytes], name: str) -> None:
    transport: Transport = importlib.import_module(
        f"pytest_quotebench.transports.{name.replace('-', '_')}"
    ).TRANSPORT
    missing = [program for program in getattr(transport, "needs", ()) if shutil.which(program) is None]
    if missing:
        pytest.skip(f"{name} needs {', '.join(missing)}")

    found = {probe.name: outcome(sandbox, transport, probe.command, raw[probe.name]) for probe in probes()}

    measured = {probe.name: probe.outcome[COLUMNS[name]] for probe in probes()}
    explained = {probe: letter for (path, probe), (letter, _) in EXPLAINED.items() if path == name}
    assert found == measured | explained


def test_every_explanation_is_about_a_difference() -> None:
    measured = {
        (path, probe.name): probe.outcome[column] for path, column in COLUMNS.items() for probe in probes()
    }

    assert [where for where, (letter, _) in EXPLAINED.items() if measured[where] == letter] == []

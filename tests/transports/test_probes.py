"""Every row of the measured probes, run for real along the paths that are plans, against what was measured."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import pytest

from pytest_quotebench.core.errors import TransportError
from pytest_quotebench.core.limits import Limits
from pytest_quotebench.core.tree import FileTree
from pytest_quotebench.sandboxes.local import LocalSandbox
from pytest_quotebench.transports import Transport
from pytest_quotebench.transports.raw import TRANSPORT as RAW

Probes = Sequence[Any]
"""The `Probe`s of conftest.py."""

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


@pytest.fixture(scope="module")
def raw(sandbox: LocalSandbox, probes: Probes) -> dict[str, bytes]:
    """What each probe prints under `bash -c`."""
    return {probe.name: output(sandbox, RAW, probe.command) or b"" for probe in probes}


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


@pytest.mark.parametrize("name", sorted(COLUMNS), scope="module")
def test_every_probe_comes_out_as_it_was_measured(
    sandbox: LocalSandbox, raw: dict[str, bytes], probes: Probes, name: str, transport: Transport
) -> None:
    found = {probe.name: outcome(sandbox, transport, probe.command, raw[probe.name]) for probe in probes}

    measured = {probe.name: probe.outcome[COLUMNS[name]] for probe in probes}
    explained = {probe: letter for (path, probe), (letter, _) in EXPLAINED.items() if path == name}
    assert found == measured | explained


def test_every_explanation_is_about_a_difference(probes: Probes) -> None:
    measured = {(path, probe.name): probe.outcome[column] for path, column in COLUMNS.items() for probe in probes}

    assert [where for where, (letter, _) in EXPLAINED.items() if measured[where] == letter] == []

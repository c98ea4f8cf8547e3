"""The session of swe-agent beside the package that it stands for, where that is installed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from importlib import import_module
from typing import Any

import pytest

from pytest_quotebench.core.execution import Execution

Done = Callable[..., Execution]

COMMANDS = [
    "echo hi",
    "printf foo",
    "echo a\necho b",
    "(exit 3)",
    'echo "a!b c"; echo x',
    "cat <<'EOF'\nx\ty\nEOF\necho z",
    "printf 'a\tb'",
    "echo a \\",
    "# note\necho a # b",
    "echo $((1 + 2))\necho 'a!b'",
    "for i in 1 2; do\n\techo $i\ndone",
]


@pytest.mark.filterwarnings("ignore")  # what the package and its own ones do is not ours to mend
@pytest.mark.parametrize("command", COMMANDS)
def test_it_says_what_swe_rex_says(command: str, done: Done, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("swerex.runtime.local", reason="swe-rex is not installed")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("HISTFILE", "/dev/null")
    output, status = asyncio.run(_swe_rex(command))
    ours = done("swe-agent", command)

    assert (_shown(ours.stdout), ours.exit_status) == (_shown(output), status or 0)


async def _swe_rex(command: str) -> tuple[bytes, int | None]:
    local: Any = import_module("swerex.runtime.local")
    abstract: Any = import_module("swerex.runtime.abstract")
    session = local.BashSession(abstract.CreateBashSessionRequest())
    await session.start()
    said = await session.run(abstract.BashAction(command=command.strip(), timeout=5, check="silent"))
    await session.close()
    return said.output.encode(), said.exit_code


def _shown(output: bytes) -> list[bytes]:
    return [line for line in output.replace(b"\r", b"").splitlines() if line.strip()]

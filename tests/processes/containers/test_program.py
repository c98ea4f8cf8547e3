"""What is sent to a container is all that the agent needs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from pytest_quotebench.processes.containers.program import INTERPRETER, program

IMPORT = """
import sys
sys.path.insert(0, sys.argv[1])
import pytest_quotebench.processes.containers.agent as agent
print(agent.__file__)
"""


def test_the_agent_imports_nothing_but_what_is_sent_and_the_standard_library(tmp_path: Path) -> None:
    length, _, data = program().partition(b"\n")
    assert int(length) == len(data)
    archive = tmp_path / "agent.zip"
    archive.write_bytes(data)
    _, *flags = INTERPRETER
    imported = subprocess.run(
        [sys.executable, *flags, "-c", IMPORT, archive], capture_output=True, text=True, cwd="/", check=True
    )
    assert imported.stdout.startswith(str(archive))

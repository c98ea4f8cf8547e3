"""The model of make hands its shells what the real one does: a recorder stands where the shell is."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import example, given, reject, settings
from hypothesis import strategies as st

from pytest_quotebench.core.execution import AuxPath
from pytest_quotebench.core.text import to_bytes
from pytest_quotebench.transports.make import TRANSPORT, shell_lines

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="make is not there")

RECORDER = "#!/bin/sh\nprintf '%s\\0' \"$2\" >> record\n"


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("make")
    (directory / "bash").write_text(RECORDER)
    (directory / "bash").chmod(0o755)
    return directory


def by_make(directory: Path, command: str) -> list[bytes]:
    """Return what the real make hands to its shells."""
    planned = TRANSPORT.plan(command)
    for name, file in planned.aux_files.items():
        (directory / name).write_bytes(file.data)
    record = directory / "record"
    record.unlink(missing_ok=True)
    subprocess.run(
        [os.fsencode(part.name) if isinstance(part, AuxPath) else part for part in planned.argv],
        capture_output=True,
        check=True,
        cwd=directory,
        env={"PATH": f"{directory}:/usr/bin:/bin", "LC_ALL": "C"},
    )
    return record.read_bytes().split(b"\0")[:-1] if record.exists() else []


@given(command=st.text("ab$@-+ \t\n\r\\#'\"<^?*x:=é", max_size=12))
@example(command="echo $$x $x $@ $ y $")
@example(command="echo a \\\n  b")
@example(command="a\\\\\nb\\\\\\\nc")
@example(command="x\r\ny\\\r\nz\r")
@example(command="@ -+\t@a\n\n-b")
@example(command="a$\\\nb")
@example(command="ifdef x\ndefine y\n.PHONY: z\n# c")
@settings(max_examples=150)
def test_the_lines_are_those_of_the_real_one(directory: Path, command: str) -> None:
    lines = shell_lines(command)
    if lines is None:
        reject()

    assert [to_bytes(line) for line in lines] == by_make(directory, command)


@pytest.mark.parametrize("command", ["echo $(date)", "echo ${HOME}", "echo $(", "a\0b", "echo $é"])
def test_what_only_make_can_know_is_not_claimed(command: str) -> None:
    assert shell_lines(command) is None
    assert TRANSPORT.layers(command)[-1].text is None

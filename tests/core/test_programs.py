"""The fixture programs do what the tasks say of them, byte for byte, under every shell that is sh."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pytest_quotebench.core.execution import execution_environment
from pytest_quotebench.core.programs import check_env, record, remote
from pytest_quotebench.core.tree import File

HOSTILE = st.binary(max_size=30).map(lambda data: data.replace(b"\0", b""))
REPEATED = settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])


def run(directory: Path, program: File, *arguments: bytes, shell: str | None = None, **env: bytes) -> None:
    """Run a program in its directory, by its first line or with a shell that is named."""
    path = directory / "program"
    path.write_bytes(program.data)
    path.chmod(program.mode)
    start = [os.fsencode(shell)] if shell else []
    environment = {
        **{k.encode(): v.encode() for k, v in execution_environment(str(directory)).items()},
        **{k.encode(): v for k, v in env.items()},
    }
    subprocess.run([*start, b"./program", *arguments], cwd=directory, env=environment, check=True)


@REPEATED
@given(st.lists(HOSTILE, max_size=4))
def test_record_stores_every_argument_ended_by_a_nul(tmp_path: Path, arguments: list[bytes]) -> None:
    run(tmp_path, record(), *arguments)

    assert (tmp_path / "got.bin").read_bytes() == b"".join(argument + b"\0" for argument in arguments)


@REPEATED
@given(HOSTILE)
def test_check_env_stores_the_value_and_nothing_else(tmp_path: Path, value: bytes) -> None:
    run(tmp_path, check_env(), MSG=value)

    assert (tmp_path / "got.txt").read_bytes() == value


def test_check_env_stores_nothing_where_there_is_no_value(tmp_path: Path) -> None:
    run(tmp_path, check_env())

    assert (tmp_path / "got.txt").read_bytes() == b""


@pytest.mark.parametrize("shell", [None, "dash", "bash", "busybox"])
def test_remote_joins_with_single_spaces_and_runs_on_the_remote_side(tmp_path: Path, shell: str | None) -> None:
    if shell and not shutil.which(shell):
        pytest.skip(f"{shell} is not installed")
    (tmp_path / "remote_root").mkdir()
    start = f"{shutil.which(shell)} sh" if shell == "busybox" else shell

    run(
        tmp_path,
        remote("tok3n"),
        b"printf",
        b"'%s|'",
        b"'a  b'",
        b'"$REMOTE_TOKEN"',
        b"> out",
        shell=None if shell == "busybox" else start,
    )

    assert (tmp_path / "remote_root/out").read_bytes() == b"a  b|tok3n|"


def test_a_token_is_letters_and_digits() -> None:
    with pytest.raises(ValueError, match="a token is letters and digits"):
        remote("a b")

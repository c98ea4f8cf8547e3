"""Paths that lead out of the sandbox in a run: into a container, to a real host."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from pytest_quotebench.sandboxes import docker, namespace

SMALL = ("--qb-model=oracle", "--qb-contract=raw", "--qb-task=write-file-t0,write-file-t2", "-rN", "--tb=line")
NO_ENGINE = docker.refusal()

needs_engine = pytest.mark.skipif(NO_ENGINE is not None, reason=f"docker: {NO_ENGINE}")


def records(path: Path) -> dict[str, Any]:
    found = [json.loads(line) for line in path.read_text().splitlines()]
    return {f"{one['task']}-{one['transport']}": one for one in found}


@needs_engine
def test_docker_exec_is_a_transport_like_any_other(suite: pytest.Pytester) -> None:
    """Its verdicts, its layers and its image are in the results, and no container is left."""
    result = suite.runpytest_subprocess(*SMALL, "--qb-transport=nested,docker-exec", "--qb-results=r.jsonl", "-n2")

    result.assert_outcomes(passed=2, failed=2)
    found = records(suite.path / "r.jsonl")
    assert found["write-file-t0-docker-exec"]["verdict"] == "pass"
    assert found["write-file-t2-docker-exec"]["verdict"] == found["write-file-t2-nested"]["verdict"]
    assert found["write-file-t0-docker-exec"]["layers"][-1]["layer"] == "sh -c, in the container"
    assert found["write-file-t0-docker-exec"]["versions"]["container"].startswith("sha256:")
    assert "container" not in found["write-file-t0-nested"]["versions"]


def test_docker_exec_without_an_engine_is_an_error_at_once(
    suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was named: nothing runs."""
    monkeypatch.setenv("DOCKER_HOST", f"unix://{suite.path}/nobody.sock")
    result = suite.runpytest_subprocess(*SMALL, "--qb-transport=raw,docker-exec", "--qb-sandbox=local")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    message = (
        "ERROR: the transport 'docker-exec' (from --qb-transport on the command line) is refused here: *"
        "no docker engine answers at unix://*/nobody.sock: *DOCKER_HOST"
    )
    result.stderr.fnmatch_lines([message])


def test_paths_without_an_engine_leave_docker_exec_out_with_the_reason(
    suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody named it there."""
    monkeypatch.setenv("DOCKER_HOST", f"unix://{suite.path}/nobody.sock")
    result = suite.run(
        sys.executable, "-m", "pytest_quotebench.cli", "paths", "--sandbox=local", "--path=raw,docker-exec"
    )

    result.stdout.fnmatch_lines(["left out", "  docker-exec: no docker engine answers at unix://*"])


@needs_engine
def test_the_docker_sandbox_holds_no_broker(suite: pytest.Pytester) -> None:
    """An error at the start, with what can be named instead."""
    result = suite.runpytest_subprocess(*SMALL, "--qb-transport=docker-exec", "--qb-sandbox=docker")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    message = (
        "ERROR: docker-exec cannot run in the sandbox 'docker' (from --qb-sandbox on the command line), which "
        "holds no broker's socket. Name bubblewrap or local or namespace, or none."
    )
    result.stderr.fnmatch_lines([message])


def test_a_named_host_is_where_both_paths_over_ssh_lead(suite: pytest.Pytester, far_host: Any) -> None:
    """The header says so, and the results name the host; nothing is left there."""
    suite.makeini(f"[pytest]\nqb_ssh_host = {far_host.name}\n")
    result = suite.runpytest_subprocess(
        *SMALL, "--qb-transport=raw,ssh,ssh-argv", "--qb-results=r.jsonl", "--qb-sandbox=local"
    )

    result.assert_outcomes(passed=5, failed=1)
    result.stdout.fnmatch_lines(["quotebench: ssh and ssh-argv lead to far: what runs there is held by nothing"])
    found = records(suite.path / "r.jsonl")
    assert found["write-file-t0-ssh"]["versions"]["ssh-host"] == "far"
    assert found["write-file-t2-ssh"]["verdict"] != "pass"
    assert "ssh-host" not in found["write-file-t0-raw"]["versions"]
    assert far_host.left() == []


def test_a_host_that_cannot_be_reached_is_broken_and_not_the_model_s_fault(
    suite: pytest.Pytester, far_host: Any
) -> None:
    """With what ssh said."""
    result = suite.runpytest_subprocess(
        *SMALL, "--qb-transport=ssh-argv", "--qb-ssh-host=nobody-there", "--qb-sandbox=local"
    )

    result.assert_outcomes(errors=2)
    result.stdout.fnmatch_lines(["*the host nobody-there cannot be used: *Connection refused*"])


@pytest.mark.parametrize("host", ["-oProxyCommand=id", "a b", "$(id)"])
def test_what_is_no_host_is_an_error_that_says_what_is_one(suite: pytest.Pytester, host: str) -> None:
    """Nothing that ssh could take for an option, and nothing that a shell could take for more than a word."""
    result = suite.runpytest_subprocess(*SMALL, f"--qb-ssh-host={host}")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    message = (
        f"ERROR: bad value {host!r} for ssh-host (from --qb-ssh-host on the command line). Allowed: HOST, "
        "USER@HOST or ssh://USER@HOST:PORT, as ssh_config(5) knows it."
    )
    result.stderr.fnmatch_lines([message])


@pytest.mark.skipif(namespace.refusal() is not None, reason="namespace: refused here")
def test_without_a_host_ssh_stays_in_the_sandbox(suite: pytest.Pytester) -> None:
    """As ever."""
    if shutil.which("ssh") is None or not os.access("/usr/sbin/sshd", os.X_OK):
        pytest.skip("no OpenSSH")
    result = suite.runpytest_subprocess(*SMALL, "--qb-transport=ssh-argv", "--qb-sandbox=namespace")

    result.assert_outcomes(passed=2)
    assert "lead to" not in result.stdout.str()

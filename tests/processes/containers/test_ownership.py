"""A container is stale where its run is no more, and only there."""

from __future__ import annotations

import os
import subprocess
import time

import pytest

from pytest_quotebench.processes.containers import ownership
from pytest_quotebench.processes.containers.ownership import is_stale, labels

NOW = time.time()
LONG_AGO = NOW - 1e6


def of_process(number: int) -> dict[str, str]:
    return {**labels(), ownership._PROCESS: ownership._process(number) or ""}


def test_the_container_of_a_living_process_is_not_stale() -> None:
    for running in (True, False):
        assert not is_stale(labels(), running=running, created=LONG_AGO)


def test_the_container_of_a_process_that_ended_or_is_a_zombie_is_stale() -> None:
    process = subprocess.Popen(["sleep", "60"])
    found = of_process(process.pid)
    assert not is_stale(found, running=True, created=NOW)
    process.kill()
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    assert is_stale(found, running=True, created=NOW)
    process.wait()
    assert is_stale(found, running=True, created=NOW)


def test_the_number_of_a_process_may_be_anothers_by_now() -> None:
    number, _, start = labels()[ownership._PROCESS].partition(" ")
    former = {**labels(), ownership._PROCESS: f"{number} {int(start) - 1}"}
    assert is_stale(former, running=True, created=NOW)


@pytest.mark.parametrize("place", ["another-boot pid:[1]", ""])
def test_a_run_that_could_live_unseen_keeps_what_runs_or_is_just_being_started(place: str) -> None:
    found = {**of_process(os.getpid()), ownership._PLACE: place, ownership._PROCESS: "1 1"}
    assert not is_stale(found, running=True, created=LONG_AGO)
    assert not is_stale(found, running=False, created=NOW)
    assert is_stale(found, running=False, created=LONG_AGO)


def test_a_label_that_says_nothing_is_nobodys() -> None:
    assert is_stale({**labels(), ownership._PROCESS: ""}, running=True, created=0)
    assert not is_stale({}, running=True, created=0)

"""A cgroup, where one is granted: its members, its end, and what a killed run left."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_quotebench.processes import cgroups
from pytest_quotebench.processes.cgroups import Cgroup


@pytest.fixture
def group() -> Cgroup:
    made = cgroups.create(2**30, 10)
    if made is None:
        pytest.skip("no cgroup is granted here")
    return made


def test_what_is_killed_is_all_that_is_in_it(group: Cgroup) -> None:
    """Also what has left its session and its parent."""
    with subprocess.Popen(["sleep", "300"]) as other:
        command = "read; (setsid sleep 300 &); exec sleep 300"
        with subprocess.Popen(["bash", "-c", command], stdin=subprocess.PIPE) as member:
            assert group.add(member.pid)
            assert member.stdin
            member.stdin.write(b"\n")
            member.stdin.flush()
            group.kill()
            assert member.wait(10) == -9
        assert other.poll() is None
        other.kill()
    assert all(Path(place, "cgroup.procs").read_text() == "" for place in group.directories)
    group.remove()
    assert not any(Path(place).exists() for place in group.directories)


def test_what_a_killed_run_left_goes_with_the_next_one_and_a_living_ones_stays(group: Cgroup) -> None:
    program = "from pytest_quotebench.processes import cgroups; print(*cgroups.create(2**30, 10).directories)"
    root = Path(__file__).resolve().parents[2]
    ended = subprocess.run([sys.executable, "-c", program], cwd=root, capture_output=True, text=True, check=True)
    left = ended.stdout.split()
    assert left
    assert all(Path(place).exists() for place in left)

    another = cgroups.create(2**30, 10)

    assert another is not None
    assert not any(Path(place).exists() for place in left)
    assert all(Path(place).exists() for place in group.directories)
    for mine in (group, another):
        mine.remove()


def test_a_group_that_is_gone_can_be_killed_and_removed_again(group: Cgroup) -> None:
    group.remove()
    group.kill()
    group.remove()
    assert not group.add(os.getpid())

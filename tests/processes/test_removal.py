from __future__ import annotations

import os
import resource
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_quotebench.processes.removal import remove_directory


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    (tmp_path / "victim").mkdir()
    return tmp_path / "victim"


@pytest.fixture
def canary(tmp_path: Path) -> Iterator[Path]:
    """A directory beside the victim that must be the same afterwards."""
    (tmp_path / "canary").mkdir()
    (tmp_path / "canary/f").write_bytes(b"alive")
    (tmp_path / "canary").chmod(0o500)
    yield tmp_path / "canary"
    assert (tmp_path / "canary").stat().st_mode & 0o7777 == 0o500
    assert (tmp_path / "canary/f").read_bytes() == b"alive"


def remove(directory: Path) -> None:
    """Remove it; no descriptor is open afterwards that was not before (what earlier tests hold may close)."""
    parent = os.open(directory.parent, os.O_RDONLY)
    before = {path.name for path in Path("/proc/self/fd").iterdir()}
    try:
        remove_directory(parent, directory.name)
    finally:
        assert {path.name for path in Path("/proc/self/fd").iterdir()} <= before
        os.close(parent)


def test_everything_below_is_gone(victim: Path) -> None:
    for name in ("a/b/c", "a/b/d", "e", ".git/objects/00"):
        (victim / name).mkdir(parents=True)
        (victim / name / "f").touch()
    os.mkfifo(victim / "fifo")
    Path(os.fsdecode(os.fsencode(victim) + b"/a/\xff\n")).touch()
    remove(victim)
    assert list(victim.parent.iterdir()) == []


def test_links_are_removed_and_never_followed(victim: Path, canary: Path) -> None:
    (victim / "d").mkdir()
    (victim / "to-canary").symlink_to(canary)
    (victim / "d/to-canary").symlink_to("../../canary")
    (victim / "loop").symlink_to("loop")
    remove(victim)
    assert not victim.exists()


def test_a_hard_link_takes_its_name_along_and_not_its_file(victim: Path, canary: Path) -> None:
    os.link(canary / "f", victim / "f")
    remove(victim)
    assert not victim.exists()


def test_what_is_not_there_is_no_error(victim: Path) -> None:
    victim.rmdir()
    remove(victim)


def test_depth_beyond_path_max_needs_neither_recursion_nor_descriptors(users_directory: Path) -> None:
    victim = users_directory / "victim"
    victim.mkdir()
    descriptor = os.open(victim, os.O_RDONLY)
    for _ in range(3000):
        os.mkdir("d", dir_fd=descriptor)
        os.close(os.open("f", os.O_CREAT, dir_fd=descriptor))
        below = os.open("d", os.O_RDONLY, dir_fd=descriptor)
        os.close(descriptor)
        descriptor = below
    os.close(descriptor)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (64, hard))
    start = time.monotonic()
    try:
        remove(victim)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert time.monotonic() - start < 5
    assert not victim.exists()


def test_directories_closed_to_their_owner_are_opened_and_removed(users_directory: Path, as_user: None) -> None:
    victim = users_directory / "victim"
    (victim / "d/e/f").mkdir(parents=True)
    (victim / "d/e/f/g").touch(0)
    (victim / "other/deep/er").mkdir(parents=True)
    for name, mode in (("d/e/f", 0), ("d/e", 0o555), ("d", 0), ("other/deep", 0o500), ("other", 0o111), ("", 0)):
        (victim / name).chmod(mode)
    remove(victim)
    assert not victim.exists()


@pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("chattr"), reason="needs root and chattr")
def test_immutable_and_append_only_entries_are_removed(victim: Path) -> None:
    (victim / "d/e").mkdir(parents=True)
    (victim / "d/e/f").touch()
    for flag, name in (("+i", "d/e/f"), ("+a", "d/e"), ("+i", "d")):
        changed = subprocess.run(["chattr", flag, victim / name], check=False, capture_output=True)
        if changed.returncode:
            pytest.skip(f"this file system has no such flags: {changed.stderr!r}")
    remove(victim)
    assert not victim.exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root mounts")
@pytest.mark.parametrize("place", ["d", "d/e/f"])
def test_a_mount_point_is_an_error_and_never_entered(victim: Path, canary: Path, place: str) -> None:
    """Also where the mounted directory is on the same file system: a bind mount of somebody's home."""
    (victim / place).mkdir(parents=True)
    if subprocess.run(["mount", "--bind", canary, victim / place], check=False).returncode:
        pytest.skip("this system lets nobody mount")
    try:
        with pytest.raises(OSError, match="busy"):
            remove(victim)
    finally:
        (mounted,) = [
            line.split()[1] for line in Path("/proc/mounts").read_text().splitlines() if str(victim) in line
        ]
        subprocess.run(["umount", mounted], check=True)
    remove(victim)
    assert not victim.exists()


def test_somebody_elses_directory_is_an_error_that_names_it(users_directory: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root gives directories away")
    (users_directory / "victim/theirs").mkdir(parents=True)
    (users_directory / "victim/theirs/f").touch()
    os.chown(users_directory / "victim", 65534, 65534)
    os.setresuid(65534, 65534, 0)
    try:
        with pytest.raises(PermissionError, match=r"'f'|'theirs'"):
            remove(users_directory / "victim")
    finally:
        os.setresuid(0, 0, 0)


def test_a_living_writer_does_not_hold_the_removal(victim: Path) -> None:
    (victim / "d/e").mkdir(parents=True)
    writer = subprocess.Popen(["bash", "-c", f"while mkdir -p {victim}/d/e/$((i++)); do :; done"])
    time.sleep(0.05)
    start = time.monotonic()
    try:
        remove(victim)
    except OSError:
        pass
    finally:
        writer.kill()
        writer.wait()
    assert time.monotonic() - start < 5

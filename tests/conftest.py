"""Fixtures for tests that need an ordinary user, or a place that one can reach, and hypothesis's profile."""

from __future__ import annotations

import os
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from pytest_quotebench.core.capture import OPEN_SAFELY
from pytest_quotebench.processes.removal import remove_directory

ORDINARY = 65534
MEMORY = "/dev/shm"

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # So a background job of a shell without job control is started, and the tests of interrupts with it.
    signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile("quotebench", deadline=None)  # a shared machine is slow at times; that is no failure
settings.load_profile("quotebench")


@pytest.fixture
def users_directory() -> Iterator[Path]:
    """A directory that an ordinary user reaches and owns; pytest's own ones are closed to others.

    In memory where that is possible: ext4 takes a millisecond for a directory, and some trees here have thousands.
    """
    directory = Path(tempfile.mkdtemp(prefix="qb-test-", dir=MEMORY if os.access(MEMORY, os.W_OK) else None))
    if os.geteuid() == 0:
        os.chown(directory, ORDINARY, ORDINARY)
    yield directory
    parent = os.open(directory.parent, OPEN_SAFELY)
    remove_directory(parent, directory.name)
    os.close(parent)


@pytest.fixture
def as_user() -> Iterator[None]:
    """Be an ordinary user, with no way round permissions; what is started then can never be root again."""
    if os.geteuid() != 0:
        yield
        return
    groups = os.getgroups()
    os.setgroups([])
    os.setresgid(ORDINARY, ORDINARY, 0)
    os.setresuid(ORDINARY, ORDINARY, 0)
    try:
        yield
    finally:
        os.setresuid(0, 0, 0)
        os.setresgid(0, 0, 0)
        os.setgroups(groups)

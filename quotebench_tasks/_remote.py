"""The stand-in for ssh that two families share: its place in an instruction and in a fixture."""

from __future__ import annotations

from pytest_quotebench.core import programs
from pytest_quotebench.core.task import Fixture

INTRODUCTION = (
    "The program ./remote stands in for ssh: it joins all its arguments with single spaces into one string and "
    "lets a shell on the remote side run that string. The remote side works in remote_root/ and has a variable "
    "REMOTE_TOKEN in its environment; on your side that variable is not set.\n"
)


def remote_fixture(token: str) -> Fixture:
    """Return the fixture whose remote side has `token` in REMOTE_TOKEN."""
    return Fixture(programs={"remote": programs.remote(token)}, directories=("remote_root",))

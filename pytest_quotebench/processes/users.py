"""Who an item runs as: never root, where there is anybody else to be."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

NOBODY = 65534


class User(NamedTuple):
    """A user and a group of this machine."""

    uid: int
    gid: int

    @property
    def is_somebody_else(self) -> bool:
        """Whether this process must give away what the user is to own."""
        return self.uid != os.geteuid()


def item_user() -> User:
    """Return nobody where this process is root and may become it, else this process's own user.

    Root of a user namespace that has no other user (`unshare --map-root-user`) is an ordinary user outside.
    """
    if os.geteuid() == 0 and _is_mapped("uid_map") and _is_mapped("gid_map") and _may_set_groups():
        return User(NOBODY, NOBODY)
    return User(os.geteuid(), os.getegid())


def _is_mapped(name: str) -> bool:
    ranges = (tuple(map(int, line.split())) for line in Path("/proc/self", name).read_text("ascii").splitlines())
    return any(first <= NOBODY < first + length for first, _, length in ranges)


def _may_set_groups() -> bool:
    return Path("/proc/self/setgroups").read_text("ascii").strip() == "allow"

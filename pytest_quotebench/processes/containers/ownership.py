"""Whose a container is: labels that tell a stale one from that of another live run, on this machine or not."""

from __future__ import annotations

import os
import platform
import time
import uuid
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

RUN = "pytest-quotebench.run"
_PLACE = "pytest-quotebench.owner-place"
"""Boot and pid namespace of the owner: process numbers of another place mean nothing here."""
_PROCESS = "pytest-quotebench.owner-process"
"""Its number there, and its start time in clock ticks after boot where that is known."""
_STARTING_S = 3600.0
"""How long a container of somebody we cannot see may be there without running: its run may be starting it."""


def labels() -> dict[str, str]:
    """Return the labels of a new container of this process."""
    return {RUN: uuid.uuid4().hex, _PLACE: _place(), _PROCESS: _process(os.getpid()) or ""}


def is_stale(found: Mapping[str, str], *, running: bool, created: float) -> bool:
    """Tell whether the container with these labels, made at the time `created` (s), has lost its run.

    Where its owner could live unseen, on another machine or in another pid namespace, only a container that has
    ended is stale: one that runs ends with the connection of its owner.
    """
    if found.get(_PLACE) == _place():
        number = found.get(_PROCESS, "").partition(" ")[0]
        return not number.isdigit() or _process(int(number)) != found[_PROCESS]
    return not running and time.time() - created > _STARTING_S


def _place() -> str:
    with suppress(OSError):
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        return f"{boot} {Path('/proc/self/ns/pid').readlink()}"
    return f"{platform.node()} {os.name}"


def _process(number: int) -> str | None:
    """Return the process that has this number now, or None."""
    with suppress(OSError):
        # The name in parentheses may hold anything; the start time is the 20th field after it (proc_pid_stat(5)).
        fields = Path(f"/proc/{number}/stat").read_bytes().rpartition(b")")[2].split()
        return None if fields[0] in (b"Z", b"X") else f"{number} {int(fields[19])}"
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return None
    except PermissionError:
        pass
    return f"{number} "

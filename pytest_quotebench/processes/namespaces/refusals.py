"""Saying in words what a kernel refused on the way into the namespaces, and what to do about it."""

from __future__ import annotations

import errno
import os
import platform
import re
import sys
from pathlib import Path

from pytest_quotebench.processes.namespaces.kernel import MACHINES, StepFailed

_OLDEST_KERNEL = (5, 3)
"""pidfd_open(2)."""
_APPARMOR = (
    "AppArmor keeps user namespaces from programs without a profile (Ubuntu 23.10 and newer): run "
    "`sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0`, give {python} a profile with the rule "
    "`userns,`, or run as root"
)
_ROOT_ONLY = (
    "this Debian kernel keeps user namespaces for root: "
    "run `sudo sysctl -w kernel.unprivileged_userns_clone=1`, or run as root"
)
_SWITCHED_OFF = "user namespaces are switched off: run `sudo sysctl -w user.max_user_namespaces=10000`"
_SWITCHES = (
    ("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1", _APPARMOR),
    ("/proc/sys/kernel/unprivileged_userns_clone", "0", _ROOT_ONLY),
    ("/proc/sys/user/max_user_namespaces", "0", _SWITCHED_OFF),
)
"""A file, what it says where it is the reason, and the reason."""
_CONTAINER = (
    "this looks like a container whose seccomp or AppArmor profile forbids namespaces: start it with "
    "`--security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt systempaths=unconfined`"
)
_MASKED_PROC = (
    "parts of /proc are covered here, as in a container, and the kernel then gives no new /proc: start the "
    "container with `--security-opt systempaths=unconfined`"
)
_FORBIDDEN = (errno.EPERM, errno.EACCES, errno.ENOSPC)


def obvious_refusal() -> str | None:
    """Return what can be seen without trying: another system, an old kernel, a processor without a filter."""
    if sys.platform != "linux":
        return "it needs Linux"
    if platform.machine() not in MACHINES:
        return (
            f"its seccomp filter is written for {' and '.join(MACHINES)}, and this machine is {platform.machine()}"
        )
    found = re.match(r"(\d+)\.(\d+)", platform.release())
    if found and tuple(map(int, found.groups())) < _OLDEST_KERNEL:
        return f"it needs Linux 5.3 or newer, and this is {platform.release()}"
    return None


def explain_refusal(failed: StepFailed) -> str:
    """Return a sentence with the step, the kernel's answer, its likely reason on this machine and what to do."""
    said = f"the kernel refused a step: {failed}"
    if failed.errno not in _FORBIDDEN:
        return said
    return f"{said}; {_likely_reason(failed)}"


def _likely_reason(failed: StepFailed) -> str:
    if failed.step.startswith("mount proc"):
        return _MASKED_PROC
    if os.geteuid() != 0 or failed.errno == errno.ENOSPC:
        for place, value, reason in _SWITCHES:
            if _read(place) == value:
                return reason.format(python=sys.executable)
    return _CONTAINER


def _read(place: str) -> str:
    try:
        return Path(place).read_text(encoding="ascii").strip()
    except OSError:
        return ""

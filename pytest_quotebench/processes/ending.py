"""From the end of a command and the capture of its directory to what a sandbox gives back."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from errno import EACCES, ELOOP, ENOENT, ENXIO
from signal import SIGKILL, SIGXCPU

from pytest_quotebench.core.capture import OPEN_SAFELY, Capture
from pytest_quotebench.core.execution import MAX_REPORT_BYTES, Execution
from pytest_quotebench.core.limits import Limits
from pytest_quotebench.processes.output import KeptStream
from pytest_quotebench.processes.watching import Watch

_AT_CPU_LIMIT = (-SIGKILL, -SIGXCPU)
_OF_CPU_LIMIT = 0.5


@dataclass(frozen=True, kw_only=True)
class Ended:
    """How a process ended and what it said."""

    exit_status: int | None
    signal: int | None
    stdout: KeptStream
    stderr: KeptStream
    duration_s: float
    timed_out: bool
    detail: str | None

    @classmethod
    def of(cls, code: int, watch: Watch, duration_s: float, detail: str | None) -> Ended:
        """Return what `watch` saw of a process; `code` is its exit status, or the number of its signal below 0."""
        return cls(
            exit_status=code if code >= 0 else None,
            signal=-code if code < 0 else None,
            stdout=watch.kept[watch.stdout],
            stderr=watch.kept[watch.stderr],
            duration_s=duration_s,
            timed_out=watch.timed_out,
            detail=detail,
        )


def to_execution(ended: Ended, after: Capture, *, aux_directory: str, report: bytes) -> Execution:
    """Return it all as an Execution. A limit that the capture met counts where nothing else ended the command."""
    return Execution(
        exit_status=ended.exit_status,
        signal=ended.signal,
        stdout=ended.stdout.value(),
        stderr=ended.stderr.value(),
        stdout_length=ended.stdout.length,
        stderr_length=ended.stderr.length,
        duration_s=ended.duration_s,
        timed_out=ended.timed_out,
        detail=ended.detail or (None if ended.timed_out else after.limit),
        tree=after.tree,
        report=report,
        aux_directory=aux_directory,
    )


def limit_met(watch: Watch, met: Sequence[str], code: int, cpu_s: float, limits: Limits) -> str | None:
    """Name the limit that was met: this process or the kernel counts each, none is read from the output.

    `met` are the limits of a cgroup; `code` is an exit status, or a signal below 0; `cpu_s` is what was used up.
    """
    if watch.is_over_output_limit:
        return "limit:output"
    if met:
        return met[0]
    # The kernel counts ticks against RLIMIT_CPU and tells exact time afterwards: on a busy virtual machine 0.8 s
    # were told of a process that was ended for its second.
    has_used_it_up = cpu_s >= _OF_CPU_LIMIT * limits.cpu_s
    return "limit:cpu" if has_used_it_up and not watch.timed_out and code in _AT_CPU_LIMIT else None


def read_report(directory: int, name: str) -> bytes:
    """Return the first bytes of a driver's report; none where the command has put something else in its place.

    Raises OSError where reading itself fails.
    """
    try:
        descriptor = os.open(name, OPEN_SAFELY, dir_fd=directory)
    except OSError as error:
        if error.errno in (EACCES, ELOOP, ENOENT, ENXIO):
            return b""
        raise
    try:
        return os.read(descriptor, MAX_REPORT_BYTES) if stat.S_ISREG(os.fstat(descriptor).st_mode) else b""
    finally:
        os.close(descriptor)

"""From the end of a command and the capture of its directory to what a sandbox gives back."""

from __future__ import annotations

import os
import stat
from errno import EACCES, ELOOP, ENOENT, ENXIO

from pytest_quotebench.core.capture import OPEN_SAFELY, Capture
from pytest_quotebench.core.execution import MAX_REPORT_BYTES, Execution
from pytest_quotebench.processes.running import Ended


def to_execution(ended: Ended, after: Capture, *, aux_directory: str, report: bytes) -> Execution:
    """Return it all as an Execution. A capture that met its limits is `limit:tree` where nothing else ended it."""
    is_cut = not (after.complete or ended.timed_out)
    return Execution(
        exit_status=ended.exit_status,
        signal=ended.signal,
        stdout=ended.stdout.value(),
        stderr=ended.stderr.value(),
        stdout_length=ended.stdout.length,
        stderr_length=ended.stderr.length,
        duration_s=ended.duration_s,
        timed_out=ended.timed_out,
        detail=ended.detail or ("limit:tree" if is_cut else None),
        tree=after.tree,
        report=report,
        aux_directory=aux_directory,
    )


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

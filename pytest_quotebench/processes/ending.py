"""From the end of a command and the capture of its directory to what a sandbox gives back."""

from __future__ import annotations

from pytest_quotebench.core.capture import Capture
from pytest_quotebench.core.execution import Execution
from pytest_quotebench.processes.running import Ended


def to_execution(ended: Ended, after: Capture, aux_directory: str) -> Execution:
    """Return both as an Execution. A capture that met its limits is `limit:tree` where nothing else ended it."""
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
        aux_directory=aux_directory,
    )

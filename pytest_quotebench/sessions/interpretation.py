"""What a driver's report makes of an execution: the same, a worse or a finer one, never a better one.

The command shares the sandbox with the driver: it can write the report too, and it can kill the driver. So a
report that does not fit the end that the sandbox saw counts as missing, and nothing in it turns a failure into a
pass or into a fault of the harness.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from pytest_quotebench.core.errors import TransportError
from pytest_quotebench.core.execution import Execution
from pytest_quotebench.core.text import visible

HANG = "hang"


def interpret(execution: Execution) -> Execution | TransportError:
    """Return what became of a session's item; see `transports.SessionTransport`."""
    if execution.timed_out or execution.detail is not None:
        return execution
    report = _read(execution.report)
    if report is None or execution.signal is not None or report.get("exit_status") != execution.exit_status:
        return _died(
            execution, "nobody reported how the session ended: its driver was killed, or its report forged"
        )
    match report.get("ended"):
        case "done":
            return execution
        case "hang":
            return replace(execution, detail=HANG)
        case "refused":
            return TransportError("refused", f"the carrier refused the command: {_last_words(execution)}")
        case _:
            return _died(execution, "the session's shell ended before the command's end was seen")


def _died(execution: Execution, reason: str) -> TransportError:
    return TransportError("died", f"{reason}: {_last_words(execution)}")


def _last_words(execution: Execution) -> str:
    lines = (execution.stderr or execution.stdout).splitlines()
    return visible(lines[-1], 200) if lines else "it said nothing"


def _read(report: bytes) -> dict[str, Any] | None:
    try:
        read = json.loads(report)
    except (ValueError, RecursionError):
        return None
    return read if isinstance(read, dict) else None

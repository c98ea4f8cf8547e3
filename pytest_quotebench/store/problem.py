"""What is wrong with a file that was read: one finding a place, and reading goes on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Severity = Literal["error", "warning"]


@dataclass(frozen=True, slots=True)
class Problem:
    """A finding. An error means that a record does not count; a warning, that somebody should know."""

    origin: str
    """`file:line`, or the file alone; printable whatever the file is called."""
    severity: Severity
    message: str

    def __str__(self) -> str:
        """Return the finding as one line."""
        return f"{self.origin}: {self.severity}: {self.message}"

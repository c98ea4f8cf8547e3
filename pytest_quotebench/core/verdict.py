"""The verdict on one case."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from pytest_quotebench.core.mismatch import Mismatch


class VerdictClass(StrEnum):
    """Pass, the failure classes in the order in which `judge` tries them, and broken."""

    PASS = "pass"
    BROKEN = "broken"
    CONTRACT_ERROR = "contract-error"
    TRANSPORT_ERROR = "transport-error"
    TIMEOUT = "timeout"
    ENVIRONMENT_INVALID = "environment-invalid"
    SHELL_SYNTAX = "shell-syntax"
    TOOL_ERROR = "tool-error"
    RUNTIME_ERROR = "runtime-error"
    SILENT_WRONG = "silent-wrong"


FAILURE_CLASSES = tuple(kind for kind in VerdictClass if kind not in (VerdictClass.PASS, VerdictClass.BROKEN))


@dataclass(frozen=True, slots=True)
class Verdict:
    """A class, a finer `detail` where there is one, and the mismatch that a person can act on."""

    kind: VerdictClass
    detail: str | None = None
    mismatch: Mismatch | None = None
    reason: str = ""
    """For broken, contract-error and transport-error: the message that came with it."""

    @property
    def passed(self) -> bool:
        """Whether the case counts as passed."""
        return self.kind is VerdictClass.PASS

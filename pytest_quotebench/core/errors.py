"""Every error the project raises on purpose.

QuoteBenchError
├── BadInput          something a person typed or a file holds is wrong; nothing was run
├── ContractError     the reply cannot be read under its contract      -> verdict contract-error
├── TransportError    the transport cannot take this command           -> verdict transport-error
└── Broken            the harness could not do its part                -> verdict broken
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class QuoteBenchError(Exception):
    """Base class of all deliberate errors."""


class BadInput(QuoteBenchError):
    """Input that cannot be used: says what, where it came from, what is allowed and what to do next."""

    @classmethod
    def unknown(
        cls, kind: str, value: str, *, source: str, allowed: Iterable[str], next_step: str = ""
    ) -> BadInput:
        """Return the error for a name that is not on a list, with the nearest allowed name."""
        names = sorted(allowed)
        near = get_close_matches(value, names, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        listed = ", ".join(names) or "none"
        return cls(f"unknown {kind} {value!r} (from {source}).{hint} Allowed: {listed}. {next_step}".rstrip())


class _Detailed(QuoteBenchError):
    """An error whose `detail` is a short stable word for results and its message is for people."""

    def __init__(self, detail: str, message: str) -> None:
        super().__init__(message)
        self.detail = detail


class ContractError(_Detailed):
    """The reply cannot be read under its contract (`empty`, `not-json`, `wrong-key`, `cleanup`, ...)."""


class TransportError(_Detailed):
    """The transport cannot take the command (`nul`, `too-long`, `unparseable`, `lone-surrogate`)."""


class Broken(_Detailed):
    """The harness could not do its part; never the model's fault."""

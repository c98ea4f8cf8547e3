"""Contracts: what the model is told about how its reply is used, and how the reply is read.

One file each; the file's name is the option's value (`disclosed_single.py` is `disclosed-single`). Each file
defines `CONTRACT`, an object of the protocol below.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Protocol

ALIASES: Mapping[str, str] = MappingProxyType(
    {"wrapped": "disclosed", "nested": "disclosed", "nested-shell": "disclosed", "nested-shell-v2": "disclosed"}
)
"""The names under which the paper's release and its tool know the disclosed contract."""


class Contract(Protocol):
    """A contract. The system prompt is the published one, to the letter."""

    @property
    def system(self) -> str:
        """The system prompt; the user message is the task's instruction."""
        ...

    @property
    def matched_transport(self) -> str:
        """The name of the transport that treats a reply as this contract says."""
        ...

    def decode(self, reply: str) -> str:
        """Return the command text in a cleaned reply. Raises ContractError where it cannot be read."""
        ...

    def encode(self, command: str) -> str:
        """Return a reply that decodes to `command`."""
        ...

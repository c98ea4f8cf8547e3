"""Formats in which replies are stored, one file each.

Each file defines the two functions of the protocol below.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

from pytest_quotebench.core.reply import Reply
from pytest_quotebench.store.fields import Record


class Source(NamedTuple):
    """Where a record was read."""

    origin: str
    """`file:line`."""
    stem: str
    """The file's name without its ending: the model, where a record names none."""


class Format(Protocol):
    """One way to write a reply down."""

    def recognises(self, record: Record) -> bool:
        """Tell from the record's keys alone whether it is meant to be of this format."""
        ...

    def read(self, record: Record, source: Source) -> Reply:
        """Return the reply; its task is the id that the record gives, not yet mapped.

        Raises BadInput where a field is missing, of the wrong type, or of a newer schema.
        """
        ...

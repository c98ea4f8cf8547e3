"""A stored reply: what a model answered to one prompt, to the letter."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple

_NOT_FOR_IDS = re.compile(r"[^A-Za-z0-9._-]+")


class Configuration(NamedTuple):
    """A model and its effort setting; None where the request set no effort."""

    model: str
    effort: str | None = None

    def __str__(self) -> str:
        """Return `gpt-5.5@high`, or the bare model."""
        return f"{self.model}@{self.effort}" if self.effort else self.model

    @property
    def slug(self) -> str:
        """The configuration in an item's name, in `[A-Za-z0-9._-]`: `gpt-5.5-high`.

        Where characters had to be replaced, a short digest keeps different names different.
        """
        plain = f"{self.model}-{self.effort}" if self.effort else self.model
        slug = _NOT_FOR_IDS.sub("-", plain)[:60]
        if slug and slug == plain:
            return slug
        return f"{slug}-{hashlib.sha256(plain.encode('utf-8', 'surrogatepass')).hexdigest()[:6]}"


class CellKey(NamedTuple):
    """What a stored reply answers: two replies with the same key are one too many."""

    task: str
    configuration: Configuration
    contract: str
    trial: int


@dataclass(frozen=True, kw_only=True)
class Reply:
    """One answer. `text` is verbatim; cleanup and decoding come later."""

    task: str
    """The task's id: `write-file-t3`."""
    configuration: Configuration
    contract: str
    trial: int
    text: str
    prompt_sha256: str | None = None
    """The digest of the prompt it answered, where it was recorded."""
    origin: str = ""
    """Where it was read, as `file:line`, for messages."""
    usage: Mapping[str, Any] | None = field(default=None, compare=False, hash=False)
    """Tokens by kind: prompt, completion, reasoning, cached, total."""
    made_by_machine: bool = False
    """Whether our own code built it from a task. Never read from a file: such a reply may run unprotected."""
    extra: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}), compare=False, hash=False)
    """What else the record says (latency_s, finish_reason, source, ...), kept for reports and exports."""

    @property
    def key(self) -> CellKey:
        """The key under which it is unique."""
        return CellKey(self.task, self.configuration, self.contract, self.trial)

    @property
    def digest(self) -> str:
        """SHA-256 of the verbatim text (lone surrogates included)."""
        return hashlib.sha256(self.text.encode("utf-8", "surrogatepass")).hexdigest()

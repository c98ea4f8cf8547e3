"""What each parser along a command's way receives, as the transport's own model tells it."""

from __future__ import annotations

from typing import NamedTuple

NOT_OBSERVABLE = None


class Layer(NamedTuple):
    """One parser and the text it receives; None where that cannot be modelled (a line editor)."""

    name: str
    text: str | None

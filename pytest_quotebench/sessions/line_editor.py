"""What is known of a text that was typed into an interactive bash: where it has nothing that an editor acts on."""

from __future__ import annotations

import re

from pytest_quotebench.core.layers import NOT_OBSERVABLE, Layer
from pytest_quotebench.sessions.handing_on import inner_layers

_EXPANDED = re.compile(r"!|^\^", re.MULTILINE)
"""Where history expansion may begin (bash(1), HISTORY EXPANSION)."""


def typed_layers(text: str) -> tuple[Layer, ...]:
    """Return what the line editor gets, what bash gets of it, and what a bash receives that it starts.

    A line editor is not observable: what bash gets is known only where each character is printable, in ASCII, or
    ends a line, and none begins a history expansion.
    """
    is_plain = all(character == "\n" or " " <= character <= "~" for character in text)
    is_known = is_plain and not _EXPANDED.search(text)
    layers = Layer("line editor and history", NOT_OBSERVABLE), Layer("bash", text if is_known else NOT_OBSERVABLE)
    return (*layers, *inner_layers(text)) if is_known else layers

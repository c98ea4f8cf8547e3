"""What each parser along a command's way receives, as the transport's own model tells it."""

from __future__ import annotations

from typing import NamedTuple

from pytest_quotebench.core.text import to_bytes

NOT_OBSERVABLE = None

CARRIER = "the transport itself"
"""Who changed a command that no parser ever received as it was."""


class Layer(NamedTuple):
    """One parser and the text it receives; None where that cannot be modelled (a line editor)."""

    name: str
    text: str | None


class Loss(NamedTuple):
    """Where a command stopped being what it was."""

    layer: str
    """The last parser that received all of it, or `CARRIER`."""
    offset: int
    """How many of the command's first bytes still stand together behind that parser."""
    rest: str
    """The command from the first byte on that does not."""


def first_loss(command: str, layers: tuple[Layer, ...]) -> Loss | None:
    """Return which parser first hands on something else than `command`; None where the last one still receives it.

    A layer that cannot be observed is blamed where what came before it was whole and what came after it is not.
    Escapes that were written to be taken away are such a loss too: which ones were, no layer can know.
    """
    whole = [index for index, layer in enumerate(layers) if layer.text is not None and command in layer.text]
    observed = [index for index, layer in enumerate(layers) if layer.text is not None]
    if not observed or not command or observed[-1] in whole:
        return None
    after = [index for index in observed if not whole or index > whole[-1]]
    kept = max(_longest_prefix(command, layers[index].text or "") for index in after)
    blamed = layers[after[0] - 1].name if after[0] else CARRIER
    return Loss(blamed, len(to_bytes(command[:kept])), command[kept:])


def _longest_prefix(command: str, text: str) -> int:
    """Return how many first characters of `command` stand somewhere in `text`; found by bisection."""
    low, high = 0, len(command)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if command[:middle] in text else (low, middle - 1)
    return low

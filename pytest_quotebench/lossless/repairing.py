"""Which escaper would repair a path: each known one is tried on what the path harms."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from pytest_quotebench.core import escaping
from pytest_quotebench.core.text import to_bytes, to_text
from pytest_quotebench.lossless.comparison import Comparison
from pytest_quotebench.lossless.probes import is_harmless

_TRIED_PROBES = 6


class Repair(NamedTuple):
    """An escaper that makes the counterexample survive, and on how many of the other harmed commands it does."""

    escaper: str
    repaired: int
    tried: int


def _inside_json(text: str) -> str:
    return escaping.json_string(text)[1:-1]


ESCAPERS: dict[str, Callable[[str], str]] = {
    "inside_double_quotes": escaping.inside_double_quotes,
    "inside_single_quotes": escaping.inside_single_quotes,
    "shell_word": escaping.shell_word,
    "two_layers": escaping.two_layers,
    "json_string, without its quotes": _inside_json,
    "json_string": escaping.json_string,
    "awk_string": escaping.awk_string,
    "sed_replacement": escaping.sed_replacement,
}
"""The escapers of `core.escaping` that take a whole command, by name."""


def find_repair(
    smallest: bytes, others: Iterable[bytes], comparison: Comparison, goes_on: Callable[[], bool]
) -> Repair | None:
    """Return the escaper after which `smallest` survives, the one that repairs most of `others` too, or None."""
    measured = [command for command in others if comparison.right(command) is not None][:_TRIED_PROBES]
    found = [
        Repair(name, sum(_repairs(name, command, comparison) for command in measured if goes_on()), len(measured))
        for name in ESCAPERS
        if goes_on() and _repairs(name, smallest, comparison)
    ]
    return max(found, key=lambda repair: repair.repaired, default=None)


def _repairs(name: str, command: bytes, comparison: Comparison) -> bool:
    right = comparison.right(command)
    escaped = to_bytes(ESCAPERS[name](to_text(command)))
    return right is not None and is_harmless(escaped) and comparison.survives(escaped, right)

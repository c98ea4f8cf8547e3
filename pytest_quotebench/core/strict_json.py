"""JSON as RFC 8259 and nothing else: the standard parser also takes NaN, duplicate keys and huge numbers."""

from __future__ import annotations

import json
from typing import Any, NoReturn


def parse_strict(text: str) -> Any:
    """Return the value of `text`.

    Raises ValueError for anything that is not one JSON value: NaN and Infinity, a key twice in one object,
    an integer or a nesting beyond what the parser takes, text before or after the value.
    """
    try:
        return json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=_unique_keys)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice in one object")
    return found


def same(one: Any, other: Any) -> bool:
    """Tell whether two parsed values are equal and of the same types: `true` is not `1`, `1.0` is not `1`."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other)

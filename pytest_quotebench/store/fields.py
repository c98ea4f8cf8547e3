"""Fields of a record, checked: each function returns a value of the right type or names what is wrong.

All raise BadInput. A name with dots walks into nested objects: `response.reply`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from pytest_quotebench.contracts import ALIASES
from pytest_quotebench.core.errors import BadInput
from pytest_quotebench.core.text import visible

USAGE_KINDS = ("prompt", "completion", "reasoning", "cached", "total")

Record = Mapping[str, Any]


def field(record: Record, name: str) -> Any:
    """Return the value of a field that must be there."""
    value: Any = record
    for part in name.split("."):
        if not isinstance(value, Mapping) or part not in value:
            raise BadInput(f"field {name!r} is missing")
        value = value[part]
    return value


def text(record: Record, name: str) -> str:
    """Return any text, the empty one too."""
    value = field(record, name)
    if not isinstance(value, str):
        raise _wrong(name, "text", value)
    return value


def word(record: Record, name: str) -> str:
    """Return a text that is not empty."""
    value = text(record, name)
    if not value:
        raise _wrong(name, "text that is not empty", value)
    return value


def optional_word(record: Record, name: str) -> str | None:
    """Return a text that is not empty, or None where the field is null."""
    return None if field(record, name) is None else word(record, name)


def number(record: Record, name: str) -> int:
    """Return a whole number from 0; true and false are none."""
    value = field(record, name)
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise _wrong(name, "a whole number from 0", value)
    return value


def words(record: Record, name: str) -> tuple[str, ...]:
    """Return a list of texts."""
    value = field(record, name)
    if not isinstance(value, list | tuple) or not all(isinstance(item, str) for item in value):
        raise _wrong(name, "a list of texts", value)
    return tuple(value)


def contract(record: Record, name: str) -> str:
    """Return the contract's name in this project."""
    value = word(record, name)
    return ALIASES.get(value, value)


def usage(counts: Record) -> dict[str, int | None] | None:
    """Return the token counts by kind, None for a kind that is not told; None where none is."""
    found = {kind: None if counts.get(kind) is None else number(counts, kind) for kind in USAGE_KINDS}
    return found if any(value is not None for value in found.values()) else None


def optional_object(record: Record, name: str) -> Record:
    """Return an object; where the field is null or not there, an empty one."""
    value = record.get(name)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise _wrong(name, "an object or null", value)
    return value


def check_schema(record: Record, name: str, prefix: str, newest: int) -> None:
    """Refuse a record whose schema is another one, or newer than `newest`; older versions pass."""
    value = word(record, name)
    version = re.fullmatch(re.escape(prefix) + "([0-9]{1,9})", value)
    if version is None:
        raise BadInput(f"{name} {visible(value, 60)!r} is not {prefix}{newest}")
    if int(version[1]) > newest:
        raise BadInput(
            f"{name} {value!r} is newer than this version of pytest-quotebench reads ({prefix}{newest}): update it"
        )


def _wrong(name: str, wanted: str, value: object) -> BadInput:
    return BadInput(f"field {name!r} must be {wanted}, not {_shown(value)}")


def _shown(value: object) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return str(value).lower()
        case int() | float():
            return visible(str(value), 40)
        case str():
            return f'"{visible(value, 40)}"'
        case _:
            return "a list" if isinstance(value, list) else "an object"

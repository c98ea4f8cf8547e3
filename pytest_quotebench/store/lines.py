"""Reading JSON lines tolerantly: a bad line costs itself and nothing else.

Lines end with the byte 0x0A and with nothing else: U+2028 may stand unescaped inside a JSON string.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from pytest_quotebench.core.strict_json import parse_strict
from pytest_quotebench.core.text import visible
from pytest_quotebench.store.problem import Problem

_LINE_END = b"\n"
_BYTE_ORDER_MARK = "\ufeff"


class Line(NamedTuple):
    """One JSON object and where it stands."""

    origin: str
    record: dict[str, Any]


def read_lines(path: Path) -> Iterator[Line | Problem]:
    """Yield every line of a file as an object or as what is wrong with it; blank lines are passed over.

    A last line without a line break that does not parse was torn while it was written: a warning.
    """
    shown = visible(str(path))
    blank = True
    try:
        with path.open("rb") as file:
            for number, raw in enumerate(file, 1):
                if raw.strip():
                    blank = False
                    yield _read_line(f"{shown}:{number}", raw, first=number == 1)
    except OSError as error:
        yield Problem(shown, "error", f"cannot be read: {error.strerror}")
        return
    if blank:
        yield Problem(shown, "warning", "the file holds no record")


def _read_line(origin: str, raw: bytes, *, first: bool) -> Line | Problem:
    try:
        text = raw.removesuffix(_LINE_END).decode("utf-8")
        value = parse_strict(text.removeprefix(_BYTE_ORDER_MARK) if first else text)
    except ValueError as error:
        if raw.endswith(_LINE_END):
            return Problem(origin, "error", f"not one JSON value: {_explained(error)}")
        return Problem(
            origin, "warning", "the last line is torn (it has no line break and does not parse); skipped"
        )
    if not isinstance(value, dict):
        return Problem(origin, "error", "not a JSON object")
    return Line(origin, value)


def _explained(error: ValueError) -> str:
    match error:
        case json.JSONDecodeError():
            return f"{error.msg} at character {error.pos + 1}"
        case UnicodeDecodeError():
            return f"byte {error.start + 1} of the line is not UTF-8"
        case _:
            return visible(str(error), 200)

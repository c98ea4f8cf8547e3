"""The variables of a Compose file: what `$NAME`, `${NAME}` and `$$` become where no variable is set.

Source: compose-go v2, template/template.go. Checked against Docker Compose 2.40.3 (`docker compose config`)
with an empty environment.
"""

from __future__ import annotations

import re

_DOLLAR = re.compile(r"\$(?:(?P<escaped>\$)|[A-Za-z_][A-Za-z0-9_]*|(?P<braced>\{))")
_BRACE = re.compile(r"[{}]")
_BRACED = re.compile(r"\$\{[A-Za-z_][A-Za-z0-9_]*(?:(?P<operator>:?[-+?])(?P<word>.*))?\}")

_MAX_DEPTH = 50
"""Compose itself has no limit."""


def interpolated(text: str) -> str:
    r"""Return `text` as Compose reads it with no variable set: `$$` is `$`, `$NAME` is nothing.

    `${NAME:-word}` and `${NAME-word}` are the word, itself interpolated. A `$` before anything else stays
    (`$1`, `$(`). Raises ValueError for `${` that begins no variable and for `${NAME:?message}`.
    """
    return _interpolated(text, 0)


def _interpolated(text: str, depth: int) -> str:
    if depth > _MAX_DEPTH:
        raise ValueError("variables are nested too deeply")
    done: list[str] = []
    position = 0
    while (found := _DOLLAR.search(text, position)) is not None:
        done.append(text[position : found.start()])
        if found["braced"]:
            value, text, position = *_braced(text[found.start() :], depth), 0
        else:
            value, position = found["escaped"] or "", found.end()
        done.append(value)
    return "".join([*done, text[position:]])


def _braced(text: str, depth: int) -> tuple[str, str]:
    """Return the value of the variable at the head of `text`, and what follows it."""
    whole = _BRACED.match(text)
    if whole is None:
        raise ValueError(f"invalid interpolation format: {text[:40]}")
    end = _closing(whole[0])
    head, rest = (whole[0], "") if end is None else (whole[0][:end], whole[0][end:])
    found = _BRACED.fullmatch(head)
    if found is None:
        raise ValueError(f"invalid interpolation format: {head[:40]}")
    return _value(found, depth), rest + text[whole.end() :]


def _value(found: re.Match[str], depth: int) -> str:
    operator, word = found["operator"], found["word"]
    if operator is None or operator.endswith("+"):
        return ""
    if operator.endswith("?"):
        raise ValueError(f"a required variable is missing a value: {word}")
    return _interpolated(word, depth + 1)


def _closing(text: str) -> int | None:
    """Return where the first variable ends. As the original: a `{` hides the character after it from the count."""
    depth = hidden = 0
    for brace in _BRACE.finditer(text):
        if brace.start() == hidden:
            continue
        depth += 1 if brace[0] == "{" else -1
        if depth == 0:
            return brace.end()
        if brace[0] == "{":
            hidden = brace.end()
    return None

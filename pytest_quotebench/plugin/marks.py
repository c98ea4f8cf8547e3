"""What `-m` asks for: replays, the gate, or both. Plain text logic; pytest then does the selecting itself."""

from __future__ import annotations

import ast
import re

GATE_MARK = "validate"

_MARK = re.compile(r"(?<![\w:+\-.])(?!(?:and|or|not)\b)[\w:+\-.\[\]\\/]+(?:\([^()]*\))?")


def wants_replays(expression: str) -> bool:
    """Tell whether an item without any mark matches."""
    return _matches(expression, frozenset())


def wants_gate(expression: str) -> bool:
    """Tell whether an item of the gate matches; it never runs where its mark is not mentioned."""
    return GATE_MARK in _MARK.findall(expression) and _matches(expression, frozenset({GATE_MARK}))


def _matches(expression: str, marks: frozenset[str]) -> bool:
    plain = _MARK.sub(lambda match: str(match[0] in marks), expression).strip()
    try:
        return _evaluate(ast.parse(plain, mode="eval").body) if plain else True
    except (SyntaxError, ValueError):
        return True  # pytest says what is wrong with the expression


def _evaluate(node: ast.expr) -> bool:
    match node:
        case ast.Constant(bool(value)):
            return value
        case ast.UnaryOp(ast.Not(), operand):
            return not _evaluate(operand)
        case ast.BoolOp(ast.And(), values):
            return all(map(_evaluate, values))
        case ast.BoolOp(ast.Or(), values):
            return any(map(_evaluate, values))
    raise ValueError(ast.dump(node))

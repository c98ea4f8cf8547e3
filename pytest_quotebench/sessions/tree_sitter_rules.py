r"""How OpenHands checks and rewrites a command: its rules on top of tree-sitter-bash, for commands that parse.

The parser itself is not used. What it cannot parse it leaves alone; here that is what is never closed. Tests
compare these rules with tree-sitter-bash where it is installed.
"""

from __future__ import annotations

import re

from pytest_quotebench.sessions.quoting import UnfinishedError
from pytest_quotebench.sessions.statements import structure

_ESCAPED_OPERATOR = re.compile(r"\\([;&|<>])")


def is_refused(command: str) -> bool:
    """Tell whether line breaks separate more than one statement: these are refused."""
    try:
        return len(structure(command).statements) > 1
    except UnfinishedError:
        return False


def rewritten(command: str) -> str:
    r"""Return the command with `\;`, `\&`, `\|`, `\<` and `\>` doubled to `\\;` and so on.

    Quoted strings, substitutions, heredoc bodies and comments stay. tmux undoes it at the end of a text only.
    """
    try:
        literal = sorted(structure(command).literal)
    except UnfinishedError:
        return command
    pieces, done = [], 0
    for start, end in literal:
        if start >= done:
            pieces += [_doubled(command[done:start]), command[start:end]]
            done = end
    return "".join([*pieces, _doubled(command[done:])])


def _doubled(text: str) -> str:
    return _ESCAPED_OPERATOR.sub(r"\\\\\1", text)

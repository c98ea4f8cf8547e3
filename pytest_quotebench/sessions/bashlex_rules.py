"""How SWE-ReX splits a command: the rules and the faults of bashlex 0.18, as they were observed.

The package itself is not used: its licence (GPL) is not this project's, and what it cannot parse differs between
versions. Tests compare these rules with it where it is installed.
"""

from __future__ import annotations

from pytest_quotebench.sessions.quoting import UnfinishedError
from pytest_quotebench.sessions.statements import structure


def split_as_bashlex(command: str) -> list[str] | None:
    r"""Return the statements, or None where bashlex fails on the command.

    It fails on quoted heredoc delimiters, `[[`, `case`, `select`, `time`, `coproc`, arithmetic, arrays, lists in a
    substitution, and what is not closed. Comments are lost; of a heredoc that is not the last thing in its
    statement, the body is.
    """
    text = command.strip()
    if all(line.strip().startswith("#") for line in text.splitlines()):
        return []
    try:
        found = structure(text)
    except UnfinishedError:
        return None
    if found.features:
        return None
    return [text[statement.start : statement.end] for statement in found.statements]

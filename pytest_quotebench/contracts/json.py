"""`json`: the reply is `{"command": ...}`, read by a strict JSON parser."""

from __future__ import annotations

from pytest_quotebench.contracts import Contract
from pytest_quotebench.core.errors import ContractError
from pytest_quotebench.core.escaping import json_string
from pytest_quotebench.core.prompt import (
    NOTHING_AROUND,
    TASK_DIRECTORY,
    WRITES_BASH,
    checked_command,
    system_prompt,
)
from pytest_quotebench.core.strict_json import parse_strict

_KEY = "command"


class _Json:
    matched_transport = "raw"
    system = system_prompt(
        f'{WRITES_BASH} JSON object {NOTHING_AROUND} The object has the single key "{_KEY}", whose value is one '
        "bash command.",
        f'A strict JSON parser reads your answer, and the value of "{_KEY}" is handed unchanged to `bash -c` as '
        f"its one argument and {TASK_DIRECTORY}.",
    )

    def decode(self, reply: str) -> str:
        if not reply.strip():
            raise ContractError("empty", "the reply is empty")
        command = _value(_parsed(reply))
        if not isinstance(command, str):
            raise ContractError("not-a-string", f"the value of {_KEY!r} is not a string")
        return checked_command(command)

    def encode(self, command: str) -> str:
        return f'{{"{_KEY}": {json_string(command)}}}'


def _parsed(reply: str) -> object:
    try:
        return parse_strict(reply)
    except ValueError as error:
        raise ContractError("not-json", f"the reply is not strict JSON: {error}") from None


def _value(parsed: object) -> object:
    if not isinstance(parsed, dict) or parsed.keys() != {_KEY}:
        raise ContractError("wrong-key", f"the reply is not an object with the single key {_KEY!r}")
    return parsed[_KEY]


CONTRACT: Contract = _Json()

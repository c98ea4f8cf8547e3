"""The json contract reads strict JSON, one key, one string, and nothing else."""

from __future__ import annotations

import pytest

from pytest_quotebench.contracts.json import CONTRACT
from pytest_quotebench.core.errors import ContractError


@pytest.mark.parametrize(
    ("reply", "command"),
    [
        ('{"command": "ls"}', "ls"),
        (' {\n"command" : "ls"\t}\n', "ls"),
        ('{"comm\\u0061nd": "a\\n\\"b\\\\"}', 'a\n"b\\'),
        ('{"command": "\\ud83d\\ude00"}', "😀"),
        ('{"command": "\\u0000"}', "\0"),
    ],
)
def test_a_strict_object_gives_its_command(reply: str, command: str) -> None:
    assert CONTRACT.decode(reply) == command


@pytest.mark.parametrize(
    ("detail", "reply"),
    [
        ("empty", ""),
        ("empty", '{"command": ""}'),
        ("not-json", "ls"),
        ("not-json", '{"command": "ls"'),
        ("not-json", "{'command': 'ls'}"),
        ("not-json", '{"command": "ls",}'),
        ("not-json", '{"command": "ls"} {"command": "ls"}'),
        ("not-json", '{"command": "a\nb"}'),
        ("not-json", '{"command": "a\\qb"}'),
        ("not-json", '{"command": "a", "command": "b"}'),
        ("not-json", '{"command": NaN}'),
        ("not-json", '\ufeff{"command": "ls"}'),
        ("not-json", "[" * 200_000),
        ("not-json", '{"command":' * 100_000),
        ("not-json", f'{{"command": {"9" * 10_000}}}'),
        ("wrong-key", "null"),
        ("wrong-key", '"ls"'),
        ("wrong-key", '["command"]'),
        ("wrong-key", "{}"),
        ("wrong-key", '{"cmd": "ls"}'),
        ("wrong-key", '{"command": "ls", "why": "x"}'),
        ("not-a-string", '{"command": ["ls"]}'),
        ("not-a-string", '{"command": null}'),
        ("not-a-string", '{"command": 1e999}'),
        ("lone-surrogate", '{"command": "\\ud83d"}'),
        ("lone-surrogate", '{"command": "echo \\udc80"}'),
    ],
)
def test_anything_else_is_an_error_with_its_detail(detail: str, reply: str) -> None:
    with pytest.raises(ContractError) as raised:
        CONTRACT.decode(reply)

    assert raised.value.detail == detail

"""`json`: through a JSON serializer and parser as `{"command": ...}`, then the one argument of `bash -c`."""

from __future__ import annotations

from pytest_quotebench.core.command_line import bash_c
from pytest_quotebench.core.escaping import json_string
from pytest_quotebench.core.execution import Invocation
from pytest_quotebench.core.layers import Layer
from pytest_quotebench.core.strict_json import parse_strict
from pytest_quotebench.transports import Transport


class _Json:
    def plan(self, command: str) -> Invocation:
        return bash_c(parse_strict(_serialized(command))["command"])

    def layers(self, command: str) -> tuple[Layer, ...]:
        return Layer("JSON parser", _serialized(command)), Layer("bash -c", command)

    def matched(self, command: str) -> str:
        return command


def _serialized(command: str) -> str:
    return f'{{"command": {json_string(command)}}}'


TRANSPORT: Transport = _Json()

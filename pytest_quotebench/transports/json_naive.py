"""`json-naive`: pasted unescaped into `{"command": "COMMAND"}`, parsed, then the one argument of `bash -c`."""

from __future__ import annotations

from pytest_quotebench.core.command_line import bash_c
from pytest_quotebench.core.errors import TransportError
from pytest_quotebench.core.escaping import json_string
from pytest_quotebench.core.execution import Invocation
from pytest_quotebench.core.layers import Layer
from pytest_quotebench.core.strict_json import parse_strict
from pytest_quotebench.core.text import has_surrogate
from pytest_quotebench.sessions.handing_on import typed
from pytest_quotebench.transports import Transport


class _JsonNaive:
    def plan(self, command: str) -> Invocation:
        return bash_c(_parsed(_pasted(command)))

    def layers(self, command: str) -> tuple[Layer, ...]:
        pasted = _pasted(command)
        try:
            received = Layer("bash -c", _parsed(pasted))
        except TransportError as error:
            received = Layer(f"bash -c, never started: {error}", "")
        return Layer("JSON parser", pasted), received

    def matched(self, command: str) -> str:
        # JSON is text: bytes that are none go as octal escapes of a shell word.
        return json_string(typed(command) if has_surrogate(command) else command)[1:-1]


def _pasted(command: str) -> str:
    return f'{{"command": "{command}"}}'


def _parsed(text: str) -> str:
    try:
        value = parse_strict(text)
    except ValueError as error:
        raise TransportError("unparseable", f"not JSON after pasting: {error}") from None
    # The text is an object whatever was pasted, but a quote in it can end the string or the object early.
    command = value.get("command") if isinstance(value, dict) else None
    if not isinstance(command, str) or has_surrogate(command):
        raise TransportError("unparseable", "no text under the key 'command' after pasting")
    return command


TRANSPORT: Transport = _JsonNaive()

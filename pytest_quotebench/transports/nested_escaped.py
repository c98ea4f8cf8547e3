"""`nested-escaped`: the control. The harness escapes what it pastes into `bash -c "COMMAND"`: it equals raw."""

from __future__ import annotations

from pytest_quotebench.core.command_line import bash_c, bash_layers, in_double_quotes
from pytest_quotebench.core.escaping import inside_double_quotes
from pytest_quotebench.core.execution import Invocation
from pytest_quotebench.core.layers import Layer
from pytest_quotebench.transports import Transport


class _NestedEscaped:
    def plan(self, command: str) -> Invocation:
        return bash_c(_line(command))

    def layers(self, command: str) -> tuple[Layer, ...]:
        return bash_layers(_line(command), depth=2)

    def matched(self, command: str) -> str:
        return command


def _line(command: str) -> str:
    # NUL has no escape; it stays, for the gate to refuse and for the layers to show.
    return in_double_quotes("\0".join(map(inside_double_quotes, command.split("\0"))))


TRANSPORT: Transport = _NestedEscaped()

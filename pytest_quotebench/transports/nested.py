"""`nested`: pasted unescaped between double quotes: `bash -c` runs `bash -c "COMMAND"`."""

from __future__ import annotations

from pytest_quotebench.core.command_line import bash_c, bash_layers, in_double_quotes
from pytest_quotebench.core.escaping import inside_double_quotes
from pytest_quotebench.core.execution import Invocation
from pytest_quotebench.core.layers import Layer
from pytest_quotebench.transports import Transport


class _Nested:
    def plan(self, command: str) -> Invocation:
        return bash_c(in_double_quotes(command))

    def layers(self, command: str) -> tuple[Layer, ...]:
        return bash_layers(in_double_quotes(command), depth=2)

    def matched(self, command: str) -> str:
        return inside_double_quotes(command)


TRANSPORT: Transport = _Nested()

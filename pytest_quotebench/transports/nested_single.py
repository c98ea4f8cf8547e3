"""`nested-single`: pasted unescaped between single quotes: `bash -c` runs `bash -c 'COMMAND'`."""

from __future__ import annotations

from pytest_quotebench.core.command_line import bash_c, bash_layers, in_single_quotes
from pytest_quotebench.core.escaping import inside_single_quotes
from pytest_quotebench.core.execution import Invocation
from pytest_quotebench.core.layers import Layer
from pytest_quotebench.transports import Transport


class _NestedSingle:
    def plan(self, command: str) -> Invocation:
        return bash_c(in_single_quotes(command))

    def layers(self, command: str) -> tuple[Layer, ...]:
        return bash_layers(in_single_quotes(command), depth=2)

    def matched(self, command: str) -> str:
        return inside_single_quotes(command)


TRANSPORT: Transport = _NestedSingle()

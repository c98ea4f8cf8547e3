r"""`nested-double`: pasted unescaped two shells deep: `bash -c` runs `bash -c "bash -c \"COMMAND\""`."""

from __future__ import annotations

from pytest_quotebench.core.command_line import bash_c, bash_layers, in_double_quotes
from pytest_quotebench.core.escaping import inside_double_quotes
from pytest_quotebench.core.execution import Invocation
from pytest_quotebench.core.layers import Layer
from pytest_quotebench.transports import Transport


class _NestedDouble:
    def plan(self, command: str) -> Invocation:
        return bash_c(_line(command))

    def layers(self, command: str) -> tuple[Layer, ...]:
        return bash_layers(_line(command), depth=3)

    def matched(self, command: str) -> str:
        return inside_double_quotes(inside_double_quotes(command))


def _line(command: str) -> str:
    return in_double_quotes(f'bash -c \\"{command}\\"')


TRANSPORT: Transport = _NestedDouble()

"""`raw`: the command is the one argument of `bash -c`, unchanged."""

from __future__ import annotations

from pytest_quotebench.core.command_line import bash_c, bash_layers
from pytest_quotebench.core.execution import Invocation
from pytest_quotebench.core.layers import Layer
from pytest_quotebench.transports import Transport


class _Raw:
    def plan(self, command: str) -> Invocation:
        return bash_c(command)

    def layers(self, command: str) -> tuple[Layer, ...]:
        return bash_layers(command, depth=1)

    def matched(self, command: str) -> str:
        return command


TRANSPORT: Transport = _Raw()

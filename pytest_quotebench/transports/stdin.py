"""`stdin`: the command is the standard input of `bash`, which a program in it that reads there shares."""

from __future__ import annotations

from pytest_quotebench.core.command_line import encoded
from pytest_quotebench.core.execution import Invocation
from pytest_quotebench.core.layers import Layer
from pytest_quotebench.transports import Transport


class _Stdin:
    def plan(self, command: str) -> Invocation:
        return Invocation(argv=(b"bash",), stdin=encoded(command))

    def layers(self, command: str) -> tuple[Layer, ...]:
        return (Layer("bash, standard input", command),)

    def matched(self, command: str) -> str:
        return command


TRANSPORT: Transport = _Stdin()

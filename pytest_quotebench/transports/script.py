"""`script`: the command is the body of a file outside the task directory, run as `bash FILE`."""

from __future__ import annotations

from pytest_quotebench.core.command_line import encoded
from pytest_quotebench.core.execution import AuxPath, Invocation
from pytest_quotebench.core.layers import Layer
from pytest_quotebench.core.tree import File
from pytest_quotebench.transports import Transport

_SCRIPT = "command.sh"


class _Script:
    def plan(self, command: str) -> Invocation:
        return Invocation(argv=(b"bash", AuxPath(_SCRIPT)), aux_files={_SCRIPT: File(encoded(command))})

    def layers(self, command: str) -> tuple[Layer, ...]:
        return (Layer("bash FILE", command),)

    def matched(self, command: str) -> str:
        return command


TRANSPORT: Transport = _Script()

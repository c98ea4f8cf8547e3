"""`login-shell`: the command is the one argument of `bash -lc`, which reads the profile files first.

Real bash. HOME is the task directory, so that only the system's own profile (/etc/profile, bash(1) INVOCATION)
is read, unless a task has one. Measured with bash 5.2.15: as raw but for the profile's effects on PATH.
End event: the shell's exit.
"""

from __future__ import annotations

from pytest_quotebench.core.command_line import argument
from pytest_quotebench.core.execution import Invocation
from pytest_quotebench.core.layers import Layer
from pytest_quotebench.transports import Transport


class _LoginShell:
    def plan(self, command: str) -> Invocation:
        return Invocation(argv=(b"bash", b"-lc", argument(command)))

    def layers(self, command: str) -> tuple[Layer, ...]:
        return (Layer("bash -lc", command),)

    def matched(self, command: str) -> str:
        return command


TRANSPORT: Transport = _LoginShell()

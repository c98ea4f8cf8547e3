"""`login-shell`: the command is the one argument of `bash -lc`, which reads the profile files first.

Real bash. HOME is the task directory, so that only the system's own profile (/etc/profile, bash(1) INVOCATION)
is read, unless a task has one. Measured with bash 5.2.15: as raw but for the profile's effects on PATH.
End event: the shell's exit.
"""

from __future__ import annotations

from pytest_quotebench.core.command_line import LastArgument
from pytest_quotebench.transports import Transport

TRANSPORT: Transport = LastArgument((b"bash", b"-lc"))

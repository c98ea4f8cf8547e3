"""`sh`: the command is the one argument of `sh -c`: no quoting is lost, but the dialect may be another.

Real sh: dash 0.5.12 on Debian 12, busybox ash where the sandbox has that. Arrays, `[[`, `<<<`, `<( )`, `$'...'`
and brace expansion are not POSIX. End event: the shell's exit.
"""

from __future__ import annotations

from pytest_quotebench.core.command_line import argument
from pytest_quotebench.core.execution import Invocation
from pytest_quotebench.core.layers import Layer
from pytest_quotebench.core.spawning import bash_word, shell_layers
from pytest_quotebench.transports import Transport


class _Sh:
    def plan(self, command: str) -> Invocation:
        return Invocation(argv=(b"sh", b"-c", argument(command)))

    def layers(self, command: str) -> tuple[Layer, ...]:
        return shell_layers("sh -c", command, is_bash=False)

    def matched(self, command: str) -> str:
        return bash_word(command)


TRANSPORT: Transport = _Sh()

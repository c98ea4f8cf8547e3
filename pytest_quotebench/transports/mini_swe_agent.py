"""`mini-swe-agent`: its local environment: the command is the one argument of `/bin/sh -c`.

Source: mini-swe-agent 2.4.6 (read from the package), environments/local.py: Python's Popen with shell=True.
Real: the argument list; /bin/sh is dash on Debian, so that bash's own grammar is lost. Not emulated: the fence
that the command is cut from, the merged output, the inherited standard input (here it is empty). Its docker
environment is `bash -lc`, which is the transport `login-shell`. End event: the shell's exit (30 s).
"""

from __future__ import annotations

from pytest_quotebench.core.command_line import argument
from pytest_quotebench.core.execution import Invocation
from pytest_quotebench.core.layers import Layer
from pytest_quotebench.core.spawning import bash_word, shell_layers
from pytest_quotebench.transports import Transport


class _MiniSweAgent:
    def plan(self, command: str) -> Invocation:
        return Invocation(argv=(b"/bin/sh", b"-c", argument(command)))

    def layers(self, command: str) -> tuple[Layer, ...]:
        return shell_layers("/bin/sh -c", command, is_bash=False)

    def matched(self, command: str) -> str:
        return bash_word(command)


TRANSPORT: Transport = _MiniSweAgent()

r"""`tty`: on a terminal but not typed: `script -qec COMMAND /dev/null`, which runs `bash -c COMMAND` on a pty.

Real: script(1) of util-linux 2.38 and its pseudo-terminal. The command sees a terminal on all three descriptors;
its output and errors come back as one stream with `\r\n` line ends, and a program that reads standard input
meets its end at once. No line editor and no history: text on a terminal is harmed only where it is typed. SHELL
is /bin/bash, because script(1) takes the shell from there. End event: the shell's exit, which `-e` hands on.
"""

from __future__ import annotations

from pytest_quotebench.core.command_line import argument
from pytest_quotebench.core.execution import Invocation
from pytest_quotebench.core.layers import Layer
from pytest_quotebench.transports import Transport


class _Tty:
    needs = ("script",)

    def plan(self, command: str) -> Invocation:
        argv = (b"script", b"-qec", argument(command), b"/dev/null")
        return Invocation(argv=argv, env={"SHELL": "/bin/bash"})

    def layers(self, command: str) -> tuple[Layer, ...]:
        return (Layer("bash -c, on a terminal", command),)

    def matched(self, command: str) -> str:
        return command


TRANSPORT: Transport = _Tty()

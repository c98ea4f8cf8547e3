"""`ssh-argv`: the command is the one argument of ssh after the host: `ssh -- host COMMAND`, and one parser.

Real: OpenSSH's client and its server as in `ssh`, but no local shell reads the command; the client sends it as it
stands, and the remote login shell runs it. `--` keeps a command with a leading dash from the client's options.
End event: the client's exit, with the remote command's status. No connection at all is `died`.

With `--qb-ssh-host=HOST` it goes to that host, by a broker: see `sessions.far_ssh`.
"""

from __future__ import annotations

from pytest_quotebench.core.errors import TransportError
from pytest_quotebench.core.execution import Execution, Invocation
from pytest_quotebench.core.layers import Layer
from pytest_quotebench.sessions.far_ssh import FarSsh
from pytest_quotebench.sessions.ssh import NEEDS, interpret_ssh, through_ssh
from pytest_quotebench.transports import BrokeredTransport, SessionTransport


class _SshArgv:
    needs: tuple[str, ...] = NEEDS

    def plan(self, command: str) -> Invocation:
        return through_ssh(command, "argument")

    def interpret(self, execution: Execution) -> Execution | TransportError:
        return interpret_ssh(execution)

    def at_host(self, host: str) -> BrokeredTransport:
        """Return the same path to a real host."""
        return _AtHost(host, ("--", "host"), pasted=False)

    def layers(self, command: str) -> tuple[Layer, ...]:
        return Layer("ssh -- host", command), Layer("remote bash -c", command)

    def matched(self, command: str) -> str:
        return command


class _AtHost(FarSsh):
    """The same argument to a real host."""

    layers = _SshArgv.layers
    matched = _SshArgv.matched


TRANSPORT: SessionTransport = _SshArgv()

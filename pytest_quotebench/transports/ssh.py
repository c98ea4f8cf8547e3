"""`ssh`: pasted unescaped between double quotes on an ssh command line: `bash -c` runs `ssh host "COMMAND"`.

Real: OpenSSH's client and its server, which serves one connection on pipes (`sshd -i` by ProxyCommand), so that
no port is open and no network is there; the remote login shell runs what the client sent. The client's options
stand before `host` on the same line. Fixed: the session begins in the task directory with the sandbox's
environment. What works where: an ordinary user whose home in /etc/passwd is the task directory (namespace,
bubblewrap) needs nothing else; elsewhere (local) a forced command changes the directory first, and root gets a
/run/sshd where there is none; sshd refuses a user whose login shell is none (`died`).
End event: the client's exit, with the remote command's status; as everywhere with ssh, it waits for whoever still
holds the remote command's output. No connection at all is `died`.

With `--qb-ssh-host=HOST` it goes to that host, by a broker: see `sessions.far_ssh`.
"""

from __future__ import annotations

from pytest_quotebench.core.errors import TransportError
from pytest_quotebench.core.escaping import inside_double_quotes
from pytest_quotebench.core.execution import Execution, Invocation
from pytest_quotebench.core.layers import NOT_OBSERVABLE, Layer
from pytest_quotebench.core.shell_model import parse_first_command
from pytest_quotebench.sessions.far_ssh import FarSsh
from pytest_quotebench.sessions.ssh import NEEDS, interpret_ssh, through_ssh
from pytest_quotebench.transports import BrokeredTransport, SessionTransport


class _Ssh:
    needs: tuple[str, ...] = NEEDS

    def plan(self, command: str) -> Invocation:
        return through_ssh(command, "pasted")

    def interpret(self, execution: Execution) -> Execution | TransportError:
        return interpret_ssh(execution)

    def at_host(self, host: str) -> BrokeredTransport:
        """Return the same path to a real host."""
        return _AtHost(host, ("host",), pasted=True)

    def layers(self, command: str) -> tuple[Layer, ...]:
        source = f'ssh host "{command}"'
        parsed = parse_first_command(source)
        outside = (Layer("bash -c, outside the quotes", parsed.rest),) if parsed.rest else ()
        return (Layer("bash -c", source), *outside, _remote(parsed.words, never_runs=parsed.never_runs))

    def matched(self, command: str) -> str:
        return inside_double_quotes(command)


def _remote(words: tuple[str, ...] | None, *, never_runs: bool) -> Layer:
    """Return what the remote shell receives: the client joins its arguments with spaces."""
    name = "remote bash -c"
    if words is None:
        return Layer(f"{name}, never started" if never_runs else name, "" if never_runs else NOT_OBSERVABLE)
    if words[:2] != ("ssh", "host") or len(words) < 3 or words[2].startswith("-"):
        return Layer(name, NOT_OBSERVABLE)  # another program, no command, or an option of the client's
    return Layer(name, " ".join(words[2:]))


class _AtHost(FarSsh):
    """The same line to a real host."""

    layers = _Ssh.layers
    matched = _Ssh.matched


TRANSPORT: SessionTransport = _Ssh()

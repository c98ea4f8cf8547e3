"""ssh without a port: OpenSSH's client and server inside the sandbox, joined by the client's ProxyCommand.

Both keys are one key that everybody can read here. It protects nothing, and has nothing to protect: whoever could
use it is inside already, and the server ends with its one connection.
"""

from __future__ import annotations

import base64
import struct
from pathlib import Path

from pytest_quotebench.core.command_line import MAX_ARGUMENT_BYTES, argument
from pytest_quotebench.core.errors import TransportError
from pytest_quotebench.core.execution import REPORT, AuxPath, Execution, Invocation
from pytest_quotebench.core.text import visible
from pytest_quotebench.core.tree import File

NEEDS = ("bash", "ssh", "/usr/sbin/sshd")

CLIENT_FAILED = 255
"""The exit status of ssh where there was no connection (ssh(1)); a command can end with it too."""

_INSIDE = Path(__file__).parent / "inside"
_OPTIONS_BYTES = 4096
"""What the client's options and the paths in them may take of the longest argument."""

_SEED = bytes.fromhex("44a236837a8549dfec6a97d2c8e13e53b02c58211d2f42a4ed263ebf729975f0")
_PUBLIC = bytes.fromhex("71d9d79df8398fd771c1cb731bf9b6c58a14c7a1429f811e6c4d5e2356c5a752")
_KIND = b"ssh-ed25519"

_CLIENT = """\
LogLevel ERROR
BatchMode yes
IdentitiesOnly yes
PreferredAuthentications publickey
StrictHostKeyChecking yes
UpdateHostKeys no
PermitLocalCommand yes
ForwardAgent no
HostKeyAlgorithms ssh-ed25519
KexAlgorithms curve25519-sha256
"""
_SERVER = """\
LogLevel ERROR
UsePAM no
StrictModes no
UseDNS no
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin prohibit-password
PrintMotd no
PrintLastLog no
X11Forwarding no
AllowTcpForwarding no
KexAlgorithms curve25519-sha256
"""


def through_ssh(command: str, form: str) -> Invocation:
    """Return the process that runs `command` on the host that is here: `pasted` in quotes, or one `argument`.

    Raises TransportError like `argument`.
    """
    data = argument(command)
    if len(data) > MAX_ARGUMENT_BYTES - _OPTIONS_BYTES:
        raise TransportError("too-long", f"with ssh's options {len(data)} bytes are more than one argument holds")
    key = base64.b64encode(_public_key()).decode()
    files = {
        "connect.sh": File((_INSIDE / "connect.sh").read_bytes()),
        "serve.sh": File((_INSIDE / "serve.sh").read_bytes()),
        "ssh_config": File(_CLIENT.encode()),
        "sshd_config": File(_SERVER.encode()),
        "key": File(_private_key(), 0o600),
        "authorized_keys": File(f"ssh-ed25519 {key}\n".encode()),
        "known_hosts": File(f"host ssh-ed25519 {key}\n".encode()),
    }
    argv = (b"bash", AuxPath("connect.sh"), AuxPath(REPORT), form.encode(), data)
    return Invocation(argv=argv, aux_files=files, reports=True)


def interpret_ssh(execution: Execution) -> Execution | TransportError:
    """Return the execution, or that there was no connection: both sides say how far they came."""
    is_over = execution.timed_out or execution.detail is not None
    if is_over or execution.exit_status != CLIENT_FAILED or execution.report != b"serving":
        return execution
    return TransportError("died", f"there was no connection: {visible(execution.stderr, 300)}")


def _private_key() -> bytes:
    """Return the key in OpenSSH's own format (PROTOCOL.key), without a passphrase."""
    check = struct.pack(">II", 0, 0)
    private = check + _string(_KIND) + _string(_PUBLIC) + _string(_SEED + _PUBLIC) + _string(b"")
    private += bytes(range(1, 1 + -len(private) % 8))
    head = b"openssh-key-v1\0" + _string(b"none") + _string(b"none") + _string(b"") + struct.pack(">I", 1)
    body = base64.encodebytes(head + _string(_public_key()) + _string(private))
    return b"-----BEGIN OPENSSH PRIVATE KEY-----\n%b-----END OPENSSH PRIVATE KEY-----\n" % body


def _public_key() -> bytes:
    return _string(_KIND) + _string(_PUBLIC)


def _string(data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + data

"""A real host by ssh(1): one connection, over which every item has a directory there, its calls, and an end.

The client is this machine's, with its user's configuration and keys, which stay outside. One process of it is the
master of the connection (ControlMaster, ssh_config(5)); at its far end a shell waits for its input to end, and
then ends and removes what is still there, however this process ended.

What the command started is found by the variable SSH_CONNECTION, which sshd(8) sets and every process inherits:
what has cleared its environment, runs as somebody else, or was handed to a service (at, cron, systemd) stays, as
does everything on a host without /proc.
"""

from __future__ import annotations

import os
import re
import secrets
import select
import subprocess
import tempfile
import time
from collections.abc import Sequence
from itertools import count
from typing import IO

from pytest_quotebench.core.capture import Capture
from pytest_quotebench.core.command_line import MAX_ARGUMENT_BYTES
from pytest_quotebench.core.errors import Broken
from pytest_quotebench.core.limits import TreeLimits
from pytest_quotebench.core.text import to_text, visible, visible_block
from pytest_quotebench.core.tree import FileTree, Special
from pytest_quotebench.processes.broker.archive import BLOCK, UnreadableArchive, packed, unpacked
from pytest_quotebench.processes.broker.relay import relayed
from pytest_quotebench.processes.broker.wire import Conversation
from pytest_quotebench.processes.private import PrivateDirectory, make_private_directory

FAILED = 255
"""ssh's own status where there was no connection, or no command (ssh(1))."""

_CONNECT_S = 5
_PATIENCE_S = 20.0
"""How long the host may take for anything that is not the command: to begin, to lay out, to give back."""
_SAID_BYTES = 2000
_NAMES_BYTES = 4 * 2**20

_PASSED_ON = (
    *("HOME", "LOGNAME", "PATH", "USER", "XDG_RUNTIME_DIR"),
    *("SSH_AUTH_SOCK", "KRB5CCNAME", "KRB5_CONFIG", "GSS_USE_PROXY"),
)
"""What the client and the programs of its configuration need to know who they are, and nothing that
`SendEnv` could carry to the host."""
_QUIET = (
    *("-T", "-a", "-x", "-o", "BatchMode=yes", "-o", "LogLevel=ERROR", "-o", "EscapeChar=none"),
    *("-o", "RequestTTY=no", "-o", "PermitLocalCommand=no", "-o", "RemoteCommand=none"),
    *("-o", "ForwardAgent=no", "-o", "ForwardX11=no", "-o", "ClearAllForwardings=yes"),
)
_CONNECTING = (
    *("-o", "ControlMaster=yes", "-o", "ControlPersist=no", "-o", f"ConnectTimeout={_CONNECT_S}"),
    *("-o", "ConnectionAttempts=1", "-o", "ServerAliveInterval=5", "-o", "ServerAliveCountMax=3"),
)
_JOINING = ("-F", "none", "-o", "ControlMaster=no", "-o", "ProxyCommand=false")
"""Over the connection that is there or not at all: no configuration is read for it again."""

_PLAIN_PATH = re.compile(r"/[A-Za-z0-9._+/-]*")

# The scripts stand in single quotes on one line without `!`, which every login shell hands on as they are.
_END_ALL = (
    "i=0; while [ $i -lt 100 ]; do i=$((i+1)); "
    'p=$(grep -lF "SSH_CONNECTION=$1" /proc/[0-9]*/environ 2>/dev/null | cut -d/ -f3); '
    '[ -n "$p" ] || break; kill -9 $p 2>/dev/null; done; '
)
_KEEP = (
    'umask 077; d=$(mktemp -d "${TMPDIR:-/tmp}/qb-XXXXXXXXXX") && d=$(cd "$d" && pwd -P) || exit; '
    'echo "$2 $d"; exec >/dev/null 2>&1; cat; '
    f'{_END_ALL}chmod -R u+rwx "$d"; rm -rf "$d"'
)
_LAY_OUT = 'umask 022; mkdir -m 755 "$2" "$2/task" && cd "$2/task" && tar -xmpof -'
_GIVE_BACK = (
    f'{_END_ALL}d="$2/none"; chmod u+rwx "$2"; mkdir -p -m 755 "$d"; '
    # What the command has taken away, or put a link in the place of, is as good as empty.
    '[ -h "$2/task" ] || { [ -d "$2/task" ] && d="$2/task"; }; '
    'chmod u+rwx "$d"; cd "$d" && { echo "$3"; find . -print0; printf "//\\0"; '
    'find . -type s -print0; printf "//\\0"; COPYFILE_DISABLE=1 tar -cf - .; }; '
    'cd /; rm -rf "$2" 2>/dev/null || { chmod -R u+rwx "$2"; rm -rf "$2"; }'
)
_NEXT = b"//"
"""Between what find(1) says of the directory, of its sockets, and what tar(1) says: no path begins with it."""


class Host:
    """A connection, and a directory at its far end."""

    def __init__(self, name: str) -> None:
        """Connect. Raises Broken (`ssh`) with what ssh said."""
        self.name = name
        self._numbers = count(1)
        self._private: PrivateDirectory = make_private_directory()
        self._control = ("-o", f"ControlPath={self._private.path}/control")
        token = secrets.token_hex(8)
        self._master = self._start([*_CONNECTING, "--", name, _script(_KEEP, token)], subprocess.PIPE)
        try:
            self._base = self._told(token)
        except BaseException:
            self.close()
            raise

    def hold(self, tree: FileTree) -> str:
        """Lay a tree out in a new directory; return its path. Raises Broken (`ssh`)."""
        place = f"{self._base}/{next(self._numbers)}"
        with tempfile.TemporaryFile() as data:
            data.write(packed(tree))
            data.seek(0)
            said, status = self._run(_script(_LAY_OUT, place), data, _SAID_BYTES)
        if status != 0:
            raise self._broken("cannot lay the fixture out", said)
        return f"{place}/task"

    def release(self, directory: str, limits: TreeLimits) -> Capture:
        """End what the item started; return what is in its directory, and remove it. Raises Broken (`ssh`)."""
        token = secrets.token_hex(8)
        most = limits.total_bytes + limits.entries * 4 * BLOCK + _NAMES_BYTES
        script = _script(_GIVE_BACK, directory.removesuffix("/task"), token)
        said, _ = self._run(script, None, most)
        _, found, listing = said.partition(f"{token}\n".encode())
        if not found:
            raise self._broken("does not give the directory back", b"")
        try:
            return _captured(listing, limits)
        except UnreadableArchive as error:
            raise Broken("ssh", f"the host {self.name} gives back what is no directory: {error}") from error

    def answer(self, directory: str, words: Sequence[bytes], conversation: Conversation) -> None:
        """Run words as ssh(1) does, joined by spaces, in a directory there."""
        # A line of its own: the login shell parses what follows as if nothing were before it.
        command = b"cd %b || exit\n%b" % (directory.encode(), b" ".join(words))
        if len(command) > MAX_ARGUMENT_BYTES:
            conversation.refuse("ssh: Argument list too long", FAILED)
            return
        with self._start([*_JOINING, "--", "far", command], subprocess.PIPE) as process:
            try:
                if relayed(process, conversation):
                    status = process.wait()
                    conversation.end(status if status >= 0 else FAILED)
            finally:
                process.kill()

    def close(self) -> None:
        """Have the far end end and remove what is still there, and leave it."""
        with self._master as master:
            try:
                master.communicate(timeout=_PATIENCE_S)
            except subprocess.TimeoutExpired:
                master.kill()
        self._private.remove()

    def _start(
        self, arguments: Sequence[str | bytes], stdin: int | IO[bytes], stderr: int = subprocess.PIPE
    ) -> subprocess.Popen[bytes]:
        """Start a client, out of the reach of this terminal's signals. Raises Broken (`ssh`)."""
        try:
            return subprocess.Popen(  # noqa: S603 -- the words of a reply are behind `--`, and one of them
                ["ssh", *_QUIET, *self._control, *arguments],  # noqa: S607 -- the user's own
                env={name: os.environ[name] for name in _PASSED_ON if name in os.environ},
                cwd="/",
                stdin=stdin,
                stdout=subprocess.PIPE,
                stderr=stderr,
                process_group=0,
            )
        except OSError as error:
            raise Broken("ssh", f"ssh cannot be started: {error.strerror}") from error

    def _told(self, token: str) -> str:
        """Return the path of the directory there, once the master has it."""
        assert self._master.stdout is not None
        said, _ = _read(self._master.stdout, _SAID_BYTES, until=re.compile(b"%b [^\n]*\n" % token.encode()))
        place = re.search(f"^{token} (.*)$", to_text(said), re.MULTILINE)
        if place is None:
            self._master.kill()
            raise self._broken("cannot be used", self._master.communicate()[1] or said)
        if not _PLAIN_PATH.fullmatch(place[1]):
            raise self._broken("has its directory for temporary files at a place that needs quotes", said)
        return place[1]

    def _run(self, command: str, stdin: IO[bytes] | None, most: int) -> tuple[bytes, int]:
        """Run a script of ours; return what it said, `most` bytes of it, and its status. Raises Broken."""
        arguments = [*_JOINING, "--", "far", command]
        stderr = subprocess.DEVNULL if stdin is None else subprocess.STDOUT
        with self._start(arguments, subprocess.DEVNULL if stdin is None else stdin, stderr) as process:
            assert process.stdout is not None
            try:
                said, is_over = _read(process.stdout, most)
                return said, process.wait(_PATIENCE_S) if is_over else FAILED
            except subprocess.TimeoutExpired:
                raise self._broken("does not answer", b"") from None
            finally:
                process.kill()

    def _broken(self, what: str, said: bytes) -> Broken:
        words = visible_block(said[-_SAID_BYTES:], 500).strip()
        return Broken("ssh", f"the host {visible(self.name, 100)} {what}{f': {words}' if words else ''}")


def _script(text: str, *arguments: str) -> str:
    """Return the line that has sh(1) run a script, without the variable by which it finds others."""
    return f"exec env -u SSH_CONNECTION sh -c '{text}' sh \"$SSH_CONNECTION\" {' '.join(arguments)}"


def _read(stream: IO[bytes], most: int, until: re.Pattern[bytes] | None = None) -> tuple[bytes, bool]:
    """Return what comes before the end, until a pattern is there, or in due time; and whether it was the end."""
    data = bytearray()
    deadline = time.monotonic() + _PATIENCE_S
    poll = select.poll()
    poll.register(stream, select.POLLIN)
    while len(data) <= most and not (until and until.search(data)):
        if not poll.poll(1000 * max(0.0, deadline - time.monotonic())):
            return bytes(data), False
        piece = os.read(stream.fileno(), 2**16)
        if not piece:
            return bytes(data), True
        data += piece
    return bytes(data), False


def _captured(listing: bytes, limits: TreeLimits) -> Capture:
    """Return a directory of which find(1) and tar(1) told, with what tar could not read or carry.

    Raises UnreadableArchive.
    """
    names, listing = _names(listing)
    sockets, archive = _names(listing)
    read = unpacked(archive, limits)
    if not read.complete:
        return read
    kinds = {name: "socket" if name in sockets else "unreadable" for name in names - read.tree.keys()}
    if len(read.tree) + len(kinds) > limits.entries:
        return Capture(read.tree, "limit:tree")
    try:
        return Capture(read.tree.with_entries({name: Special(kind) for name, kind in kinds.items()}))
    except ValueError as error:
        raise UnreadableArchive(str(error)) from error


def _names(listing: bytes) -> tuple[set[str], bytes]:
    """Return what find(1) listed, without the directory itself, and what follows it."""
    listed, found, rest = (b"\0" + listing).partition(b"\0%b\0" % _NEXT)
    if not found:
        raise UnreadableArchive("a list without an end")
    names = (name.removeprefix(b"./") for name in listed.split(b"\0"))
    return {to_text(name) for name in names if name not in (b"", b".")}, rest

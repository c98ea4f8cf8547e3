"""Fixtures for tests that need an ordinary user, a place that one can reach or a host; hypothesis's profile."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import settings

from pytest_quotebench.core.capture import OPEN_SAFELY
from pytest_quotebench.processes.removal import remove_directory

ORDINARY = 65534
MEMORY = "/dev/shm"

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # So a background job of a shell without job control is started, and the tests of interrupts with it.
    signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile("quotebench", deadline=None)  # a shared machine is slow at times; that is no failure
settings.load_profile("quotebench")


@pytest.fixture
def users_directory() -> Iterator[Path]:
    """A directory that an ordinary user reaches and owns; pytest's own ones are closed to others.

    In memory where that is possible: ext4 takes a millisecond for a directory, and some trees here have thousands.
    """
    directory = Path(tempfile.mkdtemp(prefix="qb-test-", dir=MEMORY if os.access(MEMORY, os.W_OK) else None))
    if os.geteuid() == 0:
        os.chown(directory, ORDINARY, ORDINARY)
    yield directory
    parent = os.open(directory.parent, OPEN_SAFELY)
    remove_directory(parent, directory.name)
    os.close(parent)


@pytest.fixture
def as_user() -> Iterator[None]:
    """Be an ordinary user, with no way round permissions; what is started then can never be root again."""
    if os.geteuid() != 0:
        yield
        return
    groups = os.getgroups()
    os.setgroups([])
    os.setresgid(ORDINARY, ORDINARY, 0)
    os.setresuid(ORDINARY, ORDINARY, 0)
    try:
        yield
    finally:
        os.setresuid(0, 0, 0)
        os.setresgid(0, 0, 0)
        os.setgroups(groups)


@pytest.fixture(scope="module")
def far_host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FarHost]:
    """A real sshd on a loopback port, as an ordinary process, and a client that knows it as `far`.

    The client is this machine's, with a configuration of its own in place of the user's. Skips without them.
    """
    if missing := [name for name in (SSHD, "ssh", "ssh-keygen", "tar") if shutil.which(name) is None]:
        pytest.skip(f"no {', '.join(missing)}")
    place = tmp_path_factory.mktemp("far")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    host = FarHost(place, port)
    host.write_files()
    with (place / "log").open("wb") as log:
        process = subprocess.Popen(host.serving(), stdin=subprocess.DEVNULL, stderr=log)
    former = os.environ["PATH"]
    os.environ["PATH"] = f"{place / 'bin'}:{former}"
    try:
        host.wait_until_up(process)
        yield host
    finally:
        os.environ["PATH"] = former
        process.terminate()
        process.wait(20)


SSHD = "/usr/sbin/sshd"
_IN_OWN_RUN = 'mount -t tmpfs none /run && mkdir -m 755 /run/sshd && exec "$@"'


@dataclass
class FarHost:
    """Where the server's and the client's files lie, and where the server lets users put temporary ones."""

    place: Path
    port: int
    name: str = "far"

    @property
    def temporary(self) -> Path:
        return self.place / "tmp"

    def left(self) -> list[str]:
        """Return what is in its directory for temporary files."""
        return [entry.name for entry in self.temporary.iterdir()]

    def log(self) -> str:
        return (self.place / "log").read_text(errors="replace")

    def serving(self) -> list[str]:
        """Return the server's command; as root it wants a directory that only its service makes."""
        command = [SSHD, "-D", "-e", "-f", str(self.place / "sshd_config")]
        if os.geteuid() != 0 or Path("/run/sshd").is_dir():
            return command
        return ["unshare", "--mount", "bash", "-c", _IN_OWN_RUN, "sshd", *command]

    def write_files(self) -> None:
        for name in ("host", "id"):
            made = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(self.place / name)]
            subprocess.run(made, check=True)
        self.temporary.mkdir()
        (self.place / "bin").mkdir()
        client = self.place / "bin" / "ssh"
        client.write_text(f'#!/bin/sh\nexec {shutil.which("ssh")} -F {self.place}/ssh_config "$@"\n')
        client.chmod(0o755)
        # SHLVL keeps bash from root's .bashrc, which Debian's reads when sshd starts it.
        (self.place / "sshd_config").write_text(
            f"Port {self.port}\nListenAddress 127.0.0.1\nHostKey {self.place}/host\nPidFile none\n"
            f"AuthorizedKeysFile {self.place}/id.pub\nStrictModes no\nUsePAM no\nUseDNS no\nAcceptEnv *\n"
            "PasswordAuthentication no\nKbdInteractiveAuthentication no\nPermitRootLogin prohibit-password\n"
            f'SetEnv "TMPDIR={self.temporary}" SHLVL=1\n'
        )
        (self.place / "ssh_config").write_text(
            f"Host far\nHostName 127.0.0.1\nPort {self.port}\nIdentityFile {self.place}/id\nIdentitiesOnly yes\n"
            f"StrictHostKeyChecking no\nUserKnownHostsFile {self.place}/known\nForwardAgent yes\nSendEnv *\n"
            "Host nobody-there\nHostName 127.0.0.1\nPort 1\n"
        )

    def wait_until_up(self, process: subprocess.Popen[bytes]) -> None:
        deadline = time.monotonic() + 20
        while True:
            with suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
                return
            assert process.poll() is None, self.log()
            assert time.monotonic() < deadline
            time.sleep(0.05)

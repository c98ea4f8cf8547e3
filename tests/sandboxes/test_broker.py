"""Every sandbox binds a broker's socket for an item, or says that it cannot."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from socket import socket

import pytest

from pytest_quotebench.core.errors import Broken
from pytest_quotebench.core.execution import Invocation
from pytest_quotebench.core.limits import Limits
from pytest_quotebench.core.tree import FileTree
from pytest_quotebench.processes.broker.near import calling
from pytest_quotebench.processes.broker.serving import serving
from pytest_quotebench.processes.broker.wire import ERROR, OUTPUT, Conversation
from pytest_quotebench.sandboxes import Sandbox


class Echo:
    """Says what it was asked for, and remembers it."""

    def __init__(self) -> None:
        self.calls: list[list[bytes]] = []

    def __call__(self, listener: socket) -> AbstractContextManager[None]:
        return serving(listener, self.answer)

    def answer(self, words: list[bytes], conversation: Conversation) -> None:
        self.calls.append(words)
        conversation.say(OUTPUT, b"[%b]" % b"|".join(words))
        conversation.say(ERROR, b"heard\n")
        while words == [b"input"] and (piece := conversation.input()):
            conversation.say(OUTPUT, piece)
        conversation.end(len(words))


@pytest.fixture
def held(sandbox: Sandbox) -> Sandbox:
    """The sandbox, if it can hold a broker."""
    if not getattr(import_module(f"pytest_quotebench.sandboxes.{sandbox.name}"), "BROKERS", False):
        pytest.skip(f"{sandbox.name} holds no broker")
    return sandbox


def line(source: str, broker: Echo, verb: str = "docker") -> Invocation:
    return calling(verb, (b"bash", b"-c", source.encode("utf-8", "surrogateescape")), broker)


def test_a_sandbox_without_a_place_for_a_broker_says_so(sandbox: Sandbox) -> None:
    if getattr(import_module(f"pytest_quotebench.sandboxes.{sandbox.name}"), "BROKERS", False):
        pytest.skip(f"{sandbox.name} holds a broker")
    with pytest.raises(Broken, match="no broker's socket") as raised:
        sandbox.run(FileTree(), line("docker", Echo()), Limits(wall_s=5))

    assert raised.value.detail == "unsupported"


def test_a_stub_delivers_words_output_and_status(held: Sandbox) -> None:
    echo = Echo()
    ended = held.run(FileTree(), line("docker a 'b  c' '' $'\\n\\xff'; echo $?", echo), Limits(wall_s=20))

    assert echo.calls == [[b"a", b"b  c", b"", b"\n\xff"]]
    assert (ended.stdout, ended.stderr) == (b"[a|b  c||\n\xff]4\n", b"heard\n")
    assert dict(ended.tree) == {}


def test_a_stub_called_ssh_delivers_its_input_and_one_called_docker_none(held: Sandbox) -> None:
    data = "printf 'x\\n%.0s' {1..60000}"
    through_ssh = held.run(FileTree(), line(f"{data} | ssh input | wc", Echo(), "ssh"), Limits(wall_s=20))
    through_docker = held.run(FileTree(), line(f"{data} | docker input", Echo()), Limits(wall_s=20))

    assert through_ssh.stdout.split() == [b"60000", b"60000", b"120007"]
    assert through_docker.stdout == b"[input]"


def test_calls_one_after_the_other_and_at_the_same_time_are_all_answered(held: Sandbox) -> None:
    echo = Echo()
    ended = held.run(
        FileTree(), line("for i in 1 2 3 4 5 6; do docker $i & done; wait; docker 7", echo), Limits(wall_s=20)
    )

    assert sorted(echo.calls) == [[b"%d" % number] for number in range(1, 8)]
    assert ended.exit_status == 1


def test_the_socket_and_the_stub_cannot_be_changed_and_are_no_part_of_the_state(held: Sandbox) -> None:
    if held.name == "local":
        pytest.skip("local holds nothing")
    attack = 'd=${PATH%%:*}; for f in "$d"/*; do rm -f "$f"; : >"$f"; done 2>/dev/null; ls "$d"; docker x'
    ended = held.run(FileTree(), line(attack, Echo()), Limits(wall_s=20))

    assert ended.stdout == b"broker\ndocker\nnear.sh\n[x]"
    assert dict(ended.tree) == {}


def test_a_reply_that_takes_the_socket_away_breaks_its_own_call_alone(held: Sandbox) -> None:
    echo = Echo()
    ended = held.run(
        FileTree(), line('rm -f "$(readlink "${PATH%%:*}/broker")"; docker x; echo $?', echo), Limits(wall_s=20)
    )

    assert ended.stdout == b"125\n"
    assert ended.stderr.startswith(b"docker: no broker: ")
    assert held.run(FileTree(), line("docker x", echo), Limits(wall_s=20)).stdout == b"[x]"


def test_bytes_of_a_reply_s_own_are_refused_and_reach_nobody(held: Sandbox) -> None:
    echo = Echo()
    forged = (
        "import os, socket; s = socket.socket(socket.AF_UNIX);"
        "s.connect(os.environ['PATH'].split(':')[0] + '/broker');"
        "s.sendall(b'\\0\\0\\0\\x05exec\\xff' + b'x' * 1000); s.shutdown(1); print(s.recv(100))"
    )
    ended = held.run(FileTree(), line(f'python3 -c "{forged}"', echo), Limits(wall_s=20))

    assert b"no words" in ended.stdout
    assert echo.calls == []


def test_no_socket_is_left_after_its_item_and_the_next_one_has_its_own(held: Sandbox) -> None:
    inodes: list[str] = []

    class Noting(Echo):
        def __call__(self, listener: socket) -> AbstractContextManager[None]:
            inodes.append(str(os.fstat(listener.fileno()).st_ino))
            return super().__call__(listener)

    for _ in range(3):
        assert held.run(FileTree(), line("docker x", Noting()), Limits(wall_s=20)).stdout == b"[x]"

    listed = {line.split()[6] for line in Path("/proc/net/unix").read_text().splitlines()[1:]}
    assert len(set(inodes)) == 3
    assert not listed & set(inodes)


def test_a_broker_is_left_also_where_its_item_is_ended(held: Sandbox) -> None:
    left: list[str] = []

    @contextmanager
    def noting(listener: socket) -> Iterator[None]:
        with Echo()(listener):
            try:
                yield
            finally:
                left.append("left")

    planned = replace(line("docker x; sleep 60", Echo()), broker=noting)
    ended = held.run(FileTree(), planned, Limits(wall_s=1))

    assert (ended.timed_out, ended.stdout, left) == (True, b"[x]", ["left"])


def test_a_broker_s_failure_is_the_item_s(held: Sandbox) -> None:
    def fail(words: list[bytes], conversation: Conversation) -> None:
        raise Broken("docker", "the engine is gone")

    planned = replace(line("docker x", Echo()), broker=lambda listener: serving(listener, fail))
    with pytest.raises(Broken, match="the engine is gone"):
        held.run(FileTree(), planned, Limits(wall_s=20))

"""A session on a pseudo-terminal: lines are typed at the prompt of an interactive shell.

Ends: the expected text on the terminal; the end of the shell; the proof that nothing more can come. The command's
status is then asked for by typing one more line. A gate, a process of its own, may refuse the command before.
"""

from __future__ import annotations

import fcntl
import os
import select
import sys
import termios
import time

from pytest_quotebench.sessions.inside.common import (
    PIECE,
    Stillness,
    end_of,
    environment,
    finish,
    kill,
    read_input,
    read_settings,
    start,
    write_all,
)


class Terminal:
    """An interactive shell on a terminal of its own, without echo."""

    def __init__(self, settings: dict) -> None:  # type: ignore[type-arg]
        self._line, slave = os.openpty()
        _prepare(slave, settings["size"])
        self.shell = start(settings["argv"], environment(settings), os.ttyname(slave))
        os.close(slave)
        os.set_blocking(self._line, False)
        self.said = b""
        self._poll = select.poll()
        self._poll.register(self._line, select.POLLIN)
        self._poll.register(end_of(self.shell), select.POLLIN)

    def type(self, text: bytes) -> None:
        """Type `text`; what comes meanwhile is kept, for a full terminal takes no more until it is read."""
        stillness = Stillness(self.shell)
        self._poll.modify(self._line, select.POLLIN | select.POLLOUT)
        while text:
            try:
                text = text[os.write(self._line, text) :]
            except BlockingIOError:
                self._wait(stillness)
        self._poll.modify(self._line, select.POLLIN)

    def until(self, expected: bytes, patience_s: float | None = None) -> bytes | None:
        """Return what came before `expected`, which is taken too; None where `patience_s` ran out."""
        deadline = None if patience_s is None else time.monotonic() + patience_s
        stillness = Stillness(self.shell)
        searched = 0
        while (place := self.said.find(expected, searched)) < 0:
            if deadline is not None and time.monotonic() > deadline:
                return None
            searched = max(0, len(self.said) - len(expected))
            self._wait(stillness)
        before, self.said = self.said[:place], self.said[place + len(expected) :]
        return before

    def _wait(self, stillness: Stillness) -> None:
        """Wait until something happens; end where nothing can."""
        events = dict(self._poll.poll(stillness.pause_ms))
        if events:
            stillness.restart()
            if not self._read() and self._line not in events:
                self.give_up("died")
        elif stillness.is_proved():
            self.give_up("hang")

    def give_up(self, ended: str) -> None:
        """End without a status."""
        write_all(1, self.said.replace(b"\r\n", b"\n"))
        kill(self.shell)
        finish(ended)

    def _read(self) -> bool:
        """Keep what has come; return whether there was something."""
        try:
            data = os.read(self._line, PIECE)
        except BlockingIOError:
            return False
        except OSError:
            self.give_up("died")  # EIO: nobody has the other side open any more
            return False
        self.said += data
        return bool(data)


def _prepare(slave: int, size: list[int]) -> None:
    """Turn the echo off and set the size: rows and columns."""
    fcntl.ioctl(slave, termios.TIOCSWINSZ, b"".join(value.to_bytes(2, sys.byteorder) for value in (*size, 0, 0)))
    attributes = termios.tcgetattr(slave)
    attributes[3] &= ~termios.ECHO
    termios.tcsetattr(slave, termios.TCSANOW, attributes)


def _pass_gate(gate: list[str | bytes]) -> None:
    """Run the carrier's own check of what the auxiliary file `gate` holds; where it fails, refuse the command."""
    if gate:
        nothing = os.open("/dev/null", os.O_RDONLY)
        process = start([*gate, read_input("gate")], dict(os.environ), (nothing, 2, 2))
        _, status = os.waitpid(process, 0)
        if status:
            finish("refused")


def _without_escapes(text: bytes) -> bytes:
    r"""Remove what ``\x1B[@-_][0-?]*[ -/]*[@-~]`` matches."""
    kept, *parts = text.split(b"\x1b")
    for part in parts:
        if not b"@" <= part[:1] <= b"_":
            kept += b"\x1b" + part
            continue
        rest = part[1:].lstrip(bytes(range(0x30, 0x40))).lstrip(bytes(range(0x20, 0x30)))
        kept += rest[1:] if b"@" <= rest[:1] <= b"~" else b"\x1b" + part
    return kept


def _status(terminal: Terminal, settings: dict) -> tuple[bytes, int]:  # type: ignore[type-arg]
    """Ask for the command's status; return the output that came meanwhile, and the status, 0 where unknown."""
    first, last = settings["status_begins"].encode(), settings["status_ends"].encode()
    terminal.type(settings["ask_status"].encode() + b"\n")
    said = terminal.until(last, settings["status_patience_s"])
    if said is None:
        return b"", 0
    said = _without_escapes(said)
    numbers = [part for part in said.split(first)[1:] if part[:1].isdigit()]
    if len(numbers) != 1:
        return b"", 0
    digits = len(numbers[0]) - len(numbers[0].lstrip(b"0123456789"))
    return said.split(first)[0], int(numbers[0][:digits])


def main() -> None:
    """Play the session."""
    settings = read_settings()
    _pass_gate(settings["gate"])
    terminal = Terminal(settings)
    prompt = settings["prompt"].encode()
    terminal.until(prompt)
    for line in settings["startup"]:
        terminal.type(line.encode() + b"\n")
        terminal.until(prompt)
    terminal.type(read_input() + b"\n")
    said = terminal.until(settings["expected"].encode()) or b""
    more, status = _status(terminal, settings)
    output = _without_escapes(said).replace(b"\r\n", b"\n") + more.replace(b"\r\n", b"\n")
    for word in settings["removed"]:
        output = output.replace(word.encode(), b"")
    write_all(1, output)
    kill(terminal.shell)
    finish("done", status)


if __name__ == "__main__" and len(sys.argv) == 2:
    main()

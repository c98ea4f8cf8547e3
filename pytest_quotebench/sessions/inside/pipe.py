"""A session on pipes: the command and a line that prints a marker are written to a shell that reads its input.

Ends: the marker on standard output; the end of the shell; or the proof that nothing more can come. The session's
error output, where it is not merged, is the driver's own and goes out directly.
"""

from __future__ import annotations

import os
import select
import sys

from pytest_quotebench.sessions.inside.common import (
    PIECE,
    Stillness,
    end_of,
    environment,
    find_line,
    finish,
    kill,
    read_input,
    read_settings,
    start,
    write_all,
)

_HELD_BACK = 256
"""Bytes of output that may still turn out to be the marker's line."""


class Output:
    """The session's output on its way out: everything before the marker is handed on."""

    def __init__(self, settings: dict) -> None:  # type: ignore[type-arg]
        self._marker = settings["marker"].encode()
        self._at_line_start = settings["at_line_start"]
        self._trims = settings["trims_output"]
        self.learns_status = settings["learns_status"]
        self._held = b""
        self._after_line = True

    def take(self, data: bytes) -> int | None:
        """Take the next piece; return the status once the marker has come."""
        self._held += data
        place = find_line(self._held, self._marker, at_line_start=self._at_line_start, after_line=self._after_line)
        if place >= 0:
            rest = self._held[place + len(self._marker) :]
            if b"\n" in rest or not self.learns_status:
                said = self._held[:place]
                write_all(1, said.rstrip(b"\n") if self._trims else said)
                return _number(rest.partition(b"\n")[0]) if self.learns_status else 0
        elif len(self._held) > 2 * _HELD_BACK:
            self._hand_on(len(self._held) - _HELD_BACK)
        return None

    def flush(self) -> None:
        """Hand on what was held back: no marker came."""
        self._hand_on(len(self._held))

    def _hand_on(self, length: int) -> None:
        if length:
            write_all(1, self._held[:length])
            self._after_line = self._held[length - 1 : length] == b"\n"
            self._held = self._held[length:]


def _number(text: bytes) -> int:
    text = text.strip()
    return int(text) if text.isdigit() else 0


class Session:
    """A shell on pipes."""

    def __init__(self, settings: dict) -> None:  # type: ignore[type-arg]
        self._death = settings["death"]
        self._output = Output(settings)
        their_input, self._input = os.pipe()
        self._stream, their_output = os.pipe()
        errors = their_output if settings["merges_errors"] else 2
        self._shell = start(settings["argv"], environment(settings), (their_input, their_output, errors))
        os.close(their_input)
        os.close(their_output)
        for ours in (self._input, self._stream):
            os.set_blocking(ours, False)

    def converse(self, text: bytes) -> None:
        """Write `text`, and wait for the end."""
        poll = select.poll()
        ended = end_of(self._shell)
        poll.register(self._stream, select.POLLIN)
        poll.register(self._input, select.POLLOUT)
        poll.register(ended, select.POLLIN)
        stillness = Stillness(self._shell)
        while True:
            events = dict(poll.poll(stillness.pause_ms))
            if not events and not text and stillness.is_proved():
                self._give_up("hang")
            if events:
                stillness.restart()
            if self._input in events:
                text = self._write(text)
                if not text:
                    poll.unregister(self._input)
            if self._stream in events and not self._read():
                poll.unregister(self._stream)
            if ended in events:
                while self._read():
                    pass
                self._give_up(self._death)

    def _write(self, text: bytes) -> bytes:
        try:
            return text[os.write(self._input, text) :]
        except BlockingIOError:
            return text
        except BrokenPipeError:
            return b""

    def _read(self) -> bool:
        """Read what there is; return whether there was something."""
        try:
            data = os.read(self._stream, PIECE)
        except BlockingIOError:
            return False
        status = self._output.take(data) if data else None
        if status is not None:
            kill(self._shell)
            finish("done", status)
        return bool(data)

    def _give_up(self, ended: str) -> None:
        self._output.flush()
        kill(self._shell)
        finish(ended)


def main() -> None:
    """Play the session."""
    Session(read_settings()).converse(read_input())


if __name__ == "__main__" and len(sys.argv) == 2:
    main()

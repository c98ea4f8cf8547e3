"""A session in tmux: keys are sent to the pane of a server of its own, by tmux's own command line.

A client in control mode (tmux(1), CONTROL MODE) starts the server and reads what the pane says. The keys go the
carrier's way, as arguments of `tmux send-keys`. Ends: `tmux wait` returns, or the prompt has come again; the end
of the shell; the proof that nothing more can come.
"""

from __future__ import annotations

import os
import select
import sys
import time

from pytest_quotebench.sessions.inside.common import (
    AUX,
    PIECE,
    Stillness,
    end_of,
    environment,
    finish,
    found,
    kill,
    read_input,
    read_settings,
    start,
    write_all,
)

_OUTPUT = b"%output "
_BRACKETED_PASTE = b"\x1b[?2004h"
"""What readline writes before the prompt (bash 5.1 and later)."""
_SETTLING_S = 0.1
_SIGNALLED = b"signalled"


def _place() -> str:
    """Return a directory for the socket: beside the auxiliary files where that is allowed, else a new one."""
    beside = AUX.rpartition("/")[0]
    if beside and os.access(beside, os.W_OK) and len(beside) < 80:
        return beside
    fresh = f"/tmp/tmux-{os.getpid()}"  # noqa: S108 -- it belongs to this item alone, or is made new
    os.mkdir(fresh, 0o700)
    return fresh


def unescaped(data: bytes) -> bytes:
    r"""Return what a pane said: control mode writes bytes below 32 and the backslash as three octal digits."""
    first, *parts = data.split(b"\\")
    return first + b"".join(bytes([int(part[:3], 8)]) + part[3:] for part in parts)


class Tmux:
    """A tmux server with one pane, and what came from it."""

    def __init__(self, settings: dict) -> None:  # type: ignore[type-arg]
        self._place = _place()
        self._command = [found("tmux"), "-S", f"{self._place}/tmux.socket", "-f", "/dev/null"]
        self._env = environment(settings)
        self._nothing = os.open("/dev/null", os.O_RDWR)
        their_input, self._input = os.pipe()
        self._stream, their_output = os.pipe()
        self.said = b""
        self._lines = b""
        self._answers: list[bytes] = []
        self._rounds = 0
        new = ["-C", "new-session", "-d", "-s", "qb", "-x", str(settings["columns"]), "-y", str(settings["rows"])]
        look = [";", "attach-session", "-t", "qb", ";", "display-message", "-p", "#{pid} #{pane_pid}"]
        self._client = start(
            [*self._command, *new, *settings["shell"], *look],
            self._env,
            (their_input, their_output, self._nothing),
        )
        os.close(their_input)
        os.close(their_output)
        self._poll = select.poll()
        self._poll.register(self._stream, select.POLLIN)
        self._server, self._pane = self._processes()
        self.stillness = Stillness(self._pane, bystanders=(self._server, self._client))
        self._ended = end_of(self._pane)
        self._poll.register(self._ended, select.POLLIN)

    def send(self, keys: list[str | bytes]) -> None:
        """Run `tmux send-keys` with these arguments; as with the carriers, nobody looks at its status."""
        words = [*self._command, "send-keys", "-t", "qb", *keys]
        os.waitpid(start(words, self._env, (self._nothing, self._nothing, self._nothing)), 0)

    def press(self, keys: list[str]) -> None:
        """Press keys by their names; the server takes that from its client as well as from another process."""
        self._tell(b"send-keys -t qb %s\n" % " ".join(keys).encode())
        self._go_round()

    def until_ready(self, prompt: bytes) -> None:
        """Wait until the pane's output ends with `prompt`: some of it may be in an echo."""
        while not self.said.endswith(prompt):
            self._wait()

    def until_prompted(self, begins: bytes, ends: bytes) -> None:
        """Wait until a prompt has come, which begins and ends so."""
        while ends not in self.said.rpartition(begins)[2] or begins not in self.said:
            self._wait()

    def until_signalled(self, channel: str) -> None:
        """Wait as `tmux wait` does until somebody signals the channel, and for the prompt, which comes at once."""
        self._tell(b"wait-for %s ; display-message -p %s\n" % (channel.encode(), _SIGNALLED))
        while _SIGNALLED not in self._answers:
            self._wait()
        if self._ended in dict(self._poll.poll(0)):
            self.give_up("hang")  # a server that ends wakes whoever waits

    def settle(self, prompt: bytes) -> None:
        """Give what was typed, and its output, a moment to pass: there may be lines behind the one that ended.

        The carriers look at the screen a while later, and their shell lives on.
        """
        deadline = time.monotonic() + _SETTLING_S
        before: tuple[object, ...] = ()
        while time.monotonic() < deadline:
            self._go_round()
            now = (len(self.said), self.stillness.picture(alone=True))
            if now == before and now[1] is not None and self.said.endswith(prompt):
                return
            before = now

    def close(self) -> None:
        """End the server and everything in it, and remove its socket."""
        for process in (self._server, self._client, self._pane):
            kill(process)
        try:
            os.unlink(f"{self._place}/tmux.socket")
            os.rmdir(self._place)
        except OSError:
            pass

    def give_up(self, ended: str) -> None:
        """End without a status."""
        self.close()
        finish(ended)

    def _tell(self, command: bytes) -> None:
        try:
            os.write(self._input, command)
        except BrokenPipeError:
            self.give_up("hang")  # the server has ended with its only shell

    def _go_round(self) -> None:
        """Return when the server has done all that it was told and has read all that the pane said before."""
        self._rounds += 1
        answer = b"round-%d" % self._rounds
        self._tell(b"display-message -p %s\n" % answer)
        while answer not in self._answers:
            if not self._read():
                self.give_up("hang")

    def _processes(self) -> tuple[int, int]:
        """Return the process ids of the server and of the pane's shell, which it said at the start."""
        while True:
            for answer in self._answers:
                words = answer.split()
                if len(words) == 2 and words[0].isdigit() and words[1].isdigit():
                    return int(words[0]), int(words[1])
            if not self._read():
                finish("died")

    def _wait(self) -> None:
        """Wait until something happens, or end where nothing can."""
        events = dict(self._poll.poll(self.stillness.pause_ms))
        if not events and self.stillness.is_proved():
            self.give_up("hang")
        if events:
            self.stillness.restart()
        more = self._stream in events and self._read()
        if events and not more:
            self.give_up("hang")  # the shell is gone, and the carrier waits for what it can never say

    def _read(self) -> bool:
        data = os.read(self._stream, PIECE)
        *lines, self._lines = (self._lines + data).split(b"\n")
        for line in lines:
            if line.startswith(_OUTPUT):
                self.said += unescaped(line.split(b" ", 2)[2])
            else:
                self._answers.append(line)
        return bool(data)


def output_between(said: bytes, begin: bytes, end: bytes) -> bytes:
    """Return what commands said: all that stands between their beginning and the next prompt."""
    parts = said.split(begin)[1:]
    outputs = (part.partition(end)[0].removesuffix(_BRACKETED_PASTE) for part in parts)
    return b"".join(outputs).replace(b"\r\n", b"\n")


def _status(said: bytes, begin: bytes, end: bytes) -> int:
    """Return the number that stands between the last two such words, 0 where there is none."""
    number = said.rpartition(begin)[2].partition(end)[0].strip(b' ",') if begin else b""
    return int(number) if number.isdigit() else 0


def main() -> None:
    """Play the session."""
    settings = read_settings()
    text = read_input()
    tmux = Tmux(settings)
    begins, ends = settings["prompt_begins"].encode(), settings["prompt_ends"].encode()
    tmux.until_ready(settings["first_prompt"].encode())
    tmux.said = b""
    for keys in settings["keys"]:
        if None in keys:
            tmux.send([text if key is None else key for key in keys])
        else:
            tmux.press(keys)
    if settings["channel"]:
        tmux.until_signalled(settings["channel"])
    else:
        tmux.until_prompted(begins, ends)
    tmux.settle(ends or begins)
    status = _status(tmux.said, settings["status_begins"].encode(), settings["status_ends"].encode())
    write_all(1, output_between(tmux.said, settings["output_begins"].encode(), begins))
    tmux.close()
    finish("done", status)


if __name__ == "__main__" and len(sys.argv) == 2:
    main()

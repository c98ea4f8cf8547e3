r"""`cron`: the command of a crontab line: cut at the first bare `%`; the rest is standard input of `/bin/sh -c`.

Source: Debian 12's cron 3.0pl1-162; crontab(5), and the real daemon, run in a mount namespace: `\%` is a percent
sign and, which the page does not say, `\\` is one backslash before the shell reads it (cronie keeps both); after
the cut each bare `%` is a line break, `\%` a percent sign, other backslashes stay, and a last line break is added.
Emulated: this reading. Real: /bin/sh. Not emulated: the daemon's environment (SHELL, LOGNAME, a PATH of its own)
and its mail. `refused`: a line break, which ends the entry; `too-long`: over 998 bytes, for which the daemon drops
the whole crontab. End event: the shell's exit.
"""

from __future__ import annotations

import re

from pytest_quotebench.core.command_line import argument
from pytest_quotebench.core.errors import TransportError
from pytest_quotebench.core.execution import Invocation
from pytest_quotebench.core.layers import Layer
from pytest_quotebench.core.spawning import bash_line, bash_word, never_started, shell_layers
from pytest_quotebench.core.text import to_bytes
from pytest_quotebench.transports import Transport

MAX_COMMAND_BYTES = 998
"""MAX_COMMAND of cron.h is 1000, and the daemon was seen to take 998 bytes and to refuse 999."""

_COMMAND = re.compile(r"(?:\\.|[^\\%]|\\\Z)*", re.DOTALL)


class _Cron:
    def plan(self, command: str) -> Invocation:
        _check(command)
        source, data = split_entry(command)
        return Invocation(argv=(b"/bin/sh", b"-c", argument(source)), stdin=to_bytes(data))

    def layers(self, command: str) -> tuple[Layer, ...]:
        try:
            _check(command)
        except TransportError as error:
            return Layer("crontab", command), never_started("/bin/sh -c", error)
        source, data = split_entry(command)
        cut = (Layer("standard input", data),) if data else ()
        return Layer("crontab", command), *cut, *shell_layers("/bin/sh -c", source, is_bash=False)

    def matched(self, command: str) -> str:
        source = bash_word(bash_line(command) if "\n" in command else command)
        entry = re.sub(r"[\\%]", r"\\\g<0>", source)
        if len(to_bytes(entry)) > MAX_COMMAND_BYTES:
            raise ValueError(f"the entry would be longer than the {MAX_COMMAND_BYTES} bytes that cron takes")
        return entry


def split_entry(entry: str) -> tuple[str, str]:
    """Return the shell's source and its standard input, as the daemon reads them out of an entry."""
    match = _COMMAND.match(entry)
    assert match is not None
    source = re.sub(r"\\([\\%])", r"\1", match[0])
    return source, _input(entry[match.end() + 1 :])


def _input(text: str) -> str:
    lines = re.sub(r"\\?%", lambda found: "%" if len(found[0]) > 1 else "\n", text)
    return lines if lines.endswith("\n") or not lines else f"{lines}\n"


def _check(entry: str) -> None:
    data = argument(entry)
    if b"\n" in data:
        raise TransportError("refused", "a line break ends a crontab entry")
    if len(data) > MAX_COMMAND_BYTES:
        raise TransportError(
            "too-long", f"the entry is {len(data)} bytes; cron 3.0 takes at most {MAX_COMMAND_BYTES}"
        )


TRANSPORT: Transport = _Cron()

r"""`make`: the lines of a recipe, each in a bash of its own, run by `make -f FILE`.

Real: GNU make 4.3 and bash (`SHELL := bash`). Each line of the command stands after a tab and `@`, as the probes
were measured; blanks and further `@`, `-`, `+` at its head are make's own, `$` begins a variable (`$$` is a dollar
sign, `$x` and the unset `$(date)` are nothing, `$(shell ...)` runs), a trailing backslash joins the next line, and
`\r` before a line break is dropped. The Makefile lies outside the task directory. With the default shell /bin/sh
bash's own grammar is lost too; without `@` on every line a continued one is intact (`echo a \` and `b`).
End event: the exit of make: 2, with a line on standard error, where a command failed; no line after it runs.
"""

from __future__ import annotations

import re

from pytest_quotebench.core.command_line import encoded
from pytest_quotebench.core.execution import AuxPath, Invocation
from pytest_quotebench.core.layers import NOT_OBSERVABLE, Layer
from pytest_quotebench.core.spawning import bash_line, never_started, shell_layers
from pytest_quotebench.core.tree import File
from pytest_quotebench.transports import Transport

_MAKEFILE = "Makefile"
_HEAD = "SHELL := bash\n.PHONY: command\ncommand:\n"
_AUTOMATIC = {"@": "command", **dict.fromkeys("<^?+*%|", "")}
_NOTHING = " \t\n\v\f\r@+-"
_CR = "\r"
_LOGICAL_LINE = re.compile(r"((?:[^\\\n]++|\\.)*+)(?:\n|\Z)", re.DOTALL)
_UNESCAPED_BREAK = re.compile(r"(?<!\\)\n")
_DOLLAR = re.compile(r"\$(.?)", re.DOTALL)
_NEEDS_ITS_OWN_BASH = re.compile(r"\A[@+\- \t]|[\n\r\0]|\\\Z")


class _Make:
    needs = ("make",)

    def plan(self, command: str) -> Invocation:
        makefile = File(encoded(_makefile(command)))
        return Invocation(argv=(b"make", b"-f", AuxPath(_MAKEFILE)), aux_files={_MAKEFILE: makefile})

    def layers(self, command: str) -> tuple[Layer, ...]:
        lines = shell_lines(command)
        if lines is None:
            received: tuple[Layer, ...] = (Layer("bash -c", NOT_OBSERVABLE),)
        else:
            received = tuple(layer for line in lines for layer in shell_layers("bash -c", line))
        return Layer("make", _makefile(command)), *(received or (never_started("bash -c", "no line is left"),))

    def matched(self, command: str) -> str:
        line = bash_line(command) if _NEEDS_ITS_OWN_BASH.search(command) else command
        return line.replace("$", "$$")


def _makefile(command: str) -> str:
    return _HEAD + "".join(f"\t@{line}\n" for line in command.split("\n"))


def shell_lines(command: str) -> tuple[str, ...] | None:
    """Return what make hands to its shells: no empty line, no lone `:`; None where only make can know.

    That is a variable with a name of more than one byte, a function, a NUL.
    """
    if "\0" in command:
        return None
    if not command.strip(_NOTHING):
        return ()
    recipe = "".join(f"@{line.removesuffix(_CR)}\n" for line in command.split("\n"))
    expanded = [_expanded(line) for line in _LOGICAL_LINE.findall(recipe)]
    known = [line for line in expanded if line is not None]
    if len(known) < len(expanded):
        return None
    shells = (part.lstrip("@+- \t") for line in known for part in _UNESCAPED_BREAK.split(line))
    return tuple(line for line in shells if line not in ("", ":"))


def _expanded(line: str) -> str | None:
    """Return a logical line after its variables; None where there is one that is not a single character."""
    names = _DOLLAR.findall(line)
    if any(name in "({" or not name.isascii() for name in names if name):
        return None
    return _DOLLAR.sub(lambda found: "$" if found[1] in ("$", "") else _AUTOMATIC.get(found[1], ""), line)


TRANSPORT: Transport = _Make()

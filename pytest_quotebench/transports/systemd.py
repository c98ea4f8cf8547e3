r"""`systemd`: the value of `ExecStart=` in a oneshot unit: systemd's own words and variables, no shell.

Source: systemd 252: systemd.service(5) COMMAND LINES, systemd.syntax(7), systemd.unit(5) SPECIFIERS, and
src/core/load-fragment.c; the reading is checked against `systemd --test`. Emulated: lines, words and escapes
(`core.unit_line`); `%` specifiers, as of a system unit `command.service` run by root on a host `localhost`
(`%%` is a percent sign); `$NAME` as a word of its own is removed and `${NAME}` is nothing, for no variable is
set, and `$$` is a dollar sign; a word `;` ends one command and begins the next, which runs if the last one
succeeded; the prefixes `-`, `@`, `:`, `+`, `!`. Real: the processes. Lines after the value's end are
other lines of the unit file, and no part of the command.
`unparseable`: an open quote, a word that is no program's name, text that is not UTF-8. `refused`: no command.
End event: the last process's exit; a program that is not there is status 127 (systemd says 203).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pytest_quotebench.core.command_line import argument
from pytest_quotebench.core.errors import TransportError
from pytest_quotebench.core.escaping import shell_word
from pytest_quotebench.core.execution import Invocation
from pytest_quotebench.core.layers import Layer
from pytest_quotebench.core.spawning import never_started, spawned, word_layers
from pytest_quotebench.core.text import has_surrogate, to_bytes
from pytest_quotebench.core.unit_line import SPACE, first_line, take_word
from pytest_quotebench.transports import Transport

_VALUES = """
%=% n=command.service N=command p=command P=command j=command J=command i= I= f=/command u=root U=0 g=root G=0
h=/root s=/bin/sh t=/run S=/var/lib C=/var/cache L=/var/log E=/etc T=/tmp V=/var/tmp H=localhost l=localhost
q=localhost a=x86-64 o=debian w=12 A= B= M= W= v=6.1.0 m=00000000000000000000000000000000
b=00000000000000000000000000000000 c=/system.slice/command.service R=/system.slice r=/system.slice
d=/run/credentials/command.service y=/etc/systemd/system/command.service Y=/etc/systemd/system
"""
_SPECIFIERS = {entry[0]: entry[2:] for entry in _VALUES.split()}
_PREFIXES = ("-", "@", ":", "+!")
_LONE = re.compile(rf"(\\?;)(?:[{SPACE}]+|\Z)")
_UNSAFE = re.compile(r"""[\x00-\x1f\x7f\\"']""")
_SPECIAL = re.compile(r'[\x01-\x1f\x7f\\"\udc80-\udcff]')


@dataclass(frozen=True, slots=True)
class Command:
    """One command of the line."""

    words: tuple[str, ...]
    """The program and its arguments."""
    may_fail: bool = False
    """Whether its status does not count (`-`)."""
    expands: bool = True
    """Whether variables are replaced (not with `:`)."""


class _Systemd:
    needs = ("nice",)

    def plan(self, command: str) -> Invocation:
        commands = read_commands(command)
        if len(commands) == 1 and not commands[0].may_fail:
            return spawned(_argv(commands[0]))
        return Invocation(argv=(b"sh", b"-c", argument(" && ".join(map(_as_shell, commands)))))

    def layers(self, command: str) -> tuple[Layer, ...]:
        line = Layer("ExecStart=", first_line(command))
        try:
            commands = read_commands(command)
        except TransportError as error:
            return line, never_started("execve", error)
        return line, *(layer for each in commands for layer in word_layers("execve", _argv(each)))

    def matched(self, command: str) -> str:
        if "\0" in command:
            raise ValueError("an argument cannot hold a NUL character")
        word = _SPECIAL.sub(_escaped, command).replace("%", "%%").replace("$", "$$")
        return f'bash -c "{word}"'


def _escaped(found: re.Match[str]) -> str:
    character = found[0]
    return f"\\{character}" if character in '\\"' else f"\\x{to_bytes(character)[0]:02x}"


def read_commands(text: str) -> tuple[Command, ...]:
    """Return the commands of `ExecStart=text`, their variables still in them.

    Raises TransportError: `unparseable`, `refused`, or as `argument` does.
    """
    line = first_line(text)
    argument(line)
    if has_surrogate(line):
        raise TransportError("unparseable", "systemd ignores a line that is not UTF-8")
    try:
        commands = tuple(_read(line))
    except ValueError as error:
        raise TransportError("unparseable", f"ExecStart=: {error}") from None
    if not commands:
        raise TransportError("refused", "the service has no ExecStart=")
    return commands


def _read(line: str) -> Iterator[Command]:
    first = ""
    try:
        while line:
            first = ""
            first, line = take_word(line)
            if first != ";":
                words, line = _arguments(line)
                yield _command(first, words)
    except ValueError:
        # As the original: a command is passed over that has no first word or whose failure does not matter.
        if first and "-" not in _prefix(first):
            raise


def _arguments(line: str) -> tuple[list[str], str]:
    words: list[str] = []
    while line:
        lone = _LONE.match(line)
        if lone is None:
            word, line = take_word(line)
            words.append(_specified(word))
            continue
        line = line[lone.end() :]
        if lone[1] == ";":
            break
        words.append(";")
    return words, line


def _command(first: str, words: list[str]) -> Command:
    prefix = _prefix(first)
    program = _specified(first.removeprefix(prefix))
    if not program or program.endswith("/") or _UNSAFE.search(program):
        raise ValueError(f"{first!r} is no program")
    if not program.startswith("/") and "/" in program:
        raise ValueError(f"{first!r} is neither a program's name nor an absolute path")
    if "@" not in prefix:
        return Command((program, *words), "-" in prefix, ":" not in prefix)
    if not words:
        raise ValueError(f"{first!r} has no argument for its name")
    return Command((program, *words[1:]), "-" in prefix, ":" not in prefix)


def _prefix(first: str) -> str:
    """Return the prefixes of a program: each at most once, and one of `+`, `!` and `!!`."""
    taken = ""
    for character in first:
        group = next((each for each in _PREFIXES if character in each), None)
        same = [] if group is None else [each for each in taken if each in group]
        if group is None or (same and (character, same) != ("!", ["!"])):
            break
        taken += character
    return taken


def _specified(word: str) -> str:
    return re.sub(r"%(.)", _specifier, word, flags=re.DOTALL)


def _specifier(found: re.Match[str]) -> str:
    letter = found[1]
    if letter.isascii() and letter.isalnum() and letter not in _SPECIFIERS:
        raise ValueError(f"%{letter} is no specifier")
    return _SPECIFIERS.get(letter, found[0])


def _argv(command: Command) -> tuple[str, ...]:
    program, *arguments = command.words
    if not command.expands:
        return command.words
    return (program, *(_expanded(word) for word in arguments if not _is_variable(word)))


def _is_variable(word: str) -> bool:
    return word.startswith("$") and word[1:2] not in ("{", "$")


def _expanded(word: str) -> str:
    return re.sub(r"\$(?:(\$)|\{[^}:]*\})", lambda found: found[1] or "", word)


def _as_shell(command: Command) -> str:
    started = " ".join(map(shell_word, ("nice", "-n", "0", "--", *_argv(command))))
    return f"{{ {started} || :; }}" if command.may_fail else started


TRANSPORT: Transport = _Systemd()

"""Userlands: the programs that a command finds first in its PATH.

One file each; the file's name is the option's value. Each file defines `USERLAND`, an object of the class below,
mostly made by one of the functions. What a userland consists of is never written down here: the installed program
is asked, inside the sandbox, before any reply has run there.
"""

from __future__ import annotations

from dataclasses import dataclass
from shlex import quote

SHELL_NAMES = ("bash", "sh")
"""What transports and replies call their shell."""


@dataclass(frozen=True, kw_only=True)
class Userland:
    """A question to ask inside a sandbox, and what to do where the answer is no."""

    question: str
    """POSIX shell text. Its exit status is not 0 where the userland is not there. Else its first line of output is
    what the userland says of its version, and each line after it an applet: `NAME<TAB>PATH` makes NAME a link to
    the program PATH; `NAME<TAB>PATH<TAB>WORD` a small program that starts PATH by its own name, WORD its first
    argument if it is not empty."""
    install: str
    """How to get it, as a sentence: `Install the package toybox.`"""
    own: bool = False
    """Whether it is what a sandbox has anyway: nothing is put before it, and its answer is the version alone."""


def of_many(program: str, listing: str, version: str, install: str) -> Userland:
    """Return the userland of a program that is many: `listing` prints its names, and `version` a line.

    The name `bash` is left out: what varies is the tools, not the shell that every transport starts.
    """
    question = f"""
program=$(command -v {quote(program)}) || exit 1
{version} 2>&1 </dev/null | head -n 1
for name in $({listing}); do
  [ "$name" = bash ] || printf '%s\\t%s\\n' "$name" "$program"
done
"""
    return Userland(question=question, install=install)


def of_one(program: str, names: tuple[str, ...], version: str, install: str) -> Userland:
    """Return the userland in which `names` lead to one program, and all else is what the sandbox has."""
    answer = f'for name in {" ".join(names)}; do printf \'%s\\t%s\\n\' "$name" "$program"; done'
    return _found(program, version, answer, install)


def of_shell(program: str, version: str, install: str, argument: str = "") -> Userland:
    """Return the userland whose `bash` is a program by its own name, with `argument` first, and whose `sh` is it.

    For shells that go by the name they are called by: zsh called bash acts as sh, BusyBox has no applet bash.
    """
    answer = f"""printf 'bash\\t%s\\t{argument}\\nsh\\t%s\\n' "$program" "$program\""""
    return _found(program, version, answer, install)


def _found(program: str, version: str, answer: str, install: str) -> Userland:
    question = (
        f"program=$(command -v {quote(program)}) || exit 1\n{version} 2>&1 </dev/null | head -n 1\n{answer}\n"
    )
    return Userland(question=question, install=install)

r"""`ansible-command`: Ansible's `command` module: shlex, then variables and `~` in every word, then a process.

Source: ansible-core 2.19.14 (read from the package; the same at c9ac477e), modules/command.py and
module_utils/basic.py (`run_command`). Real: Python's shlex, and Python's expandvars and expanduser inside the
sandbox, where Ansible runs them on the target; the process. `$NAME` and `${NAME}` of variables that are set there
are replaced whatever quotes they were in; nothing else of a shell is there. Not emulated: Jinja2 before it
(`{{ }}`, `{% %}`, `{#`), the YAML scalar, and the free form's own `creates=` words (`cmd:` has none).
`unparseable`: shlex finds no closing quotation. `refused`: no words. End event: the process's exit; a program that
is not there is status 127 (Ansible says the errno, 2).
"""

from __future__ import annotations

import re

from pytest_quotebench.core.errors import TransportError
from pytest_quotebench.core.execution import AuxPath, Invocation
from pytest_quotebench.core.layers import NOT_OBSERVABLE, Layer
from pytest_quotebench.core.spawning import bash_line, bash_word, never_started, spawnable, word_layers
from pytest_quotebench.core.tokenizing import shlex_words
from pytest_quotebench.core.tree import File
from pytest_quotebench.transports import Transport

_MODULE = "command.py"
_PROGRAM = b"""\
import os, sys
words = [os.path.expanduser(os.path.expandvars(word)) for word in map(os.fsencode, sys.argv[1:])]
try:
    os.execvpe(words[0], words, os.environ)
except OSError as error:
    print(f"[Errno {error.errno}] {error.strerror}: {words[0]!r}", file=sys.stderr)
    sys.exit(127)
"""
_EXPANDABLE = re.compile(r"\$(?:[A-Za-z0-9_]|\{[^}]*\})|\A~")
_VARIABLE = "$"


class _AnsibleCommand:
    needs = ("python3",)

    def plan(self, command: str) -> Invocation:
        words = spawnable(shlex_words(command))
        return Invocation(
            argv=(b"python3", b"-I", b"-S", AuxPath(_MODULE), *words), aux_files={_MODULE: File(_PROGRAM)}
        )

    def layers(self, command: str) -> tuple[Layer, ...]:
        try:
            words = shlex_words(command)
        except TransportError as error:
            return Layer("shlex", command), never_started("execvp", error)
        if any(map(_EXPANDABLE.search, words)):
            return Layer("shlex", command), Layer("execvp, after variables and ~", NOT_OBSERVABLE)
        return Layer("shlex", command), *word_layers("execvp", words)

    def matched(self, command: str) -> str:
        if _EXPANDABLE.search(command):
            return bash_word(bash_line(command, avoid=_VARIABLE))
        return bash_word(command)


TRANSPORT: Transport = _AnsibleCommand()

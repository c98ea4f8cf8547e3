r"""`intercode`: InterCode pastes the command into `/bin/bash -c "COMMAND"`, and shlex takes that apart.

Source: princeton-nlp/intercode at c3e46d82, envs/bash/bash_env.py (`clean_cmd`); docker-py's exec_run splits the
text with Python's shlex. Emulated: the stripping, the pasting. Real: shlex and bash. Not emulated: `docker exec`,
which hands its arguments on as they are, and the case of an action that begins with `cd`. Within the double quotes
of shlex only `\"` and `\\` are escapes: `$`, `!` and backquotes are safe, an inner `"` is not.
`unparseable`: shlex finds no closing quotation; the original answers "Malformed command".
End event: the shell's exit.
"""

from __future__ import annotations

import re

from pytest_quotebench.core.errors import TransportError
from pytest_quotebench.core.execution import Invocation
from pytest_quotebench.core.layers import Layer
from pytest_quotebench.core.spawning import bash_line, never_started, spawnable, word_layers
from pytest_quotebench.core.tokenizing import shlex_words
from pytest_quotebench.transports import Transport


class _Intercode:
    def plan(self, command: str) -> Invocation:
        return Invocation(argv=spawnable(shlex_words(_pasted(command))))

    def layers(self, command: str) -> tuple[Layer, ...]:
        pasted = _pasted(command)
        try:
            received = word_layers("execvp", shlex_words(pasted))
        except TransportError as error:
            received = (never_started("execvp", error),)
        return Layer("shlex", pasted), *received

    def matched(self, command: str) -> str:
        if command != command.strip():
            return _in_quotes(bash_line(command))
        return _in_quotes(command)


def _pasted(command: str) -> str:
    return f'/bin/bash -c "{command.strip()}"'


def _in_quotes(command: str) -> str:
    """Return the text that stands for `command` between double quotes of shlex. Raises ValueError for NUL."""
    if "\0" in command:
        raise ValueError("an argument cannot hold a NUL character")
    return re.sub(r'["\\]', r"\\\g<0>", command)


TRANSPORT: Transport = _Intercode()

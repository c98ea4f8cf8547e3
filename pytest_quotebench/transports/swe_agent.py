r"""`swe-agent`: SWE-ReX's interactive session: checked by `bash -n`, split, joined by `;`, typed into readline.

Source: SWE-agent at 3ea751c0 (blocklist, strip), SWE-ReX at 5c995c36 and swe-rex 1.4.0, runtime/local.py.
Real: the gate (`sh -c` with a heredoc for `/usr/bin/env bash -n`); a fresh `/usr/bin/env bash` on a terminal of 24
by 80 without echo, with readline and history expansion, PS1=SHELLPS1PREFIX and empty PS2 and PS0; the start-up
line; the typed text; the question for the status. Emulated: bashlex (`sessions.bashlex_rules`); where it fails the
text is typed line by line, with a closing line. The prompt is waited for where the original sleeps, and the
closing line sleeps 0 s, not 0.1 s. Fixed: TERM=xterm, HISTFILE=/dev/null, no start-up files.
End event: the prompt, or the closing line's word where bashlex fails; its 25 s are not waited for where neither
can come: a program that reads the terminal, an unfinished heredoc, which passes the gate. `exit` ends the session.
"""

from __future__ import annotations

from pytest_quotebench.core.command_line import argument
from pytest_quotebench.core.errors import TransportError
from pytest_quotebench.core.execution import Execution, Invocation
from pytest_quotebench.core.layers import Layer
from pytest_quotebench.sessions.bashlex_rules import split_as_bashlex
from pytest_quotebench.sessions.driver import driven
from pytest_quotebench.sessions.handing_on import is_harmless, typed
from pytest_quotebench.sessions.interpretation import interpret
from pytest_quotebench.sessions.line_editor import typed_layers
from pytest_quotebench.transports import SessionTransport

_PS1, _UNIQUE = "SHELLPS1PREFIX", "UNIQUESTRING29234"
_CLOSING_LINE = f"\n TMPEXITCODE=$? ; sleep 0; echo -n '{_UNIQUE}' ; (exit $TMPEXITCODE)"
_BLOCKED = ("vim", "vi", "emacs", "nano", "nohup", "gdb", "less", "tail -f", "python -m venv", "make")
"""Prefixes of refused commands: `visudo` and `makedepend` are among them."""
_BLOCKED_ALONE = frozenset({"python", "python3", "ipython", "bash", "sh", "/bin/bash", "/bin/sh", "su"})

_SETTINGS = {
    "gate": ["/bin/sh", "-c"],
    "argv": ["/usr/bin/env", "bash", "--norc"],
    "env": {"PS1": _PS1, "PS2": "", "PS0": "", "TERM": "xterm", "HISTFILE": "/dev/null"},
    "keeps": None,
    "size": [24, 80],
    "prompt": _PS1,
    "startup": [f"export PS1='{_PS1}' ; export PS2='' ; export PS0=''"],
    "ask_status": "\necho EXITCODESTART$?EXITCODEEND",
    "status_begins": "EXITCODESTART",
    "status_ends": "EXITCODEEND",
    "status_patience_s": 1,
    "removed": [_UNIQUE, _PS1],
}


class _SweAgent:
    needs: tuple[str, ...] = ("python3", "bash")

    def plan(self, command: str) -> Invocation:
        text = _accepted(command)
        keys, expected = _typed(text)
        gate = argument(f"/usr/bin/env bash -n << 'SOUNIQUEEOF'\n{text}\nSOUNIQUEEOF")
        return driven("terminal", {**_SETTINGS, "expected": expected}, text=argument(keys), more={"gate": gate})

    def interpret(self, execution: Execution) -> Execution | TransportError:
        return interpret(execution)

    def layers(self, command: str) -> tuple[Layer, ...]:
        text = command.strip()
        return (Layer("bash -n, bashlex", text), *typed_layers(_typed(text)[0]))

    def matched(self, command: str) -> str:
        return command if is_harmless(command) else typed(command)


def _accepted(command: str) -> str:
    text = command.strip()
    if text.startswith(_BLOCKED) or text in _BLOCKED_ALONE:
        raise TransportError("refused", f"SWE-agent's blocklist refuses a command that begins so: {text[:40]!r}")
    return text


def _typed(text: str) -> tuple[str, str]:
    """Return what is typed for a command, and the text on the terminal that ends it."""
    statements = split_as_bashlex(text)
    if statements is None:
        return text + _CLOSING_LINE, _UNIQUE
    return " ; ".join(statements), _PS1


TRANSPORT: SessionTransport = _SweAgent()

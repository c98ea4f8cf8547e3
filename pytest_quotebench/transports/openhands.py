r"""`openhands`: the terminal tool of the OpenHands SDK: one statement, its `\;` doubled, `tmux send-keys -l`.

Source: software-agent-sdk at 611629e6, openhands-tools/.../terminal/{terminal_session,tmux_terminal}.py and
utils/command.py, read again in openhands-tools 1.58.2, which takes more after a heredoc than the version that is
followed here. Real: tmux, a fresh server of 256 by 200; an interactive bash without history expansion, its prompt
in JSON (by option and environment, not typed); the argument lists, `-l TEXT` and `Enter`; names of keys that are
the whole text. Emulated: tree-sitter's part (`sessions.tree_sitter_rules`): statements on lines of their own are
refused, and the backslash before `;`, `&`, `|`, `<`, `>` outside quotes is doubled, which tmux undoes at the end
of the text only. The pane is read in control mode, not off the screen. Fixed: HISTFILE=/dev/null, no start-up
files; the screen is not cleared.
End event: one more prompt, which holds the exit status; its 30 s without news are not waited for where it can
never come (a program that reads the terminal, an open quote).
"""

from __future__ import annotations

import json
import re

from pytest_quotebench.core.command_line import argument
from pytest_quotebench.core.errors import TransportError
from pytest_quotebench.core.execution import Execution, Invocation
from pytest_quotebench.core.layers import Layer
from pytest_quotebench.sessions.driver import driven
from pytest_quotebench.sessions.interpretation import interpret
from pytest_quotebench.sessions.line_editor import typed_layers
from pytest_quotebench.sessions.tmux import sent_keys, tmux_settings, typed_in_tmux
from pytest_quotebench.sessions.tree_sitter_rules import is_refused, rewritten
from pytest_quotebench.transports import SessionTransport

_METADATA = {
    "pid": "$!",
    "exit_code": "$?",
    "username": r"\u",
    "hostname": r"\h",
    "working_dir": r"$(pwd)",
    "py_interpreter_path": r'$(command -v python || echo "")',
}
_PS1 = "\n###PS1JSON###\n" + json.dumps(_METADATA, indent=2).replace('"', r"\"") + "\n###PS1END###\n"
_ENVIRONMENT = {"PROMPT_COMMAND": f'export PS1="{_PS1}"', "PS2": "", "GIT_PAGER": "cat", "PAGER": "cat"}
_SPECIAL = {
    "ENTER": "Enter",
    "TAB": "Tab",
    "BS": "BSpace",
    "ESC": "Escape",
    "UP": "Up",
    "DOWN": "Down",
    "LEFT": "Left",
    "RIGHT": "Right",
    "HOME": "Home",
    "END": "End",
    "PGUP": "PPage",
    "PGDN": "NPage",
}
_CONTROL = re.compile(r"(?:C-|CTRL-|CTRL\+)([A-Za-z])", re.IGNORECASE)


class _OpenHands:
    needs: tuple[str, ...] = ("python3", "bash", "tmux")

    def plan(self, command: str) -> Invocation:
        text = _accepted(command)
        key = _key(text)
        settings = tmux_settings(
            size=(256, 200),
            keys=[["-l", None], ["Enter"]] if key is None else [[key]],
            env=_ENVIRONMENT,
            options=["+H"],
            prompt=("\r\n###PS1JSON###\r\n{", "\r\n###PS1END###\r\n"),
            status=('"exit_code": "', '"'),
        )
        return driven("tmux", settings, text=argument(rewritten(text)))

    def interpret(self, execution: Execution) -> Execution | TransportError:
        return interpret(execution)

    def layers(self, command: str) -> tuple[Layer, ...]:
        text = command.strip()
        if not text or is_refused(text):
            return (Layer("OpenHands, refused", text),)
        if (key := _key(text)) is not None:
            return Layer("tmux send-keys", key), Layer("bash", "")
        received = sent_keys([rewritten(text)], literal=True)
        first = Layer("tmux send-keys -l", rewritten(text))
        return (first, *typed_layers(received)) if received is not None else (first, Layer("bash", ""))

    def matched(self, command: str) -> str:
        return typed_in_tmux(command)


def _accepted(command: str) -> str:
    text = command.strip()
    if not text:
        raise TransportError("refused", "OpenHands takes an empty command for a look at the one before")
    if is_refused(text):
        raise TransportError(
            "refused", "OpenHands cannot execute multiple commands at once: line breaks separate them"
        )
    return text


def _key(text: str) -> str | None:
    """Return the key that is pressed where the whole text is the name of one."""
    if text.upper() in _SPECIAL:
        return _SPECIAL[text.upper()]
    control = _CONTROL.fullmatch(text)
    return None if control is None else f"C-{control[1].lower()}"


TRANSPORT: SessionTransport = _OpenHands()

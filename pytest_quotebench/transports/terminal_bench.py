r"""`terminal-bench`: Terminus's blocking keystrokes: one `tmux send-keys` with `; tmux wait -S done` behind.

Source: terminal-bench, terminal/tmux_session.py (`_prepare_keys`, `_send_blocking_keys`; the paper's anchor), read
in 0.2.18. Of its two ways this is the blocking one: the command and an Enter as keys, of which trailing Enters and
line breaks are taken away again, then `; tmux wait -S done` and Enter, each one argument, without `-l` and `--`.
Real: tmux, a fresh server of 160 by 40; the argument list; an interactive bash with readline and history
expansion. Emulated: a client in control mode waits for the signal and reads the pane, which the original does off
the screen, and prompts are marked, so that output is told from echo. Fixed: HISTFILE=/dev/null, no start-up files
(a login shell in the original).
End event: `tmux wait done` returns. No exit status is learned: it counts as 0. The deadline of 180 s is not waited
for where the signal can never come: nothing was sent (`-n`, over 16 kB), or a line was discarded or swallowed it.
"""

from __future__ import annotations

from pytest_quotebench.core.command_line import argument
from pytest_quotebench.core.errors import TransportError
from pytest_quotebench.core.execution import Execution, Invocation
from pytest_quotebench.core.layers import Layer
from pytest_quotebench.sessions.driver import driven
from pytest_quotebench.sessions.interpretation import interpret
from pytest_quotebench.sessions.line_editor import typed_layers
from pytest_quotebench.sessions.tmux import sent_keys, tmux_settings, typed_in_tmux
from pytest_quotebench.transports import SessionTransport

_COMPLETION = "; tmux wait -S done"
_ENTER_KEYS = frozenset({"Enter", "C-m", "KPEnter", "C-j", "^M", "^J"})


class _TerminalBench:
    needs: tuple[str, ...] = ("python3", "bash", "tmux")

    def plan(self, command: str) -> Invocation:
        text = _prevented(command)
        keys = [[*([None] if text else []), _COMPLETION, "Enter"]]
        settings = tmux_settings(size=(160, 40), keys=keys, env={}, channel="done")
        return driven("tmux", settings, text=argument(text))

    def interpret(self, execution: Execution) -> Execution | TransportError:
        return interpret(execution)

    def layers(self, command: str) -> tuple[Layer, ...]:
        text = _prevented(command)
        keys = [*([text] if text else []), _COMPLETION, "Enter"]
        received = sent_keys(keys, literal=False)
        if received is None:
            return (Layer("tmux send-keys, refused by tmux", " ".join(keys)), Layer("bash", ""))
        sent = text if received.startswith(text) and received.endswith(_COMPLETION) else received
        return (Layer("tmux send-keys", text), *typed_layers(sent))

    def matched(self, command: str) -> str:
        return typed_in_tmux(command)


def _prevented(command: str) -> str:
    """Return the text without what would execute it: it is no key at all where nothing is left."""
    text = command.rstrip("\r\n")
    return "" if text in _ENTER_KEYS else text


TRANSPORT: SessionTransport = _TerminalBench()

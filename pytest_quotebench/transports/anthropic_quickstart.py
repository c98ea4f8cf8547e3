"""`anthropic-quickstart`: the bash tool of Anthropic's computer-use demo: `; echo '<<exit>>'` behind the command.

Source: anthropic-quickstarts, computer_use_demo/tools/bash.py at 44c2b5c9. Real: a fresh `/bin/sh -c /bin/bash` on
pipes; the bytes are the command, `; echo '<<exit>>'` and a newline. Emulated: nothing that reaches the shell; the
demo polls every 0.2 s, here the end is seen at once.
End event: `<<exit>>` anywhere in standard output. No exit status is learned: it counts as 0. The demo never looks
whether its shell lives, so an ended one is a hang, as is a heredoc, a comment or an open quote that swallows the
glue; it waits 120 s, here a lost marker is proved.
"""

from __future__ import annotations

from pytest_quotebench.sessions.pipe import PipeSession
from pytest_quotebench.transports import SessionTransport

_SENTINEL = "<<exit>>"


def _marker(_nonce: str) -> str:
    return _SENTINEL


def _write(command: str, _nonce: str) -> str:
    return f"{command}; echo '{_SENTINEL}'\n"


TRANSPORT: SessionTransport = PipeSession(
    argv=("/bin/sh", "-c", "/bin/bash"), write=_write, marker=_marker, learns_status=False, death="hang"
)

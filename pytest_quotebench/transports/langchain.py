r"""`langchain`: the shell tool of LangChain: the command and a printf share the standard input of one bash.

Source: langchain 1.x, agents/middleware/shell_tool.py (`ShellSession.execute`) at 00aa1d60, read again in 1.5.2:
the same bytes. Real: a fresh `/bin/bash` on pipes in its default environment, which is empty; the bytes are the
command, a newline where it has none, and ``printf '__LC_SHELL_DONE__<nonce> %s\n' $?``.
Emulated: the nonce is a digest of the command, not random; output is bytes, not text with "[stderr]" before lines.
End event: a line of standard output that begins with the marker. Its deadline of 30 s is not waited for where
the marker is proved lost: after output without a final newline, an open quote or heredoc, or a program that read
the printf. `exit` ends the shell before the printf, and the session with it (`died`): 1.5.2 waits 30 s for that.
Added to the empty environment are the sandbox's GIT_CONFIG variables, so that git trusts its directory.
"""

from __future__ import annotations

from pytest_quotebench.sessions.pipe import GIT_TRUST, PipeSession
from pytest_quotebench.transports import SessionTransport


def _marker(nonce: str) -> str:
    return f"__LC_SHELL_DONE__{nonce}"


def _write(command: str, nonce: str) -> str:
    payload = command if command.endswith("\n") else f"{command}\n"
    return f"{payload}printf '{_marker(nonce)} %s\\n' $?\n"


TRANSPORT: SessionTransport = PipeSession(
    argv=("/bin/bash",), keeps=GIT_TRUST, write=_write, marker=_marker, at_line_start=True
)

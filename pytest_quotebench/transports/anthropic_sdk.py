r"""`anthropic-sdk`: the reference bash session of Anthropic's Python SDK: the command in a brace group.

Source: anthropic-sdk-python, lib/tools/agent_toolset.py (`BashSession`) at 009b0353, read again in 2.14.0: the
same bytes. Real: a fresh `/bin/bash --noprofile --norc` with TERM=dumb and empty PS1 and PS2, its standard error
merged into its output; the bytes are ``{ COMMAND\n} </dev/null 2>&1; printf '\n<nonce in two parts>%d\n' $?``.
Emulated: the nonce is a digest of the command, not random; escape sequences are not removed from the output.
End event: the nonce in the output; newlines before it are dropped. An ended shell is seen (`died`); the deadline
of 120 s is not waited for where the nonce is proved lost: an open quote or heredoc, a backslash before the brace.
"""

from __future__ import annotations

from pytest_quotebench.sessions.pipe import PipeSession
from pytest_quotebench.transports import SessionTransport

_SPLIT_AT = 8


def _marker(nonce: str) -> str:
    return f"__ANT_CMD_{nonce}_DONE__"


def _write(command: str, nonce: str) -> str:
    marker = _marker(nonce)
    shown = f"{marker[:_SPLIT_AT]}''{marker[_SPLIT_AT:]}"
    return f"{{ {command}\n}} </dev/null 2>&1; printf '\\n{shown}%d\\n' $?\n"


TRANSPORT: SessionTransport = PipeSession(
    argv=("/bin/bash", "--noprofile", "--norc"),
    env={"PS1": "", "PS2": "", "TERM": "dumb"},
    write=_write,
    marker=_marker,
    merges_errors=True,
    trims_output=True,
)

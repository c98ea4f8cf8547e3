"""`codex`: the `shell_command` tool of openai/codex: the command is the one argument of `bash -lc`.

Source: codex-rs/core/src/shell.rs (`derive_exec_args`) at 083f2d22 and tools/handlers/shell.rs at 001cb8e2.
Real: the argument list, no pseudo-terminal, empty standard input. Not emulated: the environment overlay
(NO_COLOR, PAGER=cat, LC_ALL=C.UTF-8), the policy and apply_patch checks, which change no command, and the shell
snapshot, which puts the command in single quotes for one more bash and was measured to be faithful (87 of 87
probes). The legacy `shell` tool takes an argument list from the model and has no parser at all.
End event: the shell's exit (the original kills the process group after 10 s).
"""

from __future__ import annotations

from pytest_quotebench.core.command_line import LastArgument
from pytest_quotebench.transports import Transport

TRANSPORT: Transport = LastArgument((b"bash", b"-lc"))

"""`gemini-cli`: google-gemini/gemini-cli's shell tool: trimmed and set on lines of its own in a subshell.

Source: @google/gemini-cli-core 0.61.0 (read from the package), tools/shell.js (`wrapCommandForBackgroundPIDs`)
and services/shellExecutionService.js; the same wrap as at 5411f113. Emulated: that text around the command, with
/dev/null for the file of process numbers. Real: bash. Not emulated: the pseudo-terminal that it takes where
node-pty loads (here it is pipes, its fallback), and the tree-sitter check, which refuses some commands before.
Versions before 2026-03 glued `; }` to the command instead and broke every here-document.
End event: the shell's exit (or inactivity).
"""

from __future__ import annotations

from pytest_quotebench.core.command_line import bash_c
from pytest_quotebench.core.execution import Invocation
from pytest_quotebench.core.layers import Layer
from pytest_quotebench.core.spawning import bash_word, shell_layers
from pytest_quotebench.transports import Transport

_GUARD = "shopt -u promptvars nullglob extglob nocaseglob dotglob;"
_BEFORE = "_bgpids_file=/dev/null\n(\n  trap 'jobs -p > \"$_bgpids_file\"' EXIT\n"
_AFTER = "\n)\n__code=$?\nexit $__code"
# What String.prototype.trim of ECMAScript removes: WhiteSpace and LineTerminator.
_BLANK = "\t\n\v\f\r \u00a0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff" + "".join(map(chr, range(0x2000, 0x200B)))


class _GeminiCli:
    def plan(self, command: str) -> Invocation:
        return bash_c(_wrapped(_trimmed(command)))

    def layers(self, command: str) -> tuple[Layer, ...]:
        trimmed = _trimmed(command)
        return Layer("bash -c", _wrapped(trimmed)), *shell_layers("the subshell in it", trimmed)

    def matched(self, command: str) -> str:
        return bash_word(command)


def _trimmed(command: str) -> str:
    trimmed = command.strip(_BLANK)
    return f"{trimmed} " if trimmed.endswith("\\") else trimmed


def _wrapped(trimmed: str) -> str:
    return f"{_GUARD} {_BEFORE}{trimmed}{_AFTER}" if trimmed else f"{_GUARD} "


TRANSPORT: Transport = _GeminiCli()

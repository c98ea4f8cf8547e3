"""`gitlab-ci`: a `script:` item of GitLab CI: quoted as `$'...'` into a script that is piped to bash.

Source: gitlab-org/gitlab-runner at 018a2f64, shells/bash.go and helpers/shell_escape.go. Emulated: the script
(`set -o errexit`, pipefail, `set +o noclobber`, then `: | eval $'...'`). Real: bash, and that quoting, which is
faithful. A failing command ends the job, with status 1 in place of its own (seen with bash 5.2.15; the runner's
FF_USE_NEW_BASH_EVAL_STRATEGY is there for that); `eval` runs in a subshell of the pipe; a trailing backslash joins
the line break that the runner adds. Not emulated: the exports, the `cd` and the coloured echo of the command that
stand before it, the shell detection, and `$[[ ]]`, which GitLab replaces as text.
`nul`: YAML has no such character. End event: the shell's exit.
"""

from __future__ import annotations

from pytest_quotebench.core.ansi_c import ansi_c_word
from pytest_quotebench.core.command_line import encoded
from pytest_quotebench.core.errors import TransportError
from pytest_quotebench.core.execution import Invocation
from pytest_quotebench.core.layers import Layer
from pytest_quotebench.core.spawning import bash_word, never_started, shell_layers
from pytest_quotebench.transports import Transport

_OPTIONS = "set -o errexit\nset -o pipefail\nset +o noclobber\n"


class _GitlabCi:
    def plan(self, command: str) -> Invocation:
        return Invocation(argv=(b"bash",), stdin=encoded(_script(command)))

    def layers(self, command: str) -> tuple[Layer, ...]:
        try:
            script = _script(command)
        except TransportError as error:
            return (never_started("bash, standard input", error),)
        return Layer("bash, standard input", script), *shell_layers("eval", command)

    def matched(self, command: str) -> str:
        return bash_word(command)


def _script(command: str) -> str:
    try:
        return f"{_OPTIONS}: | eval {ansi_c_word(command + chr(10))}\nexit 0\n"
    except ValueError as error:
        raise TransportError("nul", str(error)) from None


TRANSPORT: Transport = _GitlabCi()

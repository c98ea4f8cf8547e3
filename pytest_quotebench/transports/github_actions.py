"""`github-actions`: a `run:` step with `shell: bash`: a file run by `bash --noprofile --norc -e -o pipefail FILE`.

Source: actions/runner at 258d6c85, ScriptHandler.cs. Real: bash and its options; the file lies outside the task
directory, as RUNNER_TEMP does. With no `shell:` the runner takes `bash -e FILE`, without pipefail. A failing
command ends the step (`false; echo x` prints nothing), and so does `read` at the end of input.
Not emulated: `${{ }}`, which the runner replaces as text before it writes the file, wherever it stands, and the
YAML scalar that the command was in. End event: the shell's exit.
"""

from __future__ import annotations

from pytest_quotebench.core.command_line import encoded
from pytest_quotebench.core.execution import AuxPath, Invocation
from pytest_quotebench.core.layers import Layer
from pytest_quotebench.core.spawning import bash_word, shell_layers
from pytest_quotebench.core.tree import File
from pytest_quotebench.transports import Transport

_SCRIPT = "step.sh"


class _GithubActions:
    def plan(self, command: str) -> Invocation:
        argv = (b"bash", b"--noprofile", b"--norc", b"-e", b"-o", b"pipefail", AuxPath(_SCRIPT))
        return Invocation(argv=argv, aux_files={_SCRIPT: File(encoded(command))})

    def layers(self, command: str) -> tuple[Layer, ...]:
        return shell_layers("bash -e -o pipefail FILE", command)

    def matched(self, command: str) -> str:
        return bash_word(command)


TRANSPORT: Transport = _GithubActions()

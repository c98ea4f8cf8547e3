"""`autogen`: microsoft/autogen's code executor: a file `tmp_code_SHA256.bash`, run as `timeout 60 bash FILE`.

Source: autogen-ext 0.7.5 (read from the package; the same as at 027ecf0a), code_executors/_common.py and
docker/_docker_code_executor.py. Emulated: the file's name and `silence_pip`, which adds ` -qqq` to every line
that begins with `pip install`, within here-documents too. Real: timeout(1) and bash. The file lies outside the
task directory, where the original has it in the working directory. Not emulated: the Markdown fence, which ends
at the first three backquotes, and a first line `# filename: x`, which renames the file. Blocks tagged `sh` or
`shell` go to sh instead. End event: the exit of timeout(1), 124 after 60 s.
"""

from __future__ import annotations

from hashlib import sha256

from pytest_quotebench.core.command_line import encoded
from pytest_quotebench.core.execution import AuxPath, Invocation
from pytest_quotebench.core.layers import Layer
from pytest_quotebench.core.spawning import bash_line, shell_layers
from pytest_quotebench.core.tree import File
from pytest_quotebench.transports import Transport

_PIP = "pip install"
_QUIET = "-qqq"


class _Autogen:
    needs = ("timeout",)

    def plan(self, command: str) -> Invocation:
        code = encoded(silence_pip(command))
        name = f"tmp_code_{sha256(code).hexdigest()}.bash"
        return Invocation(argv=(b"timeout", b"60", b"bash", AuxPath(name)), aux_files={name: File(code)})

    def layers(self, command: str) -> tuple[Layer, ...]:
        return Layer("silence_pip", command), *shell_layers("bash FILE", silence_pip(command))

    def matched(self, command: str) -> str:
        return command if silence_pip(command) == command else bash_line(command)


def silence_pip(code: str) -> str:
    """Return the code with ` -qqq` after each `pip install` in the lines that begin with one and have none."""
    return "\n".join(map(_silenced, code.split("\n")))


def _silenced(line: str) -> str:
    if line.startswith(_PIP) and _QUIET not in line:
        return line.replace(_PIP, f"{_PIP} {_QUIET}")
    return line


TRANSPORT: Transport = _Autogen()

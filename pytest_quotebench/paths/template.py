"""A command path written as one shell line: `docker exec box sh -c "{}"`."""

from __future__ import annotations

import os
import re
import secrets
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from pytest_quotebench.core.command_line import argument, bash_c, encoded
from pytest_quotebench.core.errors import BadInput, TransportError
from pytest_quotebench.core.escaping import inside_double_quotes, shell_word
from pytest_quotebench.core.execution import Invocation
from pytest_quotebench.core.layers import NOT_OBSERVABLE, Layer

_PLACE = re.compile(r"\{\{(|sq|dq|cwd)\}\}|\{(|sq|dq|cwd)\}")
_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_SAFE_PATH = re.compile(r"[A-Za-z0-9_./-]+")
_PASSED_ON = (
    *("PATH", "USER", "LOGNAME", "XDG_RUNTIME_DIR", "SSH_AUTH_SOCK", "KUBECONFIG"),
    *("DOCKER_HOST", "DOCKER_CONTEXT", "DOCKER_CONFIG", "DOCKER_TLS_VERIFY", "DOCKER_CERT_PATH", "CONTAINER_HOST"),
)
"""The variables of this process that the line sees too: what finds an engine or a host, and no other secret."""

_ESCAPERS: Mapping[str, Callable[[str], str]] = {"": str, "sq": shell_word, "dq": inside_double_quotes}

_WITH_DIRECTORY = b'shopt -u patsub_replacement 2>/dev/null; exec bash -c "${1//%b/$PWD}"'
"""Since bash 5.2 an `&` in the replacement would stand for what was matched."""


class Given(NamedTuple):
    """A path as it was typed: `NAME=LINE`."""

    name: str
    line: str


def parse(text: str, source: str, taken: Mapping[str, object]) -> Given:
    """Return the parts of `NAME=LINE`. Raises BadInput for a bad or taken name, and for an empty line."""
    name, equals, line = text.strip().partition("=")
    if not equals or not line.strip():
        raise BadInput(
            f"{text!r} is no command path (from {source}). Write NAME=LINE, such as "
            f"""'box=docker exec box sh -c "{{}}"'."""
        )
    if not _NAME.fullmatch(name):
        raise BadInput(
            f"bad name {name!r} of a command path (from {source}). Allowed: a-z, 0-9 and single hyphens."
        )
    if name in taken:
        raise BadInput(
            f"the name {name!r} of a command path (from {source}) is taken by a transport. Choose another."
        )
    return Given(name, line)


class TemplatePath:
    """Runs a line of shell on this machine, with the reply in it.

    `{}` is the reply as it is, `{sq}` the reply as one complete shell word, `{dq}` the reply escaped for a place
    between double quotes, `{cwd}` the path of the task directory; doubled braces are literal (`{{}}` is `{}`).
    Every other brace stays. A line without a place for the reply gets it on standard input. `bash -c LINE` runs
    in the task directory, with HOME that directory, and the host's PATH and addresses of engines.

    `{cwd}` is pasted as it is, before bash parses the line: it holds none but letters, digits and `_./-`, so
    that it means the same in any quotes. Raises BadInput where the directory for temporary files has others.
    """

    on_host = True

    def __init__(self, line: str) -> None:
        """Take the line."""
        self._line = line
        places = {match[2] for match in _PLACE.finditer(line)}
        self._takes_stdin = not places & {"", "sq", "dq"}
        self._has_directory = "cwd" in places
        directory = str(Path(tempfile.gettempdir()).resolve())
        if self._has_directory and not _SAFE_PATH.fullmatch(directory):
            raise BadInput(
                f"{{cwd}} would need quotes: temporary files lie in {directory!r}. Set TMPDIR to a plain path."
            )

    def plan(self, command: str) -> Invocation:
        """Return the process `bash -c LINE`. Raises TransportError where the line cannot hold the command."""
        stdin = encoded(command) if self._takes_stdin else b""
        env = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
        if not self._has_directory:
            return Invocation(argv=bash_c(self._filled(command, "")).argv, stdin=stdin, env=env)
        token = f"@{secrets.token_hex(16)}@"
        line = argument(self._filled(command, token))
        return Invocation(
            argv=(b"bash", b"-c", _WITH_DIRECTORY % token.encode(), b"bash", line), stdin=stdin, env=env
        )

    def layers(self, command: str) -> tuple[Layer, ...]:
        """Return the line as bash on this machine gets it; what comes behind it is not known."""
        return (
            Layer("bash -c, on this machine", self._filled(command, "{cwd}")),
            Layer("its standard input", command) if self._takes_stdin else Layer("what it starts", NOT_OBSERVABLE),
        )

    def matched(self, command: str) -> str:
        """Return the command where the line escapes it. Raises ValueError for `{}`: its place is not known."""
        if any(match[2] == "" for match in _PLACE.finditer(self._line)):
            raise ValueError("what a command must look like inside a line of somebody's own is not known")
        return command

    def _filled(self, command: str, directory: str) -> str:
        def fill(match: re.Match[str]) -> str:
            literal, place = match.groups()
            return f"{{{literal}}}" if literal is not None else _written(place, command, directory)

        return _PLACE.sub(fill, self._line)


def _written(place: str, command: str, directory: str) -> str:
    if place == "cwd":
        return directory
    try:
        return _ESCAPERS[place](command)
    except ValueError as error:
        raise TransportError("nul", str(error)) from None

"""Carriers that keep a shell on pipes: the command and a line that prints a marker share its standard input."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256

from pytest_quotebench.core.command_line import encoded
from pytest_quotebench.core.errors import TransportError
from pytest_quotebench.core.execution import Execution, Invocation
from pytest_quotebench.core.layers import Layer
from pytest_quotebench.sessions.driver import driven
from pytest_quotebench.sessions.handing_on import handed_on, inner_layers, is_harmless
from pytest_quotebench.sessions.interpretation import interpret

GIT_TRUST = ("GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_COUNT", "GIT_CONFIG_KEY_0", "GIT_CONFIG_VALUE_0")
"""Variables of the sandbox, not of a carrier: they let git work in its directory (`core.execution`)."""


@dataclass(frozen=True, kw_only=True)
class PipeSession:
    """One carrier's protocol: what it starts, what it writes, and what it takes for the end."""

    needs: tuple[str, ...] = ("python3", "bash")
    """Programs that must be there inside the sandbox."""
    argv: tuple[str, ...]
    """The shell that it starts, the program by its path."""
    env: dict[str, str] = field(default_factory=dict)
    keeps: tuple[str, ...] | None = None
    """The variables that the shell inherits; None for all."""
    write: Callable[[str, str], str]
    """What is written for a command and a nonce: the command, the glue, the line that prints the marker."""
    marker: Callable[[str], str]
    """The marker for a nonce, as it comes back on standard output."""
    at_line_start: bool = False
    """Whether the marker counts only where a line begins with it."""
    learns_status: bool = True
    """Whether the command's exit status follows the marker; a carrier that learns none gets 0."""
    merges_errors: bool = False
    """Whether the shell's standard error is its standard output."""
    trims_output: bool = False
    """Whether newlines before the marker are dropped."""
    death: str = "died"
    """What the end of the shell before the marker is to the carrier: `died`, or `hang` where it never looks."""

    def plan(self, command: str) -> Invocation:
        """Return the driver that plays the session."""
        nonce = _nonce(command)
        settings = {
            "argv": self.argv,
            "env": self.env,
            "keeps": self.keeps,
            "marker": self.marker(nonce),
            "at_line_start": self.at_line_start,
            "learns_status": self.learns_status,
            "merges_errors": self.merges_errors,
            "trims_output": self.trims_output,
            "death": self.death,
        }
        return driven("pipe", settings, text=encoded(self.write(command, nonce)))

    def interpret(self, execution: Execution) -> Execution | TransportError:
        """Return what the driver's report makes of the execution."""
        return interpret(execution)

    def layers(self, command: str) -> tuple[Layer, ...]:
        """Return the stream that the session's shell reads, and what another bash receives that it starts."""
        return (Layer("bash, standard input", self.write(command, _nonce(command))), *self._inner(command))

    def matched(self, command: str) -> str:
        """Return the command in a bash of its own; the output may have one newline more than on the raw path."""
        return command if is_harmless(command) else handed_on(command) + self.appendix

    @property
    def appendix(self) -> str:
        """What a command needs behind it where only a marker at the start of a line is seen."""
        return "; (status=$?; echo; exit $status)" if self.at_line_start else ""

    def _inner(self, command: str) -> tuple[Layer, ...]:
        found = inner_layers(command.removesuffix(self.appendix))
        return found or (Layer("bash, the command", command),)


def _nonce(command: str) -> str:
    """Return what the carrier draws at random; here the same command is written the same way each time."""
    return sha256(command.encode("utf-8", "surrogatepass")).hexdigest()[:32]

"""What contracts have in common: the parts of their system prompts, and how a reply that is a command is read."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_quotebench.core.errors import ContractError
from pytest_quotebench.core.text import has_surrogate

WRITES_BASH = "You operate a Linux machine by writing bash. Answer every request with exactly one"
NOTHING_AROUND = "and nothing around it: no explanation, no code fence."
BASH_COMMAND = f"{WRITES_BASH} bash command {NOTHING_AROUND}"
"""The first line of every contract whose reply is the command itself."""

TASK_DIRECTORY = "runs in the directory that holds the task's files"
SHELL_TEXT = (
    "Pipes, `&&`, `;` and quoted line breaks are fine. Interactive programs are not, and no file may be left "
    "behind that was not asked for."
)
LITERAL_TEXT = (
    "Literal text is set between ⟪ and ⟫; these two signs are not part of it. Inside them every character stands "
    "for itself: a backslash is a backslash and a line break is a line break."
)


def system_prompt(answer: str, path: str) -> str:
    """Return the system prompt that says what to answer and which path the answer takes."""
    return f"{answer}\n{path}\n{SHELL_TEXT}\n{LITERAL_TEXT}"


def pasted_between(quotes: str, line: str, advice: str = "") -> str:
    """Return the clause for an answer R that is pasted between `quotes` of `line`."""
    return (
        f"Your answer R is not run as it stands: it is pasted unchanged between the {quotes} quotes of {line}, "
        f"and bash runs that line in the directory that holds the task's files.{advice}"
    )


def checked_command(command: str) -> str:
    """Return a command that a reply held. Raises ContractError: `empty`, or `lone-surrogate`.

    Text of a reply is Unicode: a surrogate in it is half a character, never a byte.
    """
    if not command.strip():
        raise ContractError("empty", "the reply holds no command")
    if has_surrogate(command):
        raise ContractError("lone-surrogate", "the command holds a lone surrogate, which no encoding can carry")
    return command


@dataclass(frozen=True, slots=True)
class CommandContract:
    """A contract under which the whole reply is the command."""

    system: str
    matched_transport: str

    def decode(self, reply: str) -> str:
        """Return the reply. Raises ContractError where it is no command at all."""
        return checked_command(reply)

    def encode(self, command: str) -> str:
        """Return the command."""
        return command

"""`script`: the reply is the body of a script file."""

from __future__ import annotations

from pytest_quotebench.contracts import Contract
from pytest_quotebench.core.prompt import BASH_COMMAND, CommandContract, system_prompt

CONTRACT: Contract = CommandContract(
    system_prompt(
        BASH_COMMAND,
        "Your answer is saved unchanged as a file outside the task's directory and run as `bash FILE` in the "
        "directory that holds the task's files.",
    ),
    matched_transport="script",
)

"""`raw`: the reply is a command, handed unchanged to `bash -c`."""

from __future__ import annotations

from pytest_quotebench.contracts import Contract
from pytest_quotebench.core.prompt import BASH_COMMAND, TASK_DIRECTORY, CommandContract, system_prompt

CONTRACT: Contract = CommandContract(
    system_prompt(
        BASH_COMMAND,
        f"Your answer is handed unchanged to `bash -c` as its one argument and {TASK_DIRECTORY}.",
    ),
    matched_transport="raw",
)

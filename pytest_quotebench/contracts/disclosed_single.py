"""`disclosed-single`: the model knows that its reply R is pasted into `bash -c 'R'`."""

from __future__ import annotations

from pytest_quotebench.contracts import Contract
from pytest_quotebench.core.prompt import BASH_COMMAND, CommandContract, pasted_between, system_prompt

CONTRACT: Contract = CommandContract(
    system_prompt(BASH_COMMAND, pasted_between("single", "bash -c 'R'")), matched_transport="nested-single"
)

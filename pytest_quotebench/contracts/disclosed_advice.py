"""`disclosed-advice`: `disclosed`, and what to do about it: which characters need a backslash."""

from __future__ import annotations

from pytest_quotebench.contracts import Contract
from pytest_quotebench.core.prompt import BASH_COMMAND, CommandContract, pasted_between, system_prompt

_ADVICE = (
    ' Between double quotes bash itself acts on backslash, $, ` and ": put a backslash before each of these that '
    "your own command has to receive."
)

CONTRACT: Contract = CommandContract(
    system_prompt(BASH_COMMAND, pasted_between("double", 'bash -c "R"', _ADVICE)), matched_transport="nested"
)

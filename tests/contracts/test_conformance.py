"""What every contract does. The parameters are the files of the folder: a new contract is under test unnamed."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import pytest_quotebench.contracts
from pytest_quotebench.contracts import Contract
from pytest_quotebench.core.errors import ContractError

FOLDER = Path(pytest_quotebench.contracts.__path__[0])
NAMES = sorted(file.stem.replace("_", "-") for file in FOLDER.glob("[!_]*.py"))
PUBLISHED = Path(__file__).resolve().parents[2].parent / "shared" / "core" / "contracts.json"

commands = st.text(st.characters(codec="utf-8"), min_size=1).filter(str.strip)


@pytest.fixture(params=NAMES, scope="module")
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def contract(name: str) -> Contract:
    module = importlib.import_module(f"pytest_quotebench.contracts.{name.replace('-', '_')}")
    found: Contract = module.CONTRACT
    return found


@pytest.fixture(scope="module")
def published() -> dict[str, dict[str, Any]]:
    if not PUBLISHED.exists():
        pytest.skip(f"the published prompts are not beside the repository: {PUBLISHED}")
    contracts: dict[str, dict[str, Any]] = json.loads(PUBLISHED.read_text(encoding="utf-8"))
    return contracts


def test_the_folder_holds_contracts() -> None:
    assert {"raw", "disclosed", "json"} <= set(NAMES)


def test_the_prompt_is_the_published_one_to_the_letter(
    name: str, contract: Contract, published: dict[str, dict[str, Any]]
) -> None:
    if name not in published:
        pytest.skip(f"{name} is not a published contract")

    assert contract.system == published[name]["system"]
    assert contract.matched_transport == published[name]["matched_transport"]


def test_the_prompt_is_text_that_a_person_can_read(contract: Contract) -> None:
    assert contract.system == contract.system.strip()
    assert "⟪" in contract.system


@given(command=commands)
@example(command="printf '%s\\n' \"$HOME\" `id` \\")
@example(command='{"command": "ls"}')
@example(command="a\0b")
@example(command="\u2028\ufeff😀")
@settings(deadline=None)
def test_a_command_comes_back_from_its_encoding(contract: Contract, command: str) -> None:
    assert contract.decode(contract.encode(command)) == command


@pytest.mark.parametrize("command", ["", " ", "\n\t"])
def test_no_command_is_an_error(contract: Contract, command: str) -> None:
    with pytest.raises(ContractError) as raised:
        contract.decode(contract.encode(command))

    assert raised.value.detail == "empty"


@pytest.mark.parametrize("code", [0xD800, 0xD83D, 0xDC80, 0xDCFF, 0xDFFF])
def test_a_lone_surrogate_is_an_error(contract: Contract, code: int) -> None:
    with pytest.raises(ContractError) as raised:
        contract.decode(contract.encode(f"echo {chr(code)}"))

    assert raised.value.detail == "lone-surrogate"


@given(reply=st.text(st.characters()))
@settings(deadline=None)
def test_any_reply_is_a_command_or_an_error(contract: Contract, reply: str) -> None:
    try:
        command = contract.decode(reply)
    except ContractError:
        return

    assert command.strip()

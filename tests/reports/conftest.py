"""Summaries for the sections to print."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from pytest_quotebench.core.reply import Configuration
from pytest_quotebench.core.result import Tally


@pytest.fixture(scope="session")
def cell() -> Callable[..., list[Tally]]:
    """`cell("raw/nested", 16)`: 56 tallies of one configuration, of which 16 pass."""

    def made(name: str, passed: int, total: int = 56, model: str = "gpt-5.5", **changes: Any) -> list[Tally]:
        contract, _, transport = name.partition("/")
        failed = changes.pop("failed", "silent-wrong")
        return [
            Tally(**{
                "task": f"f{index // 4}-t{index % 4}", "family": f"f{index // 4}", "tier": index % 4,
                "configuration": Configuration(model), "contract": contract, "transport": transport, "trial": 0,
                "verdict": "pass" if index < passed else failed, "detail": None, "cleanup": (), "hazards": (),
                "marker_leakage": False, "dialect": None, "prompt_current": True, "sandbox": "local",
                "usage": None,
                **changes,
            })
            for index in range(total)
        ]  # fmt: skip

    return made

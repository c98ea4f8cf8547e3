"""Tallies by count: a cell in which the first tasks pass and the others fail."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest

from pytest_quotebench.core.reply import Configuration
from pytest_quotebench.core.result import Tally

COMMON: dict[str, Any] = {
    "configuration": Configuration("gpt-5.5"),
    "trial": 0,
    "hazards": ("dollar",),
    "detail": None,
    "cleanup": (),
    "marker_leakage": False,
    "dialect": None,
    "prompt_current": None,
    "sandbox": "local",
    "usage": None,
}


def _cell(name: str, verdicts: Iterable[str], **changes: Any) -> list[Tally]:
    contract, transport = name.split("/")
    cases = ({"task": f"f{index // 4}-t{index % 4}", "verdict": verdict} for index, verdict in enumerate(verdicts))
    places = ({"family": f"f{index // 4}", "tier": index % 4} for index in range(10_000))
    return [
        Tally(**{**COMMON, "contract": contract, "transport": transport, **place, **case, **changes})
        for case, place in zip(cases, places, strict=False)
    ]


@pytest.fixture(scope="session")
def cell() -> Callable[..., list[Tally]]:
    """`cell("raw/nested", 16)`: 56 tallies of which 16 pass; or with an explicit list of verdicts."""

    def made(name: str, passed: int | list[str], total: int = 56, **changes: Any) -> list[Tally]:
        if isinstance(passed, int):
            return _cell(name, ["pass"] * passed + ["silent-wrong"] * (total - passed), **changes)
        return _cell(name, passed, **changes)

    return made

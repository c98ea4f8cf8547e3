"""Loads pytest's own test harness for `tests/`. Fixtures of the suite can be overridden here."""

from __future__ import annotations

import pytest

pytest_plugins = ["pytester"]


def pytest_configure(config: pytest.Config) -> None:
    """Let `pytest -m fuzz` alone mean the fuzz tests: what is collected without a path is the suite of tasks."""
    if config.option.markexpr.strip() == "fuzz" and config.args_source == config.ArgsSource.TESTPATHS:
        config.args = [str(config.rootpath / "tests" / "fuzz")]

"""Loads pytest's own test harness for `tests/`. Fixtures of the suite can be overridden here."""

from __future__ import annotations

pytest_plugins = ["pytester"]

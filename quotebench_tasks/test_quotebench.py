"""The suite, for `pytest --pyargs quotebench_tasks`."""

from __future__ import annotations

from pytest_quotebench.suite import *  # noqa: F403

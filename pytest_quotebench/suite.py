"""The suite for a test module of one's own: `from pytest_quotebench.suite import *`.

Fixtures (`qb_case`, `qb_sandbox`, `qb_execution`) can then be overridden beside it.
"""

from __future__ import annotations

from pytest_quotebench.plugin.suite import test_escaping, test_mutations, test_naive, test_oracle, test_replay

__all__ = ["test_escaping", "test_mutations", "test_naive", "test_oracle", "test_replay"]

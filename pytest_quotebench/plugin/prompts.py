"""`--qb-prompts`: write every selected prompt, and run nothing."""

from __future__ import annotations

import sys

import pytest

from pytest_quotebench.core.errors import QuoteBenchError
from pytest_quotebench.plugin.run import current_run
from pytest_quotebench.store.prompts import write_prompts


def write_selected_prompts(config: pytest.Config) -> int:
    """Write the prompts and return the exit status. Raises UsageError where the settings are wrong."""
    try:
        run = current_run(config)
        path = run.settings.prompts
        assert path is not None
        count = write_prompts(path, run.prompts())
    except QuoteBenchError as error:
        raise pytest.UsageError(str(error)) from None
    sys.stdout.write(f"{count} prompts written to {path}; nothing was run\n")
    return pytest.ExitCode.OK

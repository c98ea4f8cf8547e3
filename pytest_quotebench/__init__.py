"""QuoteBench as a pytest plugin: does a command survive its path from a model's reply to the shell that runs it?

Names are imported at their first use, because pytest imports this package at every start.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pytest_quotebench.core.case import Case
    from pytest_quotebench.core.execution import AuxPath, Execution, Invocation
    from pytest_quotebench.core.goals import Goal
    from pytest_quotebench.core.judge import judge
    from pytest_quotebench.core.limits import Limits, TreeLimits
    from pytest_quotebench.core.mismatch import Mismatch
    from pytest_quotebench.core.reply import Configuration, Reply
    from pytest_quotebench.core.result import Result
    from pytest_quotebench.core.task import Fixture, Task
    from pytest_quotebench.core.tree import Directory, File, FileTree, Special, Symlink
    from pytest_quotebench.core.verdict import Verdict, VerdictClass
    from pytest_quotebench.executing import execute
    from pytest_quotebench.lossless.check import assert_lossless
    from pytest_quotebench.lossless.outcome import Coverage, Lossy

_HOMES = {
    "AuxPath": "core.execution",
    "Case": "core.case",
    "Configuration": "core.reply",
    "Coverage": "lossless.outcome",
    "Directory": "core.tree",
    "Execution": "core.execution",
    "File": "core.tree",
    "FileTree": "core.tree",
    "Fixture": "core.task",
    "Goal": "core.goals",
    "Invocation": "core.execution",
    "Limits": "core.limits",
    "Lossy": "lossless.outcome",
    "Mismatch": "core.mismatch",
    "Reply": "core.reply",
    "Result": "core.result",
    "Special": "core.tree",
    "Symlink": "core.tree",
    "Task": "core.task",
    "TreeLimits": "core.limits",
    "Verdict": "core.verdict",
    "VerdictClass": "core.verdict",
    "assert_lossless": "lossless.check",
    "execute": "executing",
    "judge": "core.judge",
}

__all__ = [
    "AuxPath",
    "Case",
    "Configuration",
    "Coverage",
    "Directory",
    "Execution",
    "File",
    "FileTree",
    "Fixture",
    "Goal",
    "Invocation",
    "Limits",
    "Lossy",
    "Mismatch",
    "Reply",
    "Result",
    "Special",
    "Symlink",
    "Task",
    "TreeLimits",
    "Verdict",
    "VerdictClass",
    "assert_lossless",
    "execute",
    "judge",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return list(__all__)

"""The two ends of a brokered path: what the local shell left in the sandbox, and the directory far off."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from pytest_quotebench.core.execution import Execution, Invocation
from pytest_quotebench.core.limits import Limits
from pytest_quotebench.core.tree import FileTree

Near = Callable[[FileTree, Invocation, Limits], Execution]
"""A sandbox's `run`."""


NEAR = "[local shell]"
"""The directory under which a final state shows what the local shell left outside the far end."""


def both_ends(near: Execution, far: FileTree, limit: str | None) -> Execution:
    """Return an execution whose tree is the far end's, with what the local shell left as extra entries.

    `limit` is the detail of what was met at the far end, or when its directory was read.
    """
    prefix = NEAR
    while prefix in far:
        prefix += "'"
    left = {f"{prefix}/{path}": entry for path, entry in near.tree.items()}
    return replace(near, tree=far.with_entries(left), detail=near.detail or (None if near.timed_out else limit))

"""Where a run's cases are replayed: its variants, a sandbox with a userland, the versions of what runs there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_quotebench.replay import Bench
from pytest_quotebench.sandboxes import Sandbox
from pytest_quotebench.userland_choice import OWN, InUserland, own_userland
from pytest_quotebench.versions import harness_versions, tool_versions

if TYPE_CHECKING:
    from pytest_quotebench.plugin.run import Run


def make_bench(run: Run, sandbox: Sandbox, userland: str) -> Bench:
    """Return the bench of a sandbox and a userland. Raises Broken where the sandbox knows no userlands."""
    if userland != OWN:
        sandbox = InUserland(sandbox, run.found_userlands[userland])
    versions = tool_versions(sandbox)
    return Bench(
        contracts=run.contracts,
        transports=run.transports,
        sandbox=sandbox,
        limits=run.settings.limits,
        strict_replies=run.settings.strict_replies,
        userland=userland or own_userland(versions),
        versions={**harness_versions(), **versions},
    )

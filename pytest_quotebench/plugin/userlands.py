"""The userlands of a run: those that were named, looked for in the run's own sandbox."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from pytest_quotebench.core.errors import BadInput
from pytest_quotebench.transports import HostPath
from pytest_quotebench.userland_choice import OWN, FoundUserland, find_userland

if TYPE_CHECKING:
    from pytest_quotebench.plugin.run import Run


def userlands_of_cases(run: Run) -> tuple[str, ...]:
    """Return what `Case.userland` is to be: the names, with `OWN` for what a sandbox has of its own."""
    named = run.settings.userlands
    return tuple(dict.fromkeys(OWN if run.userlands[name].own else name for name in named)) or (OWN,)


def found_userlands(run: Run) -> Mapping[str, FoundUserland]:
    """Ask for every userland that was named, in a sandbox that is opened for that. Raises BadInput."""
    named = run.settings.userlands
    if not named:
        return {}
    _check_uses(run)
    source = run.settings.source("userland")
    with run.open_sandbox() as sandbox:
        return {name: find_userland(name, source, run.userlands[name], sandbox) for name in named}


def userland_lines(run: Run) -> Iterator[str]:
    """Yield a line for the header for each userland that was named."""
    for name, found in run.found_userlands.items():
        yield f"quotebench: userland {name} ({found.version})"


def _check_uses(run: Run) -> None:
    source = run.settings.source("userland")
    if run.has_gate and len(run.wanted.userlands) > 1:
        names = ", ".join(run.settings.userlands)
        raise BadInput(f"the gate runs on one userland, not on {names} (from {source}). Name one of them.")
    functions = [name for name in run.settings.transports if isinstance(run.transports[name], HostPath)]
    if functions and not run.gate_only and run.wanted.userlands != (OWN,):
        raise BadInput(
            f"{', '.join(functions)} runs commands by itself, with programs of its own choice: no userland can be "
            f"put before them (from {source}). Leave one of the two out."
        )

"""Which sandbox a run gets: the one that was named, or the strongest that this machine grants."""

from __future__ import annotations

from collections.abc import Mapping

from pytest_quotebench.core.errors import BadInput
from pytest_quotebench.sandboxes import Provider

AUTO = "auto"


def choose_sandbox(
    name: str,
    source: str,
    providers: Mapping[str, Provider],
    *,
    harmless: bool,
    flag: str = "--qb-sandbox",
) -> str:
    """Return the name of the sandbox to open.

    `harmless` says that all commands are made by machine. Anything else runs under a sandbox that holds
    nothing (strength 0) only where that sandbox was named. Raises BadInput with what refused and why.
    """
    if name != AUTO:
        _check_named(name, source, providers)
        return name
    refused = []
    for candidate in sorted(providers, key=lambda option: -providers[option].STRENGTH):
        provider = providers[candidate]
        if provider.STRENGTH == 0 and not harmless:
            continue
        reason = provider.refusal()
        if reason is None:
            return candidate
        refused.append(f"{candidate}: {reason}")
    raise BadInput(_nothing_granted(refused, flag))


def _check_named(name: str, source: str, providers: Mapping[str, Provider]) -> None:
    if name not in providers:
        raise BadInput.unknown("sandbox", name, source=source, allowed=[AUTO, *providers])
    reason = providers[name].refusal()
    if reason is not None:
        raise BadInput(f"the sandbox {name!r} (from {source}) is refused here: {reason}")


def _nothing_granted(refused: list[str], flag: str) -> str:
    because = "".join(f"\n  {line}" for line in refused)
    return (
        "no sandbox is granted here that may run a model's replies: a reply is hostile code."
        f"{because}\nMake one of them work, or name {flag}=local to run the replies unprotected, "
        "with your own rights (only on a machine that you can throw away)."
    )

"""Which sandbox a run gets: the one that was named, or the strongest that this machine grants."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pytest_quotebench.core.errors import BadInput
from pytest_quotebench.sandboxes import Provider

AUTO = "auto"
HOST_SANDBOX = "local"
"""The one sandbox that a path through this machine can run in: it holds nothing."""


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


def choose_host_sandbox(
    name: str, source: str, paths: Sequence[str], *, harmless: bool, flag: str = "--qb-sandbox"
) -> str:
    """Return `local`, in which alone paths through this machine can run.

    Commands made by machine run there at once, anything else only where it was named. Raises BadInput.
    """
    led = f"{', '.join(paths)} {'leads' if len(paths) == 1 else 'lead'} through this machine"
    if name not in (AUTO, HOST_SANDBOX):
        raise BadInput(
            f"{led}, and cannot run in the sandbox {name!r} (from {source}). Name {HOST_SANDBOX}, or none."
        )
    if name == AUTO and not harmless:
        raise BadInput(
            f"{led}: no sandbox holds what is replayed there, and a model's reply is hostile code. Name "
            f"{flag}={HOST_SANDBOX} to run it with your own rights, or replay only oracle and naive."
        )
    return HOST_SANDBOX


def holding_brokers(
    name: str, source: str, paths: Sequence[str], providers: Mapping[str, Provider]
) -> Mapping[str, Provider]:
    """Return the providers whose sandboxes can bind a broker's socket, which `paths` need.

    Such a provider says so by `BROKERS`. Raises BadInput where another one was named.
    """
    holding = {option: providers[option] for option in providers if getattr(providers[option], "BROKERS", False)}
    if name in providers and name not in holding:
        raise BadInput(
            f"{', '.join(paths)} cannot run in the sandbox {name!r} (from {source}), which holds no broker's "
            f"socket. Name {' or '.join(holding)}, or none."
        )
    return holding


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

"""One case, from reply to verdict: the only place where contract, transport, sandbox and judge meet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from pytest_quotebench.availability import missing_programs
from pytest_quotebench.contracts import Contract
from pytest_quotebench.core.case import Case
from pytest_quotebench.core.cleanup import clean
from pytest_quotebench.core.errors import Broken, ContractError, TransportError
from pytest_quotebench.core.execution import Execution
from pytest_quotebench.core.judge import Outcome, judge
from pytest_quotebench.core.layers import Layer
from pytest_quotebench.core.limits import Limits
from pytest_quotebench.core.result import Result
from pytest_quotebench.core.task import prompt_digest
from pytest_quotebench.core.tree import FileTree
from pytest_quotebench.sandbox_choice import HOST_SANDBOX
from pytest_quotebench.sandboxes import Sandbox
from pytest_quotebench.transports import BrokeredTransport, HostPath, HostTransport, SessionTransport, Transport

DEFAULT_LIMITS = Limits()


@dataclass(frozen=True, kw_only=True)
class Replayed:
    """What became of a case, before it is judged."""

    case: Case
    outcome: Outcome
    command: str
    """The command text, or the cleaned reply where the contract could not read it."""
    cleanup: tuple[str, ...]
    layers: tuple[Layer, ...] = ()
    prompt_current: bool | None = None
    bench: Bench


@dataclass(frozen=True, kw_only=True)
class Bench:
    """Where cases are replayed: the variants by name, one sandbox, the limits."""

    contracts: Mapping[str, Contract]
    transports: Mapping[str, Transport]
    sandbox: Sandbox
    limits: Limits = DEFAULT_LIMITS
    strict_replies: bool = False
    """Whether a reply that needs any cleanup is a contract error."""
    userland: str = ""
    """Whose programs a command finds; empty where nobody asked."""
    versions: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    _missing: dict[str, tuple[str, ...]] = field(default_factory=dict, compare=False, repr=False)

    def check_programs(self, transport: str) -> None:
        """Raise Broken where the sandbox lacks a program that the transport `needs`; asked once of each."""
        programs: tuple[str, ...] = getattr(self.transports[transport], "needs", ())
        if programs and transport not in self._missing:
            self._missing[transport] = missing_programs(self.sandbox, programs)
        if programs and self._missing[transport]:
            lacking = ", ".join(self._missing[transport])
            raise Broken(
                "program",
                f"the transport {transport!r} needs what {self.sandbox.name} lacks: {lacking}. Install it, or "
                "choose another sandbox.",
            )


def replay(case: Case, bench: Bench) -> Replayed:
    """Run the case: clean the reply, decode it, plan its path, run it on a fresh fixture."""
    contract = bench.contracts[case.reply.contract]
    transport = bench.transports[case.transport]
    cleaned = clean(case.reply.text)
    command = cleaned.text
    layers: tuple[Layer, ...] = ()
    outcome: Outcome
    try:
        if bench.strict_replies and cleaned.steps:
            raise ContractError("cleanup", f"the reply needs cleanup: {', '.join(cleaned.steps)}")
        command = contract.decode(cleaned.text)
        layers = transport.layers(command)
        bench.check_programs(case.transport)
        outcome = carry(transport, command, case.task.fixture.tree, bench.sandbox, bench.limits)
    except (ContractError, TransportError, Broken) as error:
        outcome = error
    return Replayed(
        case=case,
        outcome=outcome,
        command=command,
        cleanup=cleaned.steps,
        layers=layers,
        prompt_current=_prompt_current(case, contract),
        bench=bench,
    )


def carry(
    transport: Transport, command: str, tree: FileTree, sandbox: Sandbox, limits: Limits
) -> Execution | TransportError:
    """Run a command along a path on a fresh copy of `tree`. Raises TransportError and Broken as the parts do."""
    if isinstance(transport, HostTransport) and sandbox.name != HOST_SANDBOX:
        raise Broken("not-local", f"a path through this machine cannot run in the sandbox {sandbox.name!r}")
    if isinstance(transport, HostPath):
        return transport.execute(tree, command, limits)
    if isinstance(transport, BrokeredTransport):
        return transport.carry(sandbox.run, tree, command, limits)
    execution = sandbox.run(tree, transport.plan(command), limits)
    return transport.interpret(execution) if isinstance(transport, SessionTransport) else execution


def conclude(replayed: Replayed) -> Result:
    """Judge what became of a case."""
    return Result(
        case=replayed.case,
        verdict=judge(replayed.case.task, replayed.outcome),
        execution=replayed.outcome if isinstance(replayed.outcome, Execution) else None,
        command=replayed.command,
        layers=replayed.layers,
        cleanup=replayed.cleanup,
        sandbox=replayed.bench.sandbox.name,
        userland=replayed.bench.userland,
        prompt_current=replayed.prompt_current,
        versions={**replayed.bench.versions, **_far_versions(replayed)},
    )


def _far_versions(replayed: Replayed) -> Mapping[str, str]:
    """Return what a transport tells of its far end, such as the digest of an image."""
    transport = replayed.bench.transports[replayed.case.transport]
    versions: Mapping[str, str] = getattr(transport, "versions", {})
    return versions


def _prompt_current(case: Case, contract: Contract) -> bool | None:
    recorded = case.reply.prompt_sha256
    if recorded is None:
        return None
    return recorded == prompt_digest(contract.system, case.task.instruction)

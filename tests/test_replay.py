"""One case, from reply to verdict."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_quotebench.contracts import json as json_contract
from pytest_quotebench.contracts import raw as raw_contract
from pytest_quotebench.core.case import Case
from pytest_quotebench.core.errors import Broken, ContractError, TransportError
from pytest_quotebench.core.execution import Execution, Invocation
from pytest_quotebench.core.limits import Limits
from pytest_quotebench.core.reply import Configuration, Reply
from pytest_quotebench.core.task import prompt_digest
from pytest_quotebench.core.tree import File, FileTree
from pytest_quotebench.replay import Bench, conclude, replay
from pytest_quotebench.sandboxes import local
from pytest_quotebench.transports import json_naive, raw
from quotebench_tasks import load_tasks

TASK = load_tasks(["write-file"])[0]
ENDED = Execution(
    exit_status=0, signal=None, stdout=b"", stderr=b"", stdout_length=0, stderr_length=0,
    duration_s=0.0, timed_out=False, tree=FileTree({"out.txt": File(b"hello world\n")}),
)  # fmt: skip


class Fake:
    """A sandbox that gives back what it was told to, and remembers what it was given."""

    name = "fake"

    def __init__(self, outcome: Execution | Broken = ENDED) -> None:
        self.outcome = outcome
        self.given: list[Invocation] = []

    def run(self, tree: FileTree, invocation: Invocation, limits: Limits) -> Execution:
        self.given.append(invocation)
        if isinstance(self.outcome, Broken):
            raise self.outcome
        return self.outcome


class Session:
    """A transport whose driver's report makes something else of the execution."""

    def __init__(self, meaning: Execution | TransportError) -> None:
        self._meaning = meaning

    plan = staticmethod(raw.TRANSPORT.plan)
    layers = staticmethod(raw.TRANSPORT.layers)
    matched = staticmethod(raw.TRANSPORT.matched)

    def interpret(self, execution: Execution) -> Execution | TransportError:
        return self._meaning


def bench(sandbox: Fake, **changes: object) -> Bench:
    """Return a bench with two contracts and the transports that a test names."""
    transports = {"raw": raw.TRANSPORT, "json-naive": json_naive.TRANSPORT, **changes.pop("transports", {})}  # type: ignore[dict-item]
    contracts = {"raw": raw_contract.CONTRACT, "json": json_contract.CONTRACT}
    return Bench(contracts=contracts, transports=transports, sandbox=sandbox, **changes)  # type: ignore[arg-type]


def case(text: str, *, contract: str = "raw", transport: str = "raw") -> Case:
    """Return a case of one reply."""
    reply = Reply(task=TASK.id, configuration=Configuration("m"), contract=contract, trial=0, text=text)
    return Case(task=TASK, reply=reply, transport=transport)


def test_the_command_reaches_the_sandbox_as_the_transport_says() -> None:
    """Cleaned, decoded, planned; and the state that comes back is judged."""
    sandbox = Fake()

    result = conclude(replay(case(' {"command": "echo hi"}\n', contract="json"), bench(sandbox)))

    assert sandbox.given[0].argv == (b"bash", b"-c", b"echo hi")
    assert (result.command, result.cleanup, result.sandbox) == ("echo hi", ("whitespace",), "fake")
    assert result.verdict.passed


def test_what_cannot_be_read_or_carried_runs_nothing() -> None:
    """A contract error, a transport error and strict cleanup never reach the sandbox."""
    sandbox = Fake()

    outcomes = [
        replay(case("not json", contract="json"), bench(sandbox)).outcome,
        replay(case('say "hi"', transport="json-naive"), bench(sandbox)).outcome,
        replay(case(" echo "), bench(sandbox, strict_replies=True)).outcome,
    ]

    assert [type(outcome) for outcome in outcomes] == [ContractError, TransportError, ContractError]
    assert sandbox.given == []


def test_layers_are_shown_also_where_the_transport_refused() -> None:
    """They say why."""
    assert replay(case('say "hi"', transport="json-naive"), bench(Fake())).layers != ()


def test_a_broken_sandbox_is_an_outcome_and_a_bug_is_not() -> None:
    """Broken is judged; anything else propagates."""
    assert isinstance(replay(case("x"), bench(Fake(Broken("gone", "gone")))).outcome, Broken)
    with pytest.raises(AttributeError):
        replay(case("x"), bench(None))  # type: ignore[arg-type]


def test_a_program_that_the_sandbox_lacks_is_a_broken_case() -> None:
    """The harness cannot do its part; asked once for each transport, by looking inside."""

    class Needy(Session):
        needs = ("bash", "no-such-program")

    with local.open_sandbox() as sandbox:
        lab = replace(bench(Fake()), sandbox=sandbox, transports={"needy": Needy(ENDED)})
        outcome = replay(case("x", transport="needy"), lab).outcome

    assert isinstance(outcome, Broken)
    assert str(outcome).startswith("the transport 'needy' needs what local lacks: no-such-program. Install it")


@pytest.mark.parametrize(
    ("meaning", "verdict"),
    [
        (ENDED, ("pass", None)),
        (replace(ENDED, detail="hang"), ("timeout", "hang")),
        (TransportError("died", "the session is gone"), ("transport-error", "died")),
    ],
)
def test_a_sessions_report_makes_a_verdict_worse_or_finer(
    meaning: Execution | TransportError, verdict: tuple[str, str | None]
) -> None:
    """What a session transport reads from its driver's report counts."""
    found = conclude(
        replay(case("x", transport="session"), bench(Fake(), transports={"session": Session(meaning)}))
    )

    assert (found.verdict.kind, found.verdict.detail) == verdict


def test_a_reply_to_another_prompt_is_known() -> None:
    """True, False, or None where the record does not say."""
    today = prompt_digest(raw_contract.CONTRACT.system, TASK.instruction)

    def current(digest: str | None) -> bool | None:
        one = case("x")
        asked = replace(one, reply=replace(one.reply, prompt_sha256=digest))
        return conclude(replay(asked, bench(Fake()))).prompt_current

    assert (current(today), current("0" * 64), current(None)) == (True, False, None)

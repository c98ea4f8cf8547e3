"""Sessions played for real in the local sandbox; one whose programs are not here is skipped with the reason."""

from __future__ import annotations

import importlib
import shutil
from collections.abc import Callable, Iterator

import pytest

from pytest_quotebench.core.errors import TransportError
from pytest_quotebench.core.execution import Execution
from pytest_quotebench.core.limits import Limits
from pytest_quotebench.core.tree import FileTree
from pytest_quotebench.sandboxes.local import LocalSandbox, open_sandbox
from pytest_quotebench.transports import SessionTransport

Outcome = Execution | TransportError
Play = Callable[..., Outcome]
Find = Callable[[str], SessionTransport]

NOTHING = FileTree()


@pytest.fixture(scope="module")
def sandbox() -> Iterator[LocalSandbox]:
    with open_sandbox() as opened:
        yield opened


@pytest.fixture(scope="session")
def transport() -> Find:
    """Find a transport by name, or skip where a program that it needs is not here."""

    def find(name: str) -> SessionTransport:
        module = importlib.import_module(f"pytest_quotebench.transports.{name.replace('-', '_')}")
        found: SessionTransport = module.TRANSPORT
        missing = [program for program in module.TRANSPORT.needs if shutil.which(program) is None]
        if missing:
            pytest.skip(f"{name} needs {', '.join(missing)}")
        return found

    return find


@pytest.fixture
def play(sandbox: LocalSandbox, transport: Find) -> Play:
    """Play one session and interpret its end."""

    def play(name: str, command: str, tree: FileTree = NOTHING, wall_s: float = 10.0) -> Outcome:
        found = transport(name)
        try:
            planned = found.plan(command)
        except TransportError as refused:
            return refused
        return found.interpret(sandbox.run(tree, planned, Limits(wall_s=wall_s)))

    return play


@pytest.fixture
def done(play: Play) -> Callable[..., Execution]:
    """Play one session that comes to its end."""

    def done(name: str, command: str, tree: FileTree = NOTHING) -> Execution:
        outcome = play(name, command, tree)
        assert isinstance(outcome, Execution), str(outcome)
        assert (outcome.detail, outcome.timed_out) == (None, False)
        return outcome

    return done

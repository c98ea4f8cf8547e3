"""Which command paths keep a userland in their PATH, as docs/userlands.md tells."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from pytest_quotebench.availability import missing_programs
from pytest_quotebench.core.errors import Broken
from pytest_quotebench.core.execution import Execution
from pytest_quotebench.core.limits import Limits
from pytest_quotebench.core.tree import File, FileTree
from pytest_quotebench.registry import Registry, built_in, variant_names
from pytest_quotebench.replay import carry
from pytest_quotebench.sandboxes import Sandbox
from pytest_quotebench.transports import Transport
from pytest_quotebench.userland_choice import InUserland

ROOT = Path(__file__).resolve().parents[2]
ROW = re.compile(r"^\| `([a-z-]+)` \| (?:the far end|its session)", re.MULTILINE)
DOCUMENTED = set(ROW.findall((ROOT / "docs/userlands.md").read_text(encoding="utf-8")))

Inside = Callable[[str, Sandbox], InUserland]


@pytest.fixture(scope="module")
def transports() -> Iterator[Registry[Transport]]:
    with closing(Registry("transport", built_in("transports", "TRANSPORT"))) as registry:
        yield registry


@pytest.mark.parametrize("name", variant_names("transports"))
def test_a_transport_keeps_the_userland_unless_the_document_says_so(
    namespace: Sandbox, name: str, inside: Inside, transports: Registry[Transport]
) -> None:
    """The command asks which awk it finds: bwk's, which nothing here depends on."""
    there = inside("bwk", namespace)
    transport = transports[name]
    if lacking := missing_programs(namespace, getattr(transport, "needs", ())):
        pytest.skip(f"{name} needs {', '.join(lacking)}")

    try:
        outcome = carry(transport, transport.matched("awk --version >said"), FileTree(), there, Limits())
    except Broken as broken:
        pytest.skip(f"{name}: {broken}")

    assert isinstance(outcome, Execution), outcome
    said = outcome.tree["said"]
    assert isinstance(said, File)
    assert said.data.startswith(b"awk version") == (name not in DOCUMENTED)


def test_the_documents_exceptions_are_transports() -> None:
    assert {"docker-exec", "langchain"} == DOCUMENTED <= set(variant_names("transports"))

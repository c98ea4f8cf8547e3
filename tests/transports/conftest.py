"""What tests of several transports share: the transport by its name, the measured probes, hard words."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

import pytest

from pytest_quotebench.sandboxes.local import LocalSandbox, open_sandbox
from pytest_quotebench.transports import Transport

PROBES = Path(__file__).resolve().parents[3] / "shared" / "cases" / "probes.jsonl"


class Probe(NamedTuple):
    """A command, and what became of it on each path that was measured, in letters."""

    name: str
    command: str
    outcome: dict[str, str]


@pytest.fixture(scope="session")
def probes() -> tuple[Probe, ...]:
    """The rows of the file, which is beside the repository; skips without."""
    if not PROBES.is_file():
        pytest.skip("the measured probes are not beside the repository")
    records = map(json.loads, PROBES.read_text(encoding="utf-8").splitlines())
    return tuple(Probe(record["probe"], record["command"], record["outcome"]) for record in records)


@pytest.fixture(scope="module")
def transport(name: str) -> Transport:
    """The built-in transport of a name; skips where a program that it needs is not here."""
    found: Transport = import_module(f"pytest_quotebench.transports.{name.replace('-', '_')}").TRANSPORT
    missing = [program for program in getattr(found, "needs", ()) if shutil.which(program) is None]
    if missing:
        pytest.skip(f"{name} needs {', '.join(missing)}")
    return found


@pytest.fixture(scope="module")
def sandbox() -> Iterator[LocalSandbox]:
    """What is made by machine needs no protection."""
    with open_sandbox() as opened:
        yield opened


@pytest.fixture(scope="session")
def hard_words() -> list[str]:
    """Words that something on a way to a shell acts on."""
    return [
        *("", "'", '"', "\\", "a\\", "$HOME", "`id`", "$(id)", "!!", "-n", "*", "{a,b}", "\n", "\t", "~"),
        *("ä😀", "\x1b"),
    ]

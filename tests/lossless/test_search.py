"""The search finds what no directed probe knows, makes the same commands every time, and stores nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_quotebench.lossless.probes import LADDER
from pytest_quotebench.lossless.search import search


def test_a_loss_that_no_probe_shows_is_found() -> None:
    """Two signs side by side."""
    assert not any(b"%," in probe.command for probe in LADDER)

    found = search(lambda command: b"%," in command, lambda: True, tried=[0])

    assert found is not None
    assert b"%," in found


def test_the_commands_are_the_same_every_time() -> None:
    """Whatever ran before."""

    def first(count: int) -> list[bytes]:
        seen: list[bytes] = []

        def is_harmed(command: bytes) -> bool:
            seen.append(command)
            return False

        search(is_harmed, lambda: len(seen) < count, tried=[0])
        return seen

    assert first(30) == first(30)
    assert len(set(first(30))) > 20


def test_nothing_is_stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No `.hypothesis` in the project, and the project's own storage is where it was."""
    from hypothesis import configuration

    before = configuration.storage_directory("x").path
    monkeypatch.chdir(tmp_path)
    tried = [0]

    search(lambda command: False, lambda: tried[0] < 50, tried=tried)

    assert list(tmp_path.iterdir()) == []
    assert configuration.storage_directory("x").path == before

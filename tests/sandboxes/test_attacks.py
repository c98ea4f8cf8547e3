"""The rows of cases/attacks.jsonl that bring a command of their own, on every sandbox that may take them.

A row that is dangerous outside a sandbox never runs in `local`. What is checked here are the facts that a
verdict is made of; the verdict itself is `judge`'s.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pytest_quotebench.core.execution import Execution
from pytest_quotebench.core.tree import Directory, File, FileTree, Special, Symlink
from pytest_quotebench.sandboxes import Sandbox

ATTACKS = Path(__file__).resolve().parents[2].parent / "shared/cases/attacks.jsonl"
ROWS: dict[str, dict[str, Any]] = (
    {row["id"]: row for row in map(json.loads, ATTACKS.read_text(encoding="utf-8").splitlines())}
    if ATTACKS.exists()
    else {}
)

OK = {"out.txt": File(b"ok\n")}


def says(**facts: object) -> Callable[[Execution], bool]:
    """Return a check of some fields of the execution; `tree` is compared entry by entry, nothing else allowed."""

    def check(ended: Execution) -> bool:
        found = {name: getattr(ended, name) for name in facts}
        if "tree" in found:
            found["tree"] = dict(found["tree"])
        assert found == facts
        return True

    return check


def names(*expected: str, **facts: object) -> Callable[[Execution], bool]:
    """Return a check of the paths in the tree alone, beside other facts."""
    return lambda ended: set(ended.tree) == set(expected) and says(**facts)(ended)


QUICKLY = {"EX01": 0.3, "EX02": 0.3, "EX17": 0.3}
"""Deadlines in seconds for the rows that reach one."""

TIMEOUT = says(timed_out=True, signal=9)

EXPECTED: dict[str, Callable[[Execution], bool]] = {
    "EX01": TIMEOUT,
    "EX02": TIMEOUT,
    "EX03": says(tree=OK, timed_out=False, stdout=b"done\n"),
    "EX04": says(tree=OK, timed_out=False),
    "EX06": says(tree={}, timed_out=False),
    "EX11": says(tree={}, signal=9, timed_out=False),
    "EX14": says(tree={}, signal=15, timed_out=False),
    "EX15": says(tree=OK, exit_status=124, timed_out=False),
    "EX17": TIMEOUT,
    "EX18": says(tree=OK, exit_status=0),
    "EX19": says(tree={"out.txt": File(b"")}, stdout=b"got:\n", timed_out=False),
    "EX22": says(tree={**OK, "extra.txt": File(b"x\n")}),
    "EX23": says(tree=OK, exit_status=0),
    "EX24": says(tree={}, exit_status=0),
    "EX25": says(tree=OK, timed_out=False),
    "EX26": says(tree=OK, exit_status=0),
    "OU04": says(tree={"out.txt": File(b"\xff")}, stdout=b"\xff\xfe\xc3\x28"),
    "OU05": says(tree={}, stdout=b"\xed\xa0\x80 \xef\xbf\xbe \xef\xbf\xbf"),
    "OU06": says(tree={"out.txt": File(b"\0\x1b")}, stdout=b"\0\1\b\v\x1b[31m"),
    "OU08": says(tree={}, exit_status=0),
    "OU09": says(tree={}, stdout=b']]><x a="&lt;">&#0;<!ENTITY'),
    "OU11": says(tree=OK, stdout=b"visible\n"),
    "FS01": says(tree={"out.txt": Special("fifo")}),
    "FS02": says(tree={"out.txt": Special("fifo")}, timed_out=False),
    "FS03": says(tree={"out.txt": Symlink("/etc/passwd")}),
    "FS04": says(tree={"out.txt": Symlink("/dev/zero")}),
    "FS06": says(tree={"b": Symlink("nowhere"), "out.txt": Symlink("out.txt")}),
    "FS07": says(tree={"out.txt": Directory()}),
    "FS08": says(detail="limit:tree", timed_out=False),
    "FS15": says(tree={**OK, "a" * 255: File(b"")}),
    "FS16": names("-rf", "*", "$(id)", "`id`", " ", "~", "out.txt"),
    "FS17": says(tree={"out.txt ": File(b"ok\n"), "OUT.TXT": File(b"ok\n"), "out.tx": File(b"ok")}),
    "FS18": names(".cache", ".cache/x", ".h", "out.txt"),
    "FS19": says(tree={**OK, "in.txt": File(b"evil\n")}),
    "FS20": says(tree=OK),
    "FS21": says(tree={"out.txt": File(b"ok\n", 0)}),
    "FS22": says(
        tree={**OK, "d": Directory(0), "d/e": Directory(0), "d/e/f": Directory(), "d/e/f/g": File(b"")},
    ),
    "FS24": says(tree={}),
    "FS35": says(tree={"out.txt": File(b"ok")}),
    "IS01": lambda ended: b"canary" not in file(ended, "out.txt"),
    "IS09": names("conftest.py", "out.txt", "pytest.ini", "sitecustomize.py"),
    "GI06": lambda ended: {"f", ".git/HEAD"} <= set(ended.tree) and not ended.timed_out,
    "SB03": says(exit_status=1, detail=None, tree={}),
}

OWN_SESSION_IS_ENOUGH = {"EX11", "EX25", "FS02"}
"""Dangerous rows that `local` may take: a session of its own and an end of everything are what they need."""


def file(ended: Execution, path: str) -> bytes:
    entry = ended.tree[path]
    assert isinstance(entry, File)
    return entry.data


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary")


@pytest.mark.skipif(not ROWS, reason="../shared/cases/attacks.jsonl is not here")
@pytest.mark.parametrize("row", sorted(EXPECTED))
def test_attack(sandbox: Sandbox, run: Callable[..., Execution], row: str) -> None:
    attack = ROWS[row]
    if sandbox.name == "local" and attack["dangerous_outside_sandbox"] and row not in OWN_SESSION_IS_ENOUGH:
        pytest.skip("dangerous outside a sandbox")
    ended = run(attack["command"], FileTree.of(attack.get("setup") or {}), wall_s=QUICKLY.get(row, 5.0))
    assert EXPECTED[row](ended), dict(ended.tree)
    assert ended.duration_s < 3
    assert run("echo ok > out.txt").tree == FileTree.of({"out.txt": "ok\n"})

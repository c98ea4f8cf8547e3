"""`quotebench paths`: the matrix, the counts, the damage, what was left out."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import quotebench_tasks
from pytest_quotebench.cli import main
from pytest_quotebench.lossless.carrying import Fate
from pytest_quotebench.lossless.probes import HAZARDS, LADDER
from pytest_quotebench.paths.matrix import sign
from pytest_quotebench.paths.measuring import measure_paths
from pytest_quotebench.registry import Registry, built_in
from pytest_quotebench.replay import Bench
from pytest_quotebench.sandboxes.local import open_sandbox

REPLY = {"schema": "qb-reply/1", "model": "m", "effort": None, "trial": 0}


@pytest.fixture(autouse=True)
def few_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four tasks are enough to see damage."""
    tasks = tuple(task for task in quotebench_tasks.load_tasks(["write-file"]))
    monkeypatch.setattr(quotebench_tasks, "load_tasks", lambda: tasks)


def test_the_report_compares_paths_by_hazard_and_by_replies(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In text and as JSON; a path of one's own is one more."""
    contracts = {"write-file-t0": ("raw", "echo 'hello world' > out.txt"), "write-file-t1": ("json", "{}")}
    lines = [{**REPLY, "task": task, "contract": one, "reply": text} for task, (one, text) in contracts.items()]
    (tmp_path / "replies.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    own = ["--transport-command", 'mine=bash -c "{}"', "--replies", str(tmp_path / "replies.jsonl")]

    status = main(["paths", "--path=raw,mine", "--sandbox=local", f"--json={tmp_path / 'report.json'}", *own])

    assert status == 0
    out, err = capsys.readouterr()
    assert err == ""
    report: dict[str, Any] = json.loads((tmp_path / "report.json").read_text())
    assert (report["schema"], report["sandbox"], report["left_out"]) == ("qb-paths/1", "local", {})
    assert report["paths"]["raw"]["fates"] == {"intact": len(LADDER), "changed": 0, "refused": 0, "hang": 0}
    assert report["paths"]["mine"]["hazards"]["doubled-backslash"]["changed"] == 1
    assert report["paths"]["raw"]["replies"]["oracle"] == {"passed": 4, "total": 4, "broken": 0, "damage_pp": 0.0}
    assert report["paths"]["mine"]["replies"]["oracle"]["damage_pp"] < -20
    assert report["paths"]["mine"]["replies"]["m"]["total"] == 1
    row = next(line for line in out.splitlines() if line.startswith("doubled-backslash "))
    assert row.split() == ["doubled-backslash", ".", "X"]
    assert all(any(line.startswith(f"{hazard} ") for line in out.splitlines()) for hazard in HAZARDS)
    assert any(line.startswith(" 2 mine ") for line in out.splitlines())


def test_a_path_that_cannot_run_here_is_left_out_with_the_reason() -> None:
    """A program that the sandbox lacks."""
    transports = dict(built_in("transports", "TRANSPORT"))

    class Needing:
        needs = ("bash", "no-such-program")

    bench_transports: Registry[Any] = Registry("transport", {"raw": transports["raw"], "needing": Needing})
    contracts: Registry[Any] = Registry("contract", built_in("contracts", "CONTRACT"))
    with open_sandbox() as sandbox:
        bench = Bench(contracts=contracts, transports=bench_transports, sandbox=sandbox)
        said: list[str] = []
        report = measure_paths(["needing"], bench, (), (), said.append)

    assert report.left_out == {"needing": "the sandbox has no no-such-program"}
    assert list(report.paths) == ["raw"]
    assert said == ["1/2 raw", "2/2 needing"]


@pytest.mark.parametrize(
    ("fates", "expected"),
    [
        ([Fate.INTACT, Fate.INTACT], "."),
        ([Fate.CHANGED, Fate.REFUSED], "X"),
        ([Fate.CHANGED, Fate.INTACT], "x"),
        ([Fate.HANG], "H"),
        ([Fate.REFUSED, Fate.INTACT], "r"),
    ],
)
def test_a_sign_says_the_worst_and_whether_it_is_all(fates: list[Fate], expected: str) -> None:
    """Small where some probes fared better."""
    assert sign(Counter(fates)) == expected


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--path=nestd"], "unknown transport 'nestd' (from --path). Did you mean 'nested'?"),
        (["--transport-command=raw=bash"], "the name 'raw' of a command path (from --transport-command) is taken"),
        (["--transport-command=x=bash", "--sandbox=namespace"], "x leads through this machine, and cannot run"),
        (["--replies=nowhere"], "there is no nowhere"),
    ],
)
def test_bad_input_is_told(arguments: list[str], complaint: str, capsys: pytest.CaptureFixture[str]) -> None:
    """On standard error, with status 2."""
    assert main(["paths", *arguments]) == 2
    assert complaint in capsys.readouterr().err


def test_stored_replies_on_a_path_through_this_machine_need_local_by_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A reply is hostile code."""
    record = {**REPLY, "task": "write-file-t0", "contract": "raw", "reply": "true"}
    (tmp_path / "replies.jsonl").write_text(json.dumps(record) + "\n")

    assert main(["paths", "--transport-command=x=bash", "--replies", str(tmp_path)]) == 2
    assert "Name --sandbox=local" in capsys.readouterr().err

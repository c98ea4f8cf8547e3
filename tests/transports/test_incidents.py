"""Real incidents: the wrong command fails, the right one passes, and one more layer does what was recorded."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from pytest_quotebench.core.execution import DEFAULT_PATH, Execution, Invocation
from pytest_quotebench.core.limits import Limits
from pytest_quotebench.core.tree import Directory, Entry, File, FileTree
from pytest_quotebench.sandboxes.local import LocalSandbox, open_sandbox
from pytest_quotebench.transports.cron import TRANSPORT as CRON
from pytest_quotebench.transports.nested import TRANSPORT as NESTED
from pytest_quotebench.transports.raw import TRANSPORT as RAW
from pytest_quotebench.transports.systemd import TRANSPORT as SYSTEMD

CASES = Path(__file__).resolve().parents[3] / "shared" / "cases" / "incidents.jsonl"
pytestmark = pytest.mark.skipif(not CASES.is_file(), reason="the incidents are not beside the repository")

REPOSITORY = "git init -q && git config user.name q && git config user.email q@example.org\n"
PROGRAMS = frozenset({"jq", "make", "python3", "xargs"})
CARRIERS = MappingProxyType({"cronrun": CRON, "unitexec": SYSTEMD})
"""Programs of the file that stand for a path which the project has itself."""

STAND_INS = MappingProxyType(
    {
        "docker": 'shift 2; cd "$REMOTE" && exec "$@"',
        "gh": 'case $3 in --body) printf %s "$4" ;; --body-file) cat ;; esac > pr.txt',
        "ghout": 'awk -v k="$2" \''
        'end { if ($0 == end) end = ""; else if (n == k) v = v (s++ ? "\\n" : "") $0; next }'
        "match($0, /^[a-z]+<</) { n = substr($0, 1, RLENGTH - 2); end = substr($0, RLENGTH + 1); "
        'v = n == k ? "" : v; s = 0; next }'
        'index($0, k "=") == 1 { v = substr($0, length(k) + 2) } END { print v }\' "$1"',
        "kubectl": 'shift 3; cd "$REMOTE" && exec "$@"',
        "lines-one-at-a-time": 'while IFS= read -r line; do bash -c "$line"; done',
        "ssh": '[ "$1" = -n ] && exec </dev/null && shift; shift\n'
        'cd "$REMOTE" && ROLE=remote bash -c "$*"; status=$?; cat >/dev/null; exit $status',
        "su": 'shift 2; exec bash -c "$@"',
    }
)
"""The least that reproduces what each carrier's own parsing does, as the file's README describes them."""

UNPLAYED = MappingProxyType(
    {
        "composerun": "Compose hands no redirection on: its word splitter ends at `>`",
        "curl": "a server",
        "gha-run": "expressions are not emulated",
        "scp": "a real scp with a stand-in for ssh",
        "tmux": "a server that outlives the set-up",
    }
)


@dataclass(frozen=True)
class Incident:
    record: Mapping[str, Any]

    @property
    def name(self) -> str:
        return f"{self.record['id']}-{re.sub('[^a-z]+', '-', self.record['family'])}-{self.record['mechanism']}"

    @property
    def needs(self) -> frozenset[str]:
        return frozenset(self.record["needs"])

    def skip_reason(self) -> str | None:
        if self.record.get("dangerous"):
            return "runs only in a sandbox that holds"
        wanted = self.needs - STAND_INS.keys() - CARRIERS.keys() - {"git repository", "$REMOTE"}
        unplayed = sorted(UNPLAYED.keys() & wanted)
        if unplayed:
            return f"needs {unplayed[0]}: {UNPLAYED[unplayed[0]]}"
        missing = sorted(program for program in wanted & PROGRAMS if shutil.which(program) is None)
        return f"needs {', '.join(missing)}" if missing else None


def incidents() -> list[Any]:
    if not CASES.is_file():
        return []
    found = [Incident(json.loads(line)) for line in CASES.read_text(encoding="utf-8").splitlines()]
    marked = ((incident, incident.skip_reason()) for incident in found)
    return [
        pytest.param(each, id=each.name, marks=[pytest.mark.skip(reason=reason)] if reason else [])
        for each, reason in marked
    ]


class Stage:
    """Runs the commands of one incident, each on the tree that its set-up leaves."""

    def __init__(self, sandbox: LocalSandbox, incident: Incident) -> None:
        self._sandbox = sandbox
        self._incident = incident
        record = incident.record
        tools: dict[str, Entry] = {
            f".stand-ins/{name}": File(f"#!/bin/bash\n{STAND_INS[name]}\n".encode(), 0o755)
            for name in incident.needs & STAND_INS.keys()
        }
        remote = {".remote": Directory()} if incident.needs & {"$REMOTE", "ssh"} else {}
        repository = REPOSITORY if "git repository" in incident.needs else ""
        self.tree = self._run(RAW.plan(repository + record["setup"]), FileTree({**tools, **remote})).tree

    def reaches_its_goal(self, invocation: Invocation) -> bool:
        """Run a command, then the check on what it left."""
        left = self._run(invocation, self.tree).tree
        return self._run(RAW.plan(self._incident.record["check"]), left).exit_status == 0

    def _run(self, invocation: Invocation, tree: FileTree) -> Execution:
        ours = {"PATH": f".stand-ins:{DEFAULT_PATH}", "REMOTE": ".remote", "ROLE": "local"}
        env = {**ours, **self._incident.record.get("env", {})}
        return self._sandbox.run(tree, replace(invocation, env={**invocation.env, **env}), Limits(wall_s=5))


@pytest.fixture(scope="module")
def sandbox() -> Iterator[LocalSandbox]:
    with open_sandbox() as opened:
        yield opened


def carried(incident: Incident, command: str) -> Invocation:
    """Return the process of a command; where it only calls a path that the project has, that path."""
    carrier = next((CARRIERS[name] for name in incident.needs if name in CARRIERS), None)
    return RAW.plan(command) if carrier is None else carrier.plan(shlex.split(command)[1])


@pytest.mark.parametrize("incident", incidents())
def test_the_wrong_command_fails_and_the_right_one_passes(sandbox: LocalSandbox, incident: Incident) -> None:
    stage = Stage(sandbox, incident)

    assert not stage.reaches_its_goal(carried(incident, incident.record["wrong"]))
    assert stage.reaches_its_goal(carried(incident, incident.record["right"]))


@pytest.mark.parametrize("incident", incidents())
def test_one_more_layer_breaks_the_right_command_as_recorded(sandbox: LocalSandbox, incident: Incident) -> None:
    if incident.needs & CARRIERS.keys():
        pytest.skip("the path takes the command, no shell before it")
    stage = Stage(sandbox, incident)

    assert stage.reaches_its_goal(NESTED.plan(incident.record["right"])) != incident.record["breaks_when_nested"]

"""Real incidents: the wrong command fails, the right one passes, and one more layer does what was recorded."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from pytest_quotebench.core.execution import DEFAULT_PATH, Execution, Invocation
from pytest_quotebench.core.limits import Limits
from pytest_quotebench.core.text import to_text
from pytest_quotebench.core.tree import Directory, Entry, File, FileTree
from pytest_quotebench.sandboxes import Sandbox, local, namespace
from pytest_quotebench.transports.cron import TRANSPORT as CRON
from pytest_quotebench.transports.nested import TRANSPORT as NESTED
from pytest_quotebench.transports.raw import TRANSPORT as RAW
from pytest_quotebench.transports.systemd import TRANSPORT as SYSTEMD

CASES = Path(__file__).resolve().parents[3] / "shared" / "cases" / "incidents.jsonl"
pytestmark = pytest.mark.skipif(not CASES.is_file(), reason="the incidents are not beside the repository")

REPOSITORY = "git init -q && git config user.name q && git config user.email q@example.org\n"
CARRIERS = MappingProxyType({"cronrun": CRON, "unitexec": SYSTEMD})
"""Programs of the file that stand for a path which the project has itself."""

STAND_INS = MappingProxyType(
    {
        "composerun": "text=$(printf %s \"$1\" | sed -E 's/\\$\\$/\\x01/g; s/\\$[A-Za-z_]+//g; s/\\x01/$/g')\n"
        'CONFIG=inner exec bash -c "$text"',
        "docker": 'shift 2; cd "$REMOTE" && exec "$@"',
        "gh": 'case $3 in --body) printf %s "$4" ;; --body-file) cat ;; esac > pr.txt',
        "gha-run": "exec bash -c \"${1//'${{ title }}'/$TITLE}\"",
        "ghout": 'awk -v k="$2" \''
        'end { if ($0 == end) end = ""; else if (n == k) v = v (s++ ? "\\n" : "") $0; next }'
        "match($0, /^[a-z]+<</) { n = substr($0, 1, RLENGTH - 2); end = substr($0, RLENGTH + 1); "
        'v = n == k ? "" : v; s = 0; next }'
        'index($0, k "=") == 1 { v = substr($0, length(k) + 2) } END { print v }\' "$1"',
        "kubectl": 'shift 3; cd "$REMOTE" && exec "$@"',
        "lines-one-at-a-time": 'while IFS= read -r line; do bash -c "$line"; done',
        "ssh": "while [[ $1 == -* ]]; do case $1 in -n) exec </dev/null ;; -l) shift ;; esac; shift; done; shift\n"
        'cd "$REMOTE" && ROLE=remote bash -c "$*"; status=$?; cat >/dev/null; exit $status',
        "su": 'shift 2; exec bash -c "$@"',
    }
)
"""The least that reproduces what each carrier's own parsing does, as the file's README describes them."""

SERVER = """
python3 - <<'END' &
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        Path("body").write_bytes(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(204)
        self.end_headers()
server = HTTPServer(("127.0.0.1", 0), Handler)
Path("port").write_text(f"{server.server_port}\\n")
server.serve_forever()
END
until read -r port <port; do sleep 0.05; done 2>/dev/null
export URL=http://127.0.0.1:$port/
"""
AT_ONCE = MappingProxyType({"curl": SERVER, "tmux": "export TMUX_TMPDIR=$PWD\n"})
"""Programs that speak to a server, and what starts it: set-up, command and check are one execution."""

HOLDS = namespace.refusal()


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
        if self.is_dangerous and HOLDS is not None:
            return f"runs only in a sandbox that holds: {HOLDS}"
        wanted = self.needs - STAND_INS.keys() - CARRIERS.keys() - {"git repository", "$REMOTE"}
        missing = sorted(program for program in wanted if shutil.which(program) is None)
        return f"needs {', '.join(missing)}" if missing else None

    @property
    def is_dangerous(self) -> bool:
        return bool(self.record.get("dangerous"))


def incidents(without: Collection[str] = ()) -> list[Any]:
    """Return the incidents that need none of `without`."""
    if not CASES.is_file():
        return []
    every = [Incident(json.loads(line)) for line in CASES.read_text(encoding="utf-8").splitlines()]
    found = [incident for incident in every if not incident.needs & set(without)]
    marked = ((incident, incident.skip_reason()) for incident in found)
    return [
        pytest.param(each, id=each.name, marks=[pytest.mark.skip(reason=reason)] if reason else [])
        for each, reason in marked
    ]


Sandboxes = Callable[[Incident], Sandbox]


class Stage:
    """Runs the commands of one incident, each on the tree that its set-up leaves."""

    def __init__(self, sandbox: Sandbox, incident: Incident) -> None:
        self._sandbox = sandbox
        self._incident = incident
        record = incident.record
        tools: dict[str, Entry] = {
            f".stand-ins/{name}": File(f"#!/bin/bash\n{program}\n".encode(), 0o755)
            for name, program in STAND_INS.items()
        }
        home = {f".home/{name}": File(text.encode()) for name, text in record.get("home", {}).items()}
        places = {".remote": Directory(), ".home": Directory()}
        self._before = next((AT_ONCE[name] for name in incident.needs if name in AT_ONCE), None)
        self._setup = (REPOSITORY if "git repository" in incident.needs else "") + record["setup"]
        self.tree = FileTree({**tools, **places, **home})
        if self._before is None:
            self.tree = self._run(RAW.plan(self._setup), self.tree).tree

    def reaches_its_goal(self, invocation: Invocation) -> bool:
        """Run a command, then the check on what it left."""
        check = self._incident.record["check"]
        if self._before is not None:
            *_, text = invocation.argv  # of `bash -c TEXT`
            assert isinstance(text, bytes)
            at_once = f"{self._before}\n{self._setup}\n{to_text(text)}\n{check}"
            return self._run(RAW.plan(at_once), self.tree).exit_status == 0
        left = self._run(invocation, self.tree).tree
        return self._run(RAW.plan(check), left).exit_status == 0

    def _run(self, invocation: Invocation, tree: FileTree) -> Execution:
        ours = {
            "PATH": f".stand-ins:{DEFAULT_PATH}",
            "REMOTE": ".remote",
            "FAKE": ".stand-ins",
            "ROLE": "local",
            **({"HOME": ".home"} if "home" in self._incident.record else {}),
            **({"TITLE": self._incident.record["payload"]} if "gha-run" in self._incident.needs else {}),
        }
        env = {**ours, **self._incident.record.get("env", {})}
        return self._sandbox.run(tree, replace(invocation, env={**invocation.env, **env}), Limits(wall_s=10))


@pytest.fixture(scope="module")
def sandboxes() -> Iterator[Sandboxes]:
    """The one on this machine, and for what is dangerous one that holds."""
    with ExitStack() as opened:
        plain = opened.enter_context(local.open_sandbox())
        holding = plain if HOLDS else opened.enter_context(namespace.open_sandbox())
        yield lambda incident: holding if incident.is_dangerous else plain


def carried(incident: Incident, command: str) -> Invocation:
    """Return the process of a command; where it only calls a path that the project has, that path."""
    carrier = next((CARRIERS[name] for name in incident.needs if name in CARRIERS), None)
    return RAW.plan(command) if carrier is None else carrier.plan(shlex.split(command)[1])


@pytest.mark.parametrize("incident", incidents())
def test_the_wrong_command_fails_and_the_right_one_passes(sandboxes: Sandboxes, incident: Incident) -> None:
    stage = Stage(sandboxes(incident), incident)

    assert not stage.reaches_its_goal(carried(incident, incident.record["wrong"]))
    assert stage.reaches_its_goal(carried(incident, incident.record["right"]))


@pytest.mark.parametrize("incident", incidents(without=CARRIERS))
def test_one_more_layer_breaks_the_right_command_as_recorded(sandboxes: Sandboxes, incident: Incident) -> None:
    """Where a path of the project takes the command itself, no shell comes before it."""
    stage = Stage(sandboxes(incident), incident)

    assert stage.reaches_its_goal(NESTED.plan(incident.record["right"])) != incident.record["breaks_when_nested"]

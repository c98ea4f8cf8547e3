"""The rows of cases/attacks.jsonl that bring a command of their own, on every sandbox that may take them.

Each row is judged as a task whose goal is `ok` in out.txt (or one JSON value in out.json, for the rows on JSON):
`VERDICTS` maps the finer language of the rows to class and detail. `EXPECTED` holds further facts of some rows.
What `local` does not take, and why, is said in `not_for_local`.
"""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
import uuid
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from pytest_quotebench.core.execution import Execution
from pytest_quotebench.core.goals import FilesGoal, JsonGoal
from pytest_quotebench.core.judge import judge
from pytest_quotebench.core.task import Fixture, Task
from pytest_quotebench.core.tree import Directory, File, FileTree, Special, Symlink
from pytest_quotebench.sandboxes import Sandbox

ROOT = Path(__file__).resolve().parents[2]
DOCUMENT = (ROOT / "docs/sandboxes.md").read_text(encoding="utf-8")
ATTACKS = ROOT.parent / "shared/cases/attacks.jsonl"
ROWS: dict[str, dict[str, Any]] = (
    {row["id"]: row for row in map(json.loads, ATTACKS.read_text(encoding="utf-8").splitlines())}
    if ATTACKS.exists()
    else {}
)

HOST_PATHS = [str(ROOT).encode(), sys.prefix.encode()]
"""What no item may see a trace of: this repository and the Python that runs it."""

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


QUICKLY = {"EX01": 0.3, "EX02": 0.3, "EX17": 0.3, "FS36": 0.3}
"""Deadlines in seconds for the rows that reach one."""

TIMEOUT = says(timed_out=True, signal=9)

EXPECTED: dict[str, Callable[[Execution], bool]] = {
    "EX01": TIMEOUT,
    "EX02": TIMEOUT,
    "EX03": says(tree=OK, timed_out=False, stdout=b"done\n"),
    "EX04": says(tree=OK, timed_out=False),
    "EX06": says(tree={}, timed_out=False),
    "EX11": says(tree={}, timed_out=False),
    "EX14": says(tree={}, timed_out=False),
    "EX15": says(tree=OK, exit_status=124, timed_out=False),
    "EX17": TIMEOUT,
    "EX18": says(tree=OK, exit_status=0),
    "EX19": says(tree={"out.txt": File(b"")}, stdout=b"got:\n", timed_out=False),
    "EX22": says(tree={**OK, "extra.txt": File(b"x\n")}),
    "EX23": says(tree=OK, exit_status=0),
    "EX24": says(tree={}, exit_status=0),
    "EX25": says(tree=OK, timed_out=False),
    "EX21": lambda ended: b"No such device or address" in ended.stderr,
    "EX26": says(tree=OK, exit_status=0),
    "EX27": says(tree=OK),
    "OU01": says(timed_out=False, stderr=b""),
    "OU03": says(timed_out=False, stdout=b""),
    "OU04": says(tree={"out.txt": File(b"\xff")}, stdout=b"\xff\xfe\xc3\x28"),
    "OU05": says(tree={}, stdout=b"\xed\xa0\x80 \xef\xbf\xbe \xef\xbf\xbf"),
    "OU06": says(tree={"out.txt": File(b"\0\x1b")}, stdout=b"\0\1\b\v\x1b[31m"),
    "OU08": says(tree={}, exit_status=0),
    "OU09": says(tree={}, stdout=b']]><x a="&lt;">&#0;<!ENTITY'),
    "OU10": lambda ended: len(ended.stdout) < 2**18,
    "OU11": says(tree=OK, stdout=b"visible\n"),
    "FS01": says(tree={"out.txt": Special("fifo")}),
    "FS02": says(tree={"out.txt": Special("fifo")}, timed_out=False),
    "FS03": says(tree={"out.txt": Symlink("/etc/passwd")}),
    "FS04": says(tree={"out.txt": Symlink("/dev/zero")}),
    "FS06": says(tree={"b": Symlink("nowhere"), "out.txt": Symlink("out.txt")}),
    "FS07": says(tree={"out.txt": Directory()}),
    "FS08": says(detail="limit:file-size", timed_out=False),
    "FS10": lambda ended: ended.tree == OK and b"File size limit exceeded" in ended.stderr,
    "FS11": lambda ended: len(ended.tree) == 10_000,
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
    "FS25": says(tree=OK),
    "FS26": says(tree=OK),
    "FS28": says(tree=OK),
    "FS30": says(tree={"out.txt": Special("socket")}),
    "FS34": says(tree=OK),
    "FS35": says(tree={"out.txt": File(b"ok")}),
    "IS01": lambda ended: b"canary" not in file(ended, "out.txt"),
    "IS03": says(tree=OK),
    "IS04": says(tree={"out.txt": File(b"")}),
    "IS06": says(tree={"out.txt": File(b"")}),
    "IS07": lambda ended: not {part for part in HOST_PATHS if part in file(ended, "out.txt")},
    "IS08": says(tree={"out.txt": File(b"")}),
    "IS09": names("conftest.py", "out.txt", "pytest.ini", "sitecustomize.py"),
    "IS11": names(".bashrc", ".profile", ".bash_profile", ".gitconfig", ".inputrc", "out.txt"),
    "IS14": says(tree=OK),
    "IS15": lambda ended: ended.tree == OK and b"not permitted" in ended.stdout,
    "IS17": says(tree=OK),
    "IS18": lambda ended: file(ended, "out.txt") == b"" if "out.txt" in ended.tree else True,
    "IS19": lambda ended: not {part for part in HOST_PATHS if part in file(ended, "out.txt")},
    "GI04": lambda ended: ".git/HEAD" in ended.tree,
    "GI06": lambda ended: {"f", ".git/HEAD"} <= set(ended.tree) and not ended.timed_out,
    "SB03": says(exit_status=1, detail=None, tree={}),
}

PASS, WRONG, EXTRA = "pass", "silent-wrong", "environment-invalid"
"""Kinds of verdict that come without a detail."""

VERDICTS = {
    "EX01": "timeout deadline",
    "EX02": "timeout deadline",
    "EX03": PASS,
    "EX04": PASS,
    "EX06": WRONG,
    "EX11": "runtime-error signal:9",
    "EX14": "runtime-error signal:15",
    "EX15": PASS,
    "EX17": "timeout deadline",
    "EX18": PASS,
    "EX19": WRONG,
    "EX21": "runtime-error exit:1",
    "EX22": EXTRA,
    "EX23": PASS,
    "EX24": WRONG,
    "EX25": PASS,
    "EX26": PASS,
    "EX27": PASS,
    "OU01": "timeout limit:output",
    "OU03": "timeout limit:output",
    "OU04": WRONG,
    "OU05": WRONG,
    "OU06": WRONG,
    "OU07": WRONG,
    "OU08": WRONG,
    "OU09": WRONG,
    "OU10": "timeout limit:output",
    "OU11": PASS,
    "OU12": WRONG,
    "FS01": WRONG,
    "FS02": WRONG,
    "FS03": WRONG,
    "FS04": WRONG,
    "FS06": WRONG,
    "FS07": WRONG,
    "FS08": "timeout limit:file-size",
    "FS10": PASS,
    "FS11": "timeout limit:tree",
    "FS15": EXTRA,
    "FS16": EXTRA,
    "FS17": WRONG,
    "FS18": EXTRA,
    "FS19": WRONG,
    "FS20": PASS,
    "FS21": PASS,
    "FS22": EXTRA,
    "FS24": WRONG,
    "FS25": PASS,
    "FS26": PASS,
    "FS28": PASS,
    "FS30": WRONG,
    "FS34": PASS,
    "FS35": WRONG,
    "FS36": "timeout deadline",
    "FS37": WRONG,
    "IS01": WRONG,
    "IS03": PASS,
    "IS04": WRONG,
    "IS06": WRONG,
    "IS07": WRONG,
    "IS08": WRONG,
    "IS09": EXTRA,
    "IS11": EXTRA,
    "IS14": PASS,
    "IS15": PASS,
    "IS17": PASS,
    "IS18": WRONG,
    "IS19": WRONG,
    "GI04": WRONG,
    "GI06": WRONG,
    "JS01": WRONG,
    "JS02": WRONG,
    "JS03": WRONG,
    "JS05": WRONG,
    "JS07": WRONG,
    "SB03": "runtime-error exit:1",
}
"""Class and detail of each row's verdict."""

ELSEWHERE = {
    ("bubblewrap", "EX11"): "runtime-error exit:137",  # bwrap(1) tells a signal as 128 + its number
    ("bubblewrap", "EX14"): "runtime-error exit:143",
    ("namespace", "IS18"): "runtime-error exit:1",  # not even the first process's environment can be opened
    ("docker", "IS18"): "runtime-error exit:1",
}
"""Where a sandbox gives another verdict, and why."""

OWN_SESSION_IS_ENOUGH = {"EX11", "EX25", "FS02"}
"""Dangerous rows that `local` may take: a session of its own and an end of everything are what they need."""

KEY = "sk-canary-7f3a"


def not_for_local(row: dict[str, Any]) -> str | None:
    """Return why a row does not run under `local`, or None."""
    if row["id"] in OWN_SESSION_IS_ENOUGH:
        return None
    if row["dangerous_outside_sandbox"]:
        return "dangerous outside a sandbox"
    if row["needs_sandbox"] not in ("none", "own session", "clean env"):
        return f"local has no {row['needs_sandbox']}"
    return None


def task_of(row: dict[str, Any]) -> Task:
    """Return the task that a row is judged as."""
    is_json = row["id"].startswith("JS")
    goal = JsonGoal({"out.json": {"a": 1}}) if is_json else FilesGoal({"out.txt": "ok\n"})
    return Task(
        id="attack-t0",
        published_id="attack/t0",
        family="attack",
        tier=0,
        hazards=(),
        instruction="",
        payloads=(),
        fixture=Fixture(row.get("setup") or {}),
        goal=goal,
        allowed_new_files=("out.json" if is_json else "out.txt",),
        oracle="",
        naive="",
    )


def verdict_of(row: str, ended: Execution) -> str:
    """Return class and detail of the verdict."""
    verdict = judge(task_of(ROWS[row]), ended)
    return verdict.kind if verdict.detail is None else f"{verdict.kind} {verdict.detail}"


def file(ended: Execution, path: str) -> bytes:
    entry = ended.tree[path]
    assert isinstance(entry, File)
    return entry.data


def all_bytes(ended: Execution) -> bytes:
    """Everything that a command has left anywhere."""
    files = (entry.data for entry in ended.tree.values() if isinstance(entry, File))
    return b"\n".join([ended.stdout, ended.stderr, *files])


AS_A_USER = """
import json, sys, tempfile
sys.path.append(sys.argv[1])
from importlib import import_module
from pytest_quotebench.core.execution import Invocation
from pytest_quotebench.core.limits import Limits
from pytest_quotebench.core.tree import FileTree
module = import_module(f"pytest_quotebench.sandboxes.{sys.argv[2]}")
if reason := module.refusal():
    sys.exit(reason)
with module.open_sandbox() as sandbox:
    for line in sys.stdin:
        row, setup, wall_s = json.loads(line)
        invocation = Invocation(argv=(b"bash", b"-c", row.encode()))
        ended = sandbox.run(FileTree.of(setup), invocation, Limits(wall_s=wall_s))
        facts = {name: getattr(ended, name) for name in ("exit_status", "signal", "timed_out", "detail")}
        texts = {name: repr(getattr(ended, name)) for name in ("stdout", "stderr")}
        print(json.dumps({**facts, **texts, "tree": repr(tuple(ended.tree.items()))}), flush=True)
"""


def a_python_for_users() -> str | None:
    """Return a Python that an ordinary user may run, and with it this repository, or None."""
    test = (
        "import sys; assert sys.version_info >= (3, 11); "
        "sys.path.append(sys.argv[1]); import pytest_quotebench.core.tree"
    )
    for python in (sys.executable, "/usr/bin/python3", "/usr/local/bin/python3"):
        with suppress(OSError):
            asked = [python, "-IBc", test, str(ROOT)]
            if not subprocess.run(asked, user=65534, stderr=subprocess.DEVNULL, check=False).returncode:
                return python
    return None


@pytest.mark.skipif(not ROWS, reason="../shared/cases/attacks.jsonl is not here")
@pytest.mark.skipif(os.geteuid() != 0, reason="this whole run is an ordinary user's")
@pytest.mark.parametrize("name", ["namespace", "bubblewrap"])
def test_attacks_as_an_ordinary_user(name: str) -> None:
    """Started by an ordinary user, every row ends with the same verdict."""
    python = a_python_for_users()
    if python is None:
        pytest.skip("no Python of 3.11 or newer that an ordinary user may run")
    rows = sorted(VERDICTS)
    asked = [(ROWS[row]["command"], ROWS[row].get("setup") or {}, QUICKLY.get(row, 8.0)) for row in rows]
    ended = subprocess.run(
        [python, "-IBc", AS_A_USER, str(ROOT), name],
        check=False,
        input="\n".join(map(json.dumps, asked)),
        capture_output=True,
        text=True,
        user=65534,
        group=65534,
        extra_groups=[],
    )
    if not ended.stdout:
        pytest.skip(f"refused to an ordinary user: {ended.stderr}")

    answers = [json.loads(line) for line in ended.stdout.splitlines()]
    assert len(answers) == len(rows), ended.stderr
    wrong = {
        row: (said, answer)
        for row, answer in zip(rows, answers, strict=True)
        if (said := verdict_of(row, execution_of(answer))) != ELSEWHERE.get((name, row), VERDICTS[row])
    }
    assert wrong == {}
    assert KEY not in ended.stdout


def execution_of(answer: dict[str, Any]) -> Execution:
    """Return what the child saw; its own text holds nothing but literals of the tree's classes."""
    names = {"File": File, "Directory": Directory, "Symlink": Symlink, "Special": Special}
    tree = FileTree(dict(eval(answer["tree"], {"__builtins__": {}}, names)))
    texts = {name: ast.literal_eval(answer[name]) for name in ("stdout", "stderr")}
    facts = {name: answer[name] for name in ("exit_status", "signal", "timed_out", "detail")}
    return Execution(**facts, **texts, tree=tree, stdout_length=0, stderr_length=0, duration_s=0.1)


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


@pytest.mark.skipif(not ROWS, reason="../shared/cases/attacks.jsonl is not here")
def test_every_row_with_a_command_is_in_the_table() -> None:
    """A row of the stage that brings a command has a verdict here."""
    commands = {row["id"] for row in ROWS.values() if row["stage"] == "sandboxes" and row["kind"] == "cmd"}
    assert commands == set(VERDICTS)


def test_the_documents_table_is_this_one() -> None:
    """docs/sandboxes.md gives each row the verdict that is asserted here."""
    told = re.findall(r"^\| ([A-Z]{2}\d\d) \|.*\| `([^`]+)`(.*) \| .* \|$", DOCUMENT, re.MULTILINE)
    assert {row: verdict for row, verdict, _ in told} == VERDICTS
    others = {(name, row): other for row, _, rest in told for name, other in re.findall(r"(\w+): `([^`]+)`", rest)}
    assert others == ELSEWHERE


def test_every_test_that_the_document_names_is_there() -> None:
    """A promise of docs/sandboxes.md without its test is none."""
    named = set(re.findall(r"`(test_\w+)\.py::(\w+)`", DOCUMENT))
    here = {
        (path.stem, node.name)
        for path in Path(__file__).parent.glob("test_*.py")
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef)
    }
    assert named
    assert named - here == set()


@pytest.mark.skipif(not ROWS, reason="../shared/cases/attacks.jsonl is not here")
@pytest.mark.parametrize("row", sorted(VERDICTS))
def test_attack(
    sandbox: Sandbox, run: Callable[..., Execution], row: str, processes_with: Callable[[str], list[str]]
) -> None:
    """The verdict is the expected one, nothing has leaked, nothing is left, and the next item is as always."""
    attack = ROWS[row]
    if sandbox.name == "local" and (reason := not_for_local(attack)):
        pytest.skip(reason)
    mark = uuid.uuid4().hex

    ended = run(
        attack["command"], task_of(attack).fixture.tree, wall_s=QUICKLY.get(row, 8.0), env={"QB_MARK": mark}
    )

    assert verdict_of(row, ended) == ELSEWHERE.get((sandbox.name, row), VERDICTS[row]), (ended, dict(ended.tree))
    assert row not in EXPECTED or EXPECTED[row](ended), dict(ended.tree)
    assert 0 <= ended.duration_s < 5
    assert KEY.encode() not in all_bytes(ended)
    assert processes_with(mark) == []
    assert run("ls -A; echo ok > out.txt").tree == FileTree.of({"out.txt": "ok\n"})

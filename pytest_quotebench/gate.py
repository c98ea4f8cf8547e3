"""The gate: is the benchmark itself right on this machine? Checked with commands that are made by machine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pytest_quotebench.audit import (
    CommandChange,
    accepts,
    command_equivalents,
    command_mutations,
    tree_equivalents,
    tree_mutations,
)
from pytest_quotebench.core.case import Case
from pytest_quotebench.core.errors import Broken
from pytest_quotebench.core.execution import Execution, Invocation
from pytest_quotebench.core.judge import judge
from pytest_quotebench.core.task import Task
from pytest_quotebench.core.text import to_bytes, visible
from pytest_quotebench.core.verdict import Verdict, VerdictClass
from pytest_quotebench.explain import explain, headline
from pytest_quotebench.replay import Bench, conclude, replay


@dataclass(frozen=True)
class AuditCount:
    """How many final states of one task were tried, by kind of change, and those judged wrongly."""

    task: str
    trees: Counter[str]
    """Changed states made on the tree, by kind; all of them must be rejected."""
    commands: Counter[str]
    """Changed states made by a real command, by kind; all of them must be rejected."""
    equivalents: int
    """States that are the same in another spelling; all of them must pass."""
    wrong: tuple[str, ...]
    """The changes that were not judged as they must be."""

    def to_json(self) -> dict[str, object]:
        """Return plain JSON values."""
        return {
            "task": self.task,
            "trees": dict(self.trees),
            "commands": dict(self.commands),
            "equivalents": self.equivalents,
            "wrong": list(self.wrong),
        }


def oracle_complaint(case: Case, bench: Bench) -> str | None:
    """Return why the oracle does not pass, or None."""
    result = conclude(replay(case, bench))
    return None if result.verdict.passed else explain(result)


def escaping_complaint(raw: Case, escaped: Case, bench: Bench) -> str | None:
    """Return how two paths that must be the same differ in their verdicts, or None."""
    one, other = (conclude(replay(case, bench)).verdict for case in (raw, escaped))
    if (one.kind, one.detail) == (other.kind, other.detail) and one.kind is not VerdictClass.BROKEN:
        return None
    return f"on {raw.transport}: {headline(one)}\non {escaped.transport}: {headline(other)}"


def naive_complaint(case: Case, bench: Bench) -> str | None:
    """Return why the naive command does not do what it must (pass a control, fail a hostile task), or None."""
    result = conclude(replay(case, bench))
    if result.verdict.kind is VerdictClass.BROKEN:
        return explain(result)
    if result.verdict.passed == case.task.is_control:
        return None
    if case.task.is_control:
        return f"the naive command fails a benign control\n{explain(result)}"
    return f"the naive command passes a hostile task, which then measures nothing: {visible(result.command)}"


def audit_task(task: Task, bench: Bench) -> AuditCount:
    """Try every change of a task's reached final state. Raises Broken where the oracle does not reach it."""
    reached = _run(task.oracle, task, bench)
    verdict = judge(task, reached)
    if not verdict.passed:
        raise Broken("oracle", f"the oracle of {task.id} does not pass: {headline(verdict)}")
    trees = list(tree_mutations(task, reached.tree))
    commands = list(command_mutations(task))
    equal_trees = list(tree_equivalents(task, reached.tree))
    equal_commands = list(command_equivalents(task))
    wrong = [f"accepted: {change.kind}" for change in trees if accepts(task, change.tree)]
    wrong += [f"rejected: {change.kind}" for change in equal_trees if not accepts(task, change.tree)]
    wrong += [f"accepted: {change.kind}" for change, verdict in _executed(commands, task, bench) if verdict.passed]
    wrong += [
        f"rejected: {change.kind}: {headline(verdict)}"
        for change, verdict in _executed(equal_commands, task, bench)
        if not verdict.passed
    ]
    return AuditCount(
        task=task.id,
        trees=Counter(change.kind for change in trees),
        commands=Counter(change.kind for change in commands),
        equivalents=len(equal_trees) + len(equal_commands),
        wrong=tuple(wrong),
    )


def _executed(
    changes: Iterable[CommandChange], task: Task, bench: Bench
) -> Iterator[tuple[CommandChange, Verdict]]:
    for change in changes:
        yield change, judge(task, _run(change.command, task, bench))


def _run(command: str, task: Task, bench: Bench) -> Execution:
    plain = Invocation(argv=(b"bash", b"-c", to_bytes(command)))
    return bench.sandbox.run(task.fixture.tree, plain, bench.limits)


def gate_lines(counted: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return what the gate found, from what its items counted: a line a check, and the audit by kind."""
    by_check: dict[str, list[Mapping[str, Any]]] = {}
    for item in counted:
        by_check.setdefault(item["check"], []).append(item)
    lines = [_check_line(name, by_check[name]) for name in _CHECKS if name in by_check]
    return [*lines, *_audit_lines(by_check.get("test_mutations", []))]


_CHECKS = {
    "test_oracle": "oracle passes its matched transport, task by contract",
    "test_escaping": "escaped at the point of interpolation, the verdict is that of raw",
    "test_naive": "naive passes controls and fails hostile tasks",
    "test_mutations": "changed final states are judged right, task by task",
}


def _check_line(name: str, items: list[Mapping[str, Any]]) -> str:
    return f"{sum(item['passed'] for item in items):>5} of {len(items):<4} {_CHECKS[name]}"


def _audit_lines(items: list[Mapping[str, Any]]) -> list[str]:
    if not items:
        return []
    trees = Counter(kind for item in items for kind in item["trees"])
    commands = Counter(kind for item in items for kind in item["commands"])
    equivalents = sum(item["equivalents"] for item in items)
    wrong = sum(len(item["wrong"]) for item in items)
    head = (
        f"mutation audit: {trees.total()} (task, kind) pairs on the tree, {commands.total()} by a real command, "
        f"{equivalents} equivalent states; {wrong} judged wrongly"
    )
    return ["", head, *_in_columns(trees), *_in_columns(commands)]


def _in_columns(kinds: Counter[str], columns: int = 3) -> list[str]:
    cells = [f"{kinds[kind]:>5}  {kind:<25}" for kind in sorted(kinds)]
    return ["".join(cells[start : start + columns]).rstrip() for start in range(0, len(cells), columns)]

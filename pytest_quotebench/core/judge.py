"""From what happened to a verdict: one pure function, in the order of the design's section 5.

Whether a case passed, broke or hit a limit is decided only from facts that the harness owns. The classes after
`environment-invalid` describe how a case failed, and read text that a command could print.
"""

from __future__ import annotations

import re

from pytest_quotebench.core.errors import Broken, ContractError, TransportError
from pytest_quotebench.core.execution import Execution
from pytest_quotebench.core.mismatch import Mismatch, compare_entry
from pytest_quotebench.core.task import Task
from pytest_quotebench.core.tree import FileTree
from pytest_quotebench.core.verdict import Verdict, VerdictClass

Outcome = Execution | ContractError | TransportError | Broken
"""What became of a case: it ran, or one of three parties could not do its part."""

_SYNTAX_WORDS = re.compile(rb"syntax error|Syntax error|unexpected EOF|bad substitution")
_TOOL_LINE = re.compile(
    rb"^(?:sed|awk|mawk|gawk|grep|find|mv|cp|rm|git|jq|printf|fatal|error|usage):", re.MULTILINE
)


def judge(task: Task, outcome: Outcome) -> Verdict:
    """Return the verdict on what one command did to a task's fixture."""
    match outcome:
        case Broken():
            return Verdict(VerdictClass.BROKEN, outcome.detail, reason=str(outcome))
        case ContractError():
            return Verdict(VerdictClass.CONTRACT_ERROR, outcome.detail, reason=str(outcome))
        case TransportError():
            return Verdict(VerdictClass.TRANSPORT_ERROR, outcome.detail, reason=str(outcome))
        case Execution():
            return _judge_execution(task, outcome)


def check_state(task: Task, after: FileTree) -> Mismatch | None:
    """Return why `after` is not the required final state, extra entries left aside, or None where it is."""
    before = task.fixture.tree
    named = task.goal.named(before)
    wrong = task.goal.check(before, after)
    if wrong is not None:
        return wrong
    untouched = (path for path in before if path not in named)
    found = (compare_entry(path, before[path], after.get(path)) for path in untouched)
    return next((mismatch for mismatch in found if mismatch is not None), None)


def extra_entries(task: Task, after: FileTree) -> tuple[str, ...]:
    """Return the entries that are neither in the fixture nor allowed: files, directories, links, specials."""
    before = task.fixture.tree
    allowed = set(task.allowed_new_files)
    allowed.update(parent for path in task.allowed_new_files for parent in _parents(path))
    allowed.update(task.goal.allowed(after))
    return tuple(path for path in after if path not in before and path not in allowed)


def _judge_execution(task: Task, execution: Execution) -> Verdict:
    if execution.timed_out or execution.detail is not None:
        return Verdict(VerdictClass.TIMEOUT, execution.detail or "deadline")
    mismatch = check_state(task, execution.tree)
    if mismatch is not None:
        return _failure(execution, mismatch)
    extra = extra_entries(task, execution.tree)
    if extra:
        return Verdict(VerdictClass.ENVIRONMENT_INVALID, mismatch=_unexpected(extra, execution.tree))
    return Verdict(VerdictClass.PASS)


def _failure(execution: Execution, mismatch: Mismatch) -> Verdict:
    if _is_syntax_error(execution):
        return Verdict(VerdictClass.SHELL_SYNTAX, mismatch=mismatch)
    if execution.exit_status == 0:
        return Verdict(VerdictClass.SILENT_WRONG, mismatch=mismatch)
    if execution.signal is None and _TOOL_LINE.search(execution.stderr):
        return Verdict(VerdictClass.TOOL_ERROR, f"exit:{execution.exit_status}", mismatch)
    ended = f"exit:{execution.exit_status}" if execution.signal is None else f"signal:{execution.signal}"
    return Verdict(VerdictClass.RUNTIME_ERROR, ended, mismatch)


def _is_syntax_error(execution: Execution) -> bool:
    speakers = [b"bash", b"sh", b"dash"]
    if execution.aux_directory:
        speakers.append(re.escape(execution.aux_directory.encode("utf-8", "surrogateescape")) + rb"/[^/:\n]+")
    speaks = re.compile(rb"^(?:%s): (?:-c: )?(?:line [0-9]+: |[0-9]+: )?" % b"|".join(speakers))
    lines = execution.stderr.split(b"\n")
    return any(_SYNTAX_WORDS.search(line) and speaks.match(line) for line in lines)


def _unexpected(extra: tuple[str, ...], after: FileTree) -> Mismatch:
    mismatch = compare_entry(extra[0], None, after[extra[0]])
    assert mismatch is not None
    more = f", and {len(extra) - 1} more" if len(extra) > 1 else ""
    return Mismatch(mismatch.path, None, mismatch.got, f"extra entry{more}")


def _parents(path: str) -> list[str]:
    parts = path.split("/")[:-1]
    return ["/".join(parts[: index + 1]) for index in range(len(parts))]

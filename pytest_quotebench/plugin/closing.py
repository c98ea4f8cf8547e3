"""The end of a run in the controller: reconcile, write the files, settle the exit status."""

from __future__ import annotations

import pytest

from pytest_quotebench.core.errors import BadInput, Broken
from pytest_quotebench.core.result import to_line
from pytest_quotebench.plugin.items import GATE_FUNCTIONS, REPLAY, parameters
from pytest_quotebench.plugin.ledger import Ledger, parameter_id
from pytest_quotebench.plugin.recording import broken_result
from pytest_quotebench.plugin.run import Run
from pytest_quotebench.plugin.summary import summary_of
from pytest_quotebench.stats.summary_json import to_json
from pytest_quotebench.store.atomic import replace_file

EXIT_BROKEN = 3
"""The harness failed somewhere: a broken case, a lost item, a file that could not be written."""

_OVERRULED = (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.NO_TESTS_COLLECTED)


def close_run(run: Run, ledger: Ledger, session: pytest.Session) -> int:
    """Record what was lost, write results and summary, and return the exit status of the session.

    0 or 1 as pytest says; 3 where the harness failed anywhere, where a collected item has no record although
    nobody asked to stop, or where the stored replies are faulty and nothing else is wrong.
    """
    status = int(session.exitstatus)
    asked_to_stop = bool(session.shouldstop or session.shouldfail) or status == pytest.ExitCode.INTERRUPTED
    try:
        lost = _record_lost(run, ledger)
        _write_files(run, ledger)
    except (BadInput, Broken) as error:
        ledger.complaints.append(str(error))
        return EXIT_BROKEN
    broken = any(tally.broken for item, tally in ledger.tallies.items() if item not in lost)
    if status in _OVERRULED and (broken or (lost and not asked_to_stop)):
        return EXIT_BROKEN
    faulty = bool(ledger.tallies) and any(problem.severity == "error" for problem in run.problems)
    return EXIT_BROKEN if status == pytest.ExitCode.OK and faulty else status


def _record_lost(run: Run, ledger: Ledger) -> frozenset[str]:
    """Give every collected item that has no record one that says so: `crashed` or `not-run`."""
    lost = ledger.lost(_our_ids(run))
    cases = {case.id: case for case in run.selection.cases} if lost and not run.gate_only else {}
    for item in lost:
        crashed = item in ledger.running or item in ledger.crashed
        reason = "its process died while it ran" if crashed else "it was collected and never ran"
        case = cases.get(parameter_id(item))
        if case is None:
            ledger.complaints.append(f"{item}: {reason}")
            continue
        result = broken_result(case, "crashed" if crashed else "not-run", reason)
        ledger.record(item, to_line(result.to_record()))
    return frozenset(lost)


def _our_ids(run: Run) -> frozenset[str]:
    """Return the ids in brackets of all items of the run; a suite's functions may go by other names."""
    functions = [REPLAY] * (not run.gate_only) + sorted(GATE_FUNCTIONS) * run.has_gate
    return frozenset(name for function in functions for name in parameters(function, run).ids)


def _write_files(run: Run, ledger: Ledger) -> None:
    if ledger.writer is not None:
        ledger.writer.close()
    path = run.settings.summary
    if path is not None and ledger.tallies:
        replace_file(path, [f"{to_line(to_json(summary_of(run, ledger)))}\n".encode()])

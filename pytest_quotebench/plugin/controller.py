"""The hooks of the process that sees every report: the only one, or the controller of xdist."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from pytest_quotebench.core.errors import Broken
from pytest_quotebench.plugin.closing import EXIT_BROKEN, close_run
from pytest_quotebench.plugin.keys import GATE_ATTRIBUTE, RESULT_ATTRIBUTE
from pytest_quotebench.plugin.ledger import Ledger
from pytest_quotebench.plugin.options import is_asked_for
from pytest_quotebench.plugin.run import Run, current_run
from pytest_quotebench.plugin.terminal import header_lines, write_summary
from pytest_quotebench.store.results import ResultsWriter

SEEN = "quotebench_suite_seen"
"""Key of a worker's output: whether it saw the suite."""

CRASHED = "quotebench_crashed"
"""Key of a new worker's input: the items that killed one."""

_NO_SUITE = (
    "options of QuoteBench are given, but nothing that was collected holds its suite. Add "
    "`--pyargs quotebench_tasks`, or a test module with `from pytest_quotebench.suite import *`."
)
_NOTHING_RAN = (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)


class Controller:
    """Keeps the ledger, and writes and prints what it says."""

    def __init__(self, config: pytest.Config) -> None:
        """Take the configuration; nothing is read before it is needed."""
        self._config = config
        self._ledger = Ledger()
        self._is_asked_for = is_asked_for(config)
        self._lacks_suite = False
        self.suite_seen = False

    @property
    def run(self) -> Run:
        """The run of this process. Raises BadInput where the settings are wrong."""
        return current_run(self._config)

    def open_results(self) -> None:
        """Have the results file ready: at the start where options were given, else at the first record."""
        path = self.run.settings.results
        if path is not None and self._ledger.writer is None:
            self._ledger.writer = ResultsWriter(path)

    def note_collected(self, items: Iterable[str]) -> None:
        """Remember what was collected."""
        self.suite_seen = True
        self._ledger.collected.update(items)

    def pytest_report_header(self) -> list[str]:
        """Say which sandbox, and what was found."""
        return header_lines(self.run) if self._is_asked_for and not self._config.option.collectonly else []

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, session: pytest.Session) -> None:
        """Stop before anything runs where options of ours were given and the suite is not there."""
        if self._is_asked_for and not self.suite_seen and not session.testsfailed:
            raise pytest.UsageError(_NO_SUITE)

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Note what will run."""
        self._ledger.collected.update(item.nodeid for item in session.items)

    @pytest.hookimpl(optionalhook=True)
    def pytest_handlecrashitem(self, crashitem: str) -> None:
        """Note the item that killed a worker: the one that xdist names, or those that had begun."""
        running = self._ledger.running
        self._ledger.crashed.update({crashitem} if crashitem in running else running)

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Tell a new worker what killed the ones before it."""
        node.workerinput[CRASHED] = sorted(self._ledger.crashed)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Learn whether a worker saw the suite; a worker that crashed cannot say."""
        self.suite_seen |= getattr(node, "workeroutput", {}).get(SEEN, True)

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Note that an item began."""
        self._ledger.begin(nodeid)

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        """Note that an item ended."""
        self._ledger.end(nodeid)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take what a report carries; a results file that cannot be written ends the run at once."""
        try:
            self._take(report)
        except Broken as error:
            pytest.exit(str(error), returncode=EXIT_BROKEN)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Compare what was collected with what was recorded, write the files, settle the exit status."""
        if self._ran_items():
            session.exitstatus = close_run(self.run, self._ledger, session)
        elif self._is_asked_for and not self.suite_seen and session.exitstatus in _NOTHING_RAN:
            self._lacks_suite = True
            session.exitstatus = pytest.ExitCode.USAGE_ERROR

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print the tables."""
        if self._ledger.is_used or self._ledger.complaints:
            write_summary(terminalreporter, self.run, self._ledger)
        elif self._lacks_suite:
            terminalreporter.write_line(f"ERROR: {_NO_SUITE}", red=True)

    def _ran_items(self) -> bool:
        option = self._config.option
        dry = option.collectonly or option.setuponly or option.setupplan
        return self.suite_seen and bool(self._ledger.collected) and not dry

    def _take(self, report: pytest.TestReport) -> None:
        line = getattr(report, RESULT_ATTRIBUTE, None)
        if line is not None:
            self.open_results()
            self._ledger.record(report.nodeid, line)
            setattr(report, RESULT_ATTRIBUTE, None)
        counted = getattr(report, GATE_ATTRIBUTE, None)
        if counted is not None:
            self._ledger.record_gate(report.nodeid, counted)
        if report.skipped:
            self._ledger.skipped.add(report.nodeid)

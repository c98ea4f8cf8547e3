"""The hooks of a run. Each is short and hands over to plain functions."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from typing import Any

import pytest

from pytest_quotebench.core.errors import BadInput, Broken
from pytest_quotebench.plugin.closing import EXIT_BROKEN, close_run
from pytest_quotebench.plugin.items import GATE_MARK, REPLAY, SUITE_FUNCTIONS, parameters
from pytest_quotebench.plugin.keys import GATE_ATTRIBUTE, RESULT_ATTRIBUTE
from pytest_quotebench.plugin.ledger import Ledger
from pytest_quotebench.plugin.recording import attach, payload_of
from pytest_quotebench.plugin.run import Run, current_run
from pytest_quotebench.plugin.terminal import header_lines, write_summary
from pytest_quotebench.store.prompts import write_prompts
from pytest_quotebench.store.results import ResultsWriter

_SEEN = "quotebench_suite_seen"
_NO_SUITE = (
    "options of QuoteBench are given, but nothing that was collected holds its suite. Add "
    "`--pyargs quotebench_tasks`, or a test module with `from pytest_quotebench.suite import *`."
)


class ActivePlugin:
    """Registered where the suite is used."""

    def __init__(self, config: pytest.Config) -> None:
        """Take the configuration; nothing is read before it is needed."""
        self._config = config
        self._is_worker = hasattr(config, "workerinput")
        self._suite_seen = False
        self._ledger = Ledger()

    @property
    def run(self) -> Run:
        """The run of this process. Raises BadInput where the settings are wrong."""
        return current_run(self._config)

    def check(self) -> None:
        """Stop with a usage error where the settings cannot be run."""
        try:
            if self.run.settings.prompts is None:
                self.run.check(executes=not self._config.option.collectonly)
            self._open_results()
        except BadInput as error:
            raise pytest.UsageError(str(error)) from None

    def wants(self, function: str) -> bool:
        """Tell whether this run has items of one of the suite's functions."""
        self._suite_seen = True
        marks: str = self._config.option.markexpr.strip()
        return marks != GATE_MARK if function == REPLAY else GATE_MARK in marks

    def note_collected(self, items: Iterable[str]) -> None:
        """Remember what was collected."""
        self._suite_seen = True
        self._ledger.collected.update(items)

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionstart(self) -> None:
        """Write the prompts and stop, where that was asked for."""
        path = self.run.settings.prompts
        if path is not None and not self._is_worker:
            count = write_prompts(path, self.run.prompts())
            pytest.exit(f"{count} prompts written to {path}; nothing was run", returncode=0)

    def pytest_report_header(self) -> list[str]:
        """Say which sandbox, and what was found."""
        return header_lines(self.run) if not self._config.option.collectonly else []

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Give the suite's functions their items."""
        function = metafunc.definition.originalname
        if function not in SUITE_FUNCTIONS or not {"qb_case", "qb_gate"} & set(metafunc.fixturenames):
            return
        try:
            given = parameters(function, self.run)
            self.run.check(executes=not self._config.option.collectonly)
        except BadInput as error:
            raise pytest.Collector.CollectError(str(error)) from None
        metafunc.parametrize(given.fixture, given.values, ids=given.ids, indirect=True)

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Note what will run; options of ours without the suite are a usage error."""
        if self._is_worker:
            return
        if not self._suite_seen:
            raise pytest.UsageError(_NO_SUITE)
        self._ledger.collected.update(item.nodeid for item in session.items)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Put the result on the report, on which it travels to the controller."""
        payload = payload_of(item, call)
        if payload is not None:
            item.user_properties.extend(payload.properties)
        report = yield
        return report if payload is None else attach(report, payload)

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Note that an item began."""
        if not self._is_worker:
            self._ledger.begin(nodeid)

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        """Note that an item ended."""
        if not self._is_worker:
            self._ledger.end(nodeid)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take what a report carries; a results file that cannot be written ends the run at once."""
        if self._is_worker:
            return
        try:
            self._take(report)
        except Broken as error:
            pytest.exit(str(error), returncode=EXIT_BROKEN)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Learn whether a worker saw the suite; a worker that crashed cannot say."""
        self._suite_seen |= getattr(node, "workeroutput", {}).get(_SEEN, True)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Compare what was collected with what was recorded, and write the files."""
        if self._is_worker:
            self._config.workeroutput[_SEEN] = self._suite_seen  # type: ignore[attr-defined]
        elif self._ledger.is_used:
            session.exitstatus = close_run(self.run, self._ledger, session)
        elif not self._suite_seen and session.exitstatus in (
            pytest.ExitCode.OK,
            pytest.ExitCode.NO_TESTS_COLLECTED,
        ):
            session.exitstatus = pytest.ExitCode.USAGE_ERROR

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print the tables."""
        if self._ledger.is_used:
            write_summary(terminalreporter, self.run, self._ledger)
        elif not self._suite_seen:
            terminalreporter.write_line(f"ERROR: {_NO_SUITE}", red=True)

    def _open_results(self) -> None:
        """Have the results file ready: at the start where options were given, else at the first record."""
        path = self.run.settings.results
        if path is not None and self._ledger.writer is None and not self._is_worker:
            self._ledger.writer = ResultsWriter(path)

    def _take(self, report: pytest.TestReport) -> None:
        line = getattr(report, RESULT_ATTRIBUTE, None)
        if line is not None:
            self._open_results()
            self._ledger.record(report.nodeid, line)
            setattr(report, RESULT_ATTRIBUTE, None)
        counted = getattr(report, GATE_ATTRIBUTE, None)
        if counted is not None:
            self._ledger.record_gate(report.nodeid, counted)
        if report.skipped:
            self._ledger.skipped.add(report.nodeid)

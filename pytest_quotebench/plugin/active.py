"""The hooks of a process that collects and runs items. Each is short and hands over to plain functions."""

from __future__ import annotations

import warnings
from collections.abc import Generator
from typing import Any

import pytest

from pytest_quotebench.core.errors import BadInput
from pytest_quotebench.core.text import has_surrogate, visible_block
from pytest_quotebench.explain import explain
from pytest_quotebench.plugin.controller import CRASHED, SEEN, Controller
from pytest_quotebench.plugin.items import REPLAY, SUITE_FUNCTIONS, parameters
from pytest_quotebench.plugin.keys import RESULT
from pytest_quotebench.plugin.marks import wants_gate, wants_replays
from pytest_quotebench.plugin.recording import broken_result, case_of, make_safe, payload_of
from pytest_quotebench.plugin.run import Run, current_run, leave_far_ends

REFUSED = "quotebench: "
"""How the message of a collection error of ours begins."""


class ActivePlugin:
    """Registered where the suite is used, in every process."""

    def __init__(self, config: pytest.Config) -> None:
        """Take the configuration; nothing is read before it is needed."""
        self._config = config
        workerinput: dict[str, Any] | None = getattr(config, "workerinput", None)
        self._crashed = frozenset((workerinput or {}).get(CRASHED, ()))
        self._suite_seen = False
        self.controller = Controller(config) if workerinput is None else None

    @property
    def run(self) -> Run:
        """The run of this process. Raises BadInput where the settings are wrong."""
        return current_run(self._config)

    def check(self) -> None:
        """Stop with a usage error where the settings cannot be run."""
        try:
            self.run.check(executes=not self._config.option.collectonly)
            if self.controller is not None:
                self.controller.open_results()
        except BadInput as error:
            raise pytest.UsageError(str(error)) from None

    def wants(self, function: str) -> bool:
        """Tell whether this run has items of one of the suite's functions."""
        self._suite_seen = True
        if self.controller is not None:
            self.controller.suite_seen = True
        expression = self._config.option.markexpr
        return wants_replays(expression) if function == REPLAY else wants_gate(expression)

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Give the suite's functions their items."""
        function = metafunc.function.__name__
        if function not in SUITE_FUNCTIONS or not {"qb_case", "qb_gate"} & set(metafunc.fixturenames):
            return
        try:
            self.run.check(executes=not self._config.option.collectonly)
            given = parameters(function, self.run)
        except BadInput as error:
            raise pytest.Collector.CollectError(f"{REFUSED}{error}") from None
        metafunc.parametrize(given.fixture, given.values, ids=given.ids, indirect=True)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Refuse an item that has killed a worker: some schedulers of xdist hand it out again and again."""
        case = case_of(item)
        if case is not None and item.nodeid in self._crashed:
            result = item.stash[RESULT] = broken_result(case, "crashed", "its process died while it ran")
            pytest.fail(explain(result), pytrace=False)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Put the result on the report, on which it travels to the controller."""
        payload = payload_of(item, call)
        if payload is not None:
            item.user_properties.extend(payload.properties)
        report = yield
        if payload is not None:
            setattr(report, payload.attribute, payload.line)
        if case_of(item) is not None:
            make_safe(report)
        return report

    @pytest.hookimpl(tryfirst=True)
    def pytest_warning_recorded(self, warning_message: warnings.WarningMessage) -> None:
        """Make a warning's text safe before xdist serializes it."""
        if has_surrogate(text := str(warning_message.message)):
            warning_message.message = UserWarning(visible_block(text))

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self) -> None:
        """Tell the controller whether the suite was here."""
        workeroutput: dict[str, Any] | None = getattr(self._config, "workeroutput", None)
        if workeroutput is not None:
            workeroutput[SEEN] = self._suite_seen

    def pytest_unconfigure(self) -> None:
        """Leave nothing at the far end of any transport."""
        leave_far_ends(self._config)

"""The entry point: options, hook specifications, fixtures, and the switch.

Everything else is registered when it is asked for: by an option, by a module that holds the suite, or by a
worker that collected one. Until then the plugin costs a start of pytest the import of this file and little more.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pytest

from pytest_quotebench.plugin import hookspecs
from pytest_quotebench.plugin.fixtures import qb_bench, qb_case, qb_execution, qb_gate, qb_sandbox, quotebench
from pytest_quotebench.plugin.options import add_options, is_asked_for

if TYPE_CHECKING:
    from pytest_quotebench.plugin.active import ActivePlugin

__all__ = ["qb_bench", "qb_case", "qb_execution", "qb_gate", "qb_sandbox", "quotebench"]

_ACTIVE_NAME = "quotebench-active"
_SUITE_MODULE = "pytest_quotebench.plugin.suite"
_MARKER = "validate: the gate: oracles pass, naive commands fail, small changes of a final state are rejected"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Register the options."""
    add_options(parser)


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    """Register the hooks that others implement."""
    pluginmanager.add_hookspecs(hookspecs)


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> int | None:
    """Write the prompts, where that was asked for, and run nothing."""
    if config.getoption("qb_prompts") is None and not config.getini("qb_prompts"):
        return None
    from pytest_quotebench.plugin.prompts import write_selected_prompts

    return write_selected_prompts(config)


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker, and wake up where an option of ours was given."""
    config.addinivalue_line("markers", _MARKER)
    if is_asked_for(config):
        activate(config).check()


@pytest.hookimpl(tryfirst=True)
def pytest_pycollect_makeitem(collector: pytest.Collector, name: str, obj: Any) -> list[pytest.Item] | None:
    """Wake up for a function of the suite; leave out those that this run does not want."""
    if not name.startswith("test") or getattr(obj, "__module__", None) != _SUITE_MODULE:
        return None
    return None if activate(collector.config).wants(obj.__name__) else []


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_node_collection_finished(node: Any, ids: Sequence[str]) -> None:
    """Wake up in the controller, which collects nothing itself, for items that look like ours."""
    if any("::test_replay[" in item or "::test_oracle[" in item for item in ids):
        controller = activate(node.config).controller
        if controller is not None:
            controller.note_collected(ids)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Say what refused to be collected where --tb=no would hide it."""
    if config.option.tbstyle == "no":
        for report in terminalreporter.getreports("error"):
            if isinstance(report, pytest.CollectReport) and str(report.longrepr).startswith("quotebench: "):
                terminalreporter.write_line(f"ERROR: {report.longrepr}", red=True)


def activate(config: pytest.Config) -> ActivePlugin:
    """Return the plugin that does the work; it and the controller's part are registered at the first call."""
    from pytest_quotebench.plugin.active import ActivePlugin

    plugin: ActivePlugin | None = config.pluginmanager.get_plugin(_ACTIVE_NAME)
    if plugin is None:
        plugin = ActivePlugin(config)
        config.pluginmanager.register(plugin, _ACTIVE_NAME)
        if plugin.controller is not None:
            config.pluginmanager.register(plugin.controller, f"{_ACTIVE_NAME}-controller")
    return plugin

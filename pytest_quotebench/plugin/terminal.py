"""What a run prints beside its items: the header and, at the end, the tables."""

from __future__ import annotations

import pytest

from pytest_quotebench.core.text import visible
from pytest_quotebench.gate import gate_lines
from pytest_quotebench.plugin.ledger import Ledger
from pytest_quotebench.plugin.run import Run
from pytest_quotebench.plugin.summary import summary_of
from pytest_quotebench.plugin.userlands import userland_lines
from pytest_quotebench.reports import Section, render


def header_lines(run: Run) -> list[str]:
    """Return what stands above the items: the sandbox, and what is replayed."""
    how = "named" if "sandbox" in run.settings.given else "the strongest that is granted here"
    lines = [f"quotebench: sandbox {run.sandbox_name} ({how})", *userland_lines(run)]
    if run.settings.ssh_host:
        host = visible(run.settings.ssh_host, 100)
        lines.append(f"quotebench: ssh and ssh-argv lead to {host}: what runs there is held by nothing")
    if not run.gate_only:
        configurations = {str(case.reply.configuration) for case in run.selection.cases}
        shown = visible(", ".join(sorted(configurations)), 200)
        lines.append(f"quotebench: {_cases(len(run.selection.cases))} of {shown}")
    return lines


def write_summary(terminal: pytest.TerminalReporter, run: Run, ledger: Ledger) -> None:
    """Print the tables of the replayed cases and the counts of the gate."""
    sections = render(summary_of(run, ledger)) if ledger.tallies else []
    if ledger.gate:
        sections.append(Section("quotebench gate", gate_lines(ledger.gate.values())))
    terminal.ensure_newline()
    tallies = ledger.tallies.values()
    sandboxes = sorted({tally.sandbox for tally in tallies if tally.sandbox})
    if sandboxes:
        userlands = sorted({tally.userland for tally in tallies if tally.userland})
        terminal.write_line(
            f"quotebench: {_cases(len(tallies))}, run in the sandbox {', '.join(sandboxes)}, "
            f"userland {', '.join(userlands)}"
        )
    for title, lines in sections:
        terminal.section(title)
        for line in lines:
            terminal.write_line(line)


def _cases(count: int) -> str:
    return f"{count} {'case' if count == 1 else 'cases'}"

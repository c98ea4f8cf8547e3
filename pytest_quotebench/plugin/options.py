"""The options: one table from which the command line, the ini keys and the help are made.

This module is imported at every start of pytest, also where the plugin is not used: it imports nothing heavy.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import pytest

from pytest_quotebench.core.limits import LIMIT_FIELDS
from pytest_quotebench.registry import variant_names

GROUP = "quotebench"


@dataclass(frozen=True)
class Option:
    """One setting: `--qb-<name>` on the command line, `qb_<name>` in an ini file."""

    name: str
    help: str
    metavar: str = "NAME"
    repeatable: bool = False
    switch: bool = False
    folder: str = ""
    """The folder whose file names are the built-in values."""

    @property
    def flag(self) -> str:
        """The command line's spelling."""
        return f"--qb-{self.name}"

    @property
    def dest(self) -> str:
        """The attribute and ini key."""
        return f"qb_{self.name.replace('-', '_')}"

    @property
    def description(self) -> str:
        """The help text, with the built-in values where a folder has them."""
        return f"{self.help}: {', '.join(variant_names(self.folder))}" if self.folder else self.help


_LIST = " (repeatable, or a comma list)"

OPTIONS = (
    Option("model", f"Configurations to replay: stored ones, oracle, naive{_LIST}", repeatable=True),
    Option("effort", f"Only these effort settings; default means none was set{_LIST}", "EFFORT", repeatable=True),
    Option("contract", f"Contracts{_LIST}; default raw, disclosed", repeatable=True, folder="contracts"),
    Option("transport", f"Transports{_LIST}; default raw and the boundary", repeatable=True, folder="transports"),
    Option(
        "transport-command",
        "A transport of one's own on this machine: NAME=LINE of shell with the reply at {} (as it is), "
        "{sq} (a shell word) or {dq} (between double quotes), else on standard input; {cwd} is the task "
        "directory, {{}} a literal {} (repeatable; becomes the boundary)",
        "NAME=LINE",
        repeatable=True,
    ),
    Option(
        "ssh-host",
        "Lead ssh and ssh-argv to this host, by this machine's own client; replies run there as that user",
        "HOST",
    ),
    Option("boundary", "The transport that is the N of RN and NN; default nested"),
    Option("trials", "Only these trials: a list or a range such as 0-2", "LIST", repeatable=True),
    Option("family", f"Only these task families{_LIST}", repeatable=True),
    Option("tier", "Only these tiers: a list or a range such as 1-3", "LIST", repeatable=True),
    Option("task", f"Only these tasks{_LIST}", "ID", repeatable=True),
    Option("replies", "File or directory of stored replies; default replies/ in the root directory", "PATH"),
    Option("sandbox", "Where commands run; auto takes the strongest that is granted; also", folder="sandboxes"),
    Option("docker", "fresh: a container for each item; default shared: one for each pytest process", "MODE"),
    Option(
        "userland",
        f"Whose programs a command finds first in PATH{_LIST}; default what the sandbox has; also",
        repeatable=True,
        folder="userlands",
    ),
    Option("timeout", "Seconds that a command may take; default 15", "SECONDS"),
    Option(
        "limit",
        f"What one command may use: {', '.join(LIMIT_FIELDS)} (repeatable; such as memory=512M)",
        "NAME=VALUE",
        repeatable=True,
    ),
    Option("strict-replies", "A reply that needs any cleanup is a contract-error", switch=True),
    Option("results", "Write one JSON object per executed case to this file (schema qb-result/1)", "FILE"),
    Option("summary", "Write the tables as JSON to this file (schema qb-summary/1)", "FILE"),
    Option("prompts", "Write every selected prompt with its digest to this file, and run nothing", "FILE"),
)


def add_options(parser: pytest.Parser) -> None:
    """Register every option; defaults are None, so that "not given" stays visible."""
    group = parser.getgroup(GROUP, "QuoteBench: does a command survive its path to the shell?")
    for option in OPTIONS:
        if option.switch:
            group.addoption(
                option.flag, dest=option.dest, action="store_true", default=None, help=option.description
            )
        else:
            action = "append" if option.repeatable else "store"
            group.addoption(
                option.flag,
                dest=option.dest,
                action=action,
                default=None,
                metavar=option.metavar,
                help=option.description.replace("%", "%%"),
            )
        kind: Literal["linelist", "bool", "string"] = (
            "linelist" if option.repeatable else "bool" if option.switch else "string"
        )
        parser.addini(option.dest, f"The same as {option.flag}", type=kind, default=None)


def is_asked_for(config: pytest.Config) -> bool:
    """Tell whether any option of ours stands on the command line."""
    return any(config.getoption(option.dest) is not None for option in OPTIONS)

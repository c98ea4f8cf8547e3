"""`quotebench paths`: what every command path that is available here does to commands."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import quotebench_tasks
from pytest_quotebench.core.errors import BadInput
from pytest_quotebench.core.limits import Limits
from pytest_quotebench.core.reply import Reply
from pytest_quotebench.core.task import tasks_by_id
from pytest_quotebench.core.text import visible
from pytest_quotebench.paths.matrix import lines, to_json
from pytest_quotebench.paths.measuring import RAW, Report, measure_paths
from pytest_quotebench.paths.template import TemplatePath, parse
from pytest_quotebench.registry import Registry, built_in
from pytest_quotebench.replay import Bench
from pytest_quotebench.sandbox_choice import AUTO, choose_host_sandbox, choose_sandbox
from pytest_quotebench.store.atomic import replace_file
from pytest_quotebench.store.replies import read_replies
from pytest_quotebench.transports import HostTransport

_DEADLINE_S = 10.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    parser.add_argument(
        "--path", action="append", metavar="NAMES", help="only these transports: a list, repeatable"
    )
    parser.add_argument(
        "--transport-command",
        action="append",
        default=[],
        metavar="NAME=LINE",
        help="a path of one's own, as in pytest",
    )
    parser.add_argument(
        "--replies", type=Path, metavar="PATH", help="stored replies to replay: a file or directory"
    )
    parser.add_argument("--sandbox", default=AUTO, help="where it runs (default: the strongest granted here)")
    parser.add_argument("--timeout", type=float, default=_DEADLINE_S, metavar="SECONDS", help="for one command")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the report as JSON too (qb-paths/1)")


def run(options: argparse.Namespace) -> Iterator[str]:
    """Measure the paths and return the report's lines.

    The probes and the oracles are harmless. Stored replies, named with --replies, run only in a sandbox that
    holds, or where --sandbox=local is named. Raises BadInput.
    """
    transports = _transports(options.transport_command)
    names = _names(options.path, transports) if options.path else list(transports)
    replies = _replies(options.replies) if options.replies else []
    report = _measured(options, transports, names, replies)
    if options.json:
        replace_file(options.json, (json.dumps(to_json(report), indent=1) + "\n").encode())
    return lines(report)


def _transports(commands: Sequence[str]) -> Registry[Any]:
    loaders: dict[str, Callable[[], Any]] = built_in("transports", "TRANSPORT")
    for text in commands:
        name, line = parse(text, "--transport-command", loaders)
        loaders[name] = partial(TemplatePath, line)
    return Registry("transport", loaders)


def _names(given: Sequence[str], transports: Registry[Any]) -> list[str]:
    names = [name for text in given for part in text.split(",") if (name := part.strip())]
    for name in names:
        transports.require(name, "--path")
    return names


def _replies(path: Path) -> list[Reply]:
    store = read_replies(path, tasks_by_id(quotebench_tasks.load_tasks()))
    for problem in store.problems:
        print(f"quotebench: {problem.origin}: {problem.message}", file=sys.stderr)  # noqa: T201 -- to a person
    found = [reply for reply in store.replies if reply.contract == RAW]
    if not found:
        raise BadInput(f"no reply under the raw contract in {visible(str(path))} (from --replies)")
    return found


def _measured(
    options: argparse.Namespace, transports: Registry[Any], names: Sequence[str], replies: Sequence[Reply]
) -> Report:
    contracts: Registry[Any] = Registry("contract", built_in("contracts", "CONTRACT"))
    sandboxes: Registry[Any] = Registry("sandbox", built_in("sandboxes", ""))
    chosen = _sandbox(options, transports, names, sandboxes, harmless=not replies)
    with closing(transports), sandboxes[chosen].open_sandbox() as sandbox:
        bench = Bench(
            contracts=contracts, transports=transports, sandbox=sandbox, limits=Limits(wall_s=options.timeout)
        )
        return measure_paths(names, bench, quotebench_tasks.load_tasks(), replies, _progress)


def _sandbox(
    options: argparse.Namespace,
    transports: Registry[Any],
    names: Sequence[str],
    sandboxes: Registry[Any],
    *,
    harmless: bool,
) -> str:
    on_host = [name for name in names if isinstance(transports[name], HostTransport)]
    if on_host:
        return choose_host_sandbox(options.sandbox, "--sandbox", on_host, harmless=harmless, flag="--sandbox")
    return choose_sandbox(options.sandbox, "--sandbox", sandboxes, harmless=harmless, flag="--sandbox")


def _progress(text: str) -> None:
    if sys.stderr.isatty():
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)  # noqa: T201 -- to a person

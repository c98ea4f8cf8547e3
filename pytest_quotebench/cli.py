"""The command `quotebench`: one case by hand, the tasks, and what stands behind one of them."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from difflib import get_close_matches
from importlib.metadata import version
from typing import Any

import quotebench_tasks
from pytest_quotebench.contracts import ALIASES
from pytest_quotebench.core.case import Case
from pytest_quotebench.core.errors import BadInput, QuoteBenchError
from pytest_quotebench.core.limits import Limits, parse_seconds
from pytest_quotebench.core.reply import Configuration, Reply
from pytest_quotebench.core.result import Result
from pytest_quotebench.core.task import Task, prompt_digest, tasks_by_id
from pytest_quotebench.core.text import to_text, visible
from pytest_quotebench.core.tree import Change, Directory, Entry, File, Special, Symlink
from pytest_quotebench.core.verdict import VerdictClass
from pytest_quotebench.explain import explain, layer_lines
from pytest_quotebench.paths import command as paths
from pytest_quotebench.registry import Registry, built_in, variant_summaries
from pytest_quotebench.replay import Bench, conclude, replay
from pytest_quotebench.sandbox_choice import AUTO, choose_sandbox
from pytest_quotebench.sandboxes import Sandbox
from pytest_quotebench.userland_choice import InUserland, find_userland

EXIT_PASS, EXIT_FAIL, EXIT_USAGE, EXIT_BROKEN = range(4)


class Variants:
    """The built-in variants by name."""

    def __init__(self) -> None:
        """Find them by their file names; each is loaded at its first use."""
        self.contracts: Registry[Any] = Registry("contract", built_in("contracts", "CONTRACT"))
        self.transports: Registry[Any] = Registry("transport", built_in("transports", "TRANSPORT"))
        self.sandboxes: Registry[Any] = Registry("sandbox", built_in("sandboxes", ""))
        self.userlands: Registry[Any] = Registry("userland", built_in("userlands", "USERLAND"))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command. Returns 0 for a pass, 1 for a failing verdict, 2 for bad input, 3 for a broken harness."""
    if sys.stdout is not None:
        sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    options = _parser().parse_args(arguments)
    try:
        status: int = options.run(options)
    except BadInput as error:
        print(f"quotebench: {error}", file=sys.stderr)
        return EXIT_USAGE
    except (QuoteBenchError, OSError) as error:
        print(f"quotebench: {error}", file=sys.stderr)
        return EXIT_BROKEN
    return status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="quotebench", description=__doc__)
    parser.add_argument("--version", action="version", version=f"quotebench {version('pytest-quotebench')}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    trying = commands.add_parser("try", help="run one case by hand", description=_try.__doc__)
    trying.add_argument("task", metavar="TASK", help="a task's id, such as write-file-t3")
    trying.add_argument("reply", metavar="COMMAND", help="the reply, to the letter; - reads standard input")
    trying.add_argument("--contract", default="raw", help="how the reply is read (default: raw)")
    trying.add_argument("--transport", help="the path it takes (default: the one that the contract speaks of)")
    trying.add_argument("--sandbox", default=AUTO, help="where it runs (default: the strongest granted here)")
    trying.add_argument("--userland", help="whose programs it finds (default: those of the sandbox)")
    trying.add_argument("--timeout", default=str(Limits().wall_s), metavar="SECONDS")
    trying.set_defaults(run=_try)
    listing = commands.add_parser("tasks", help="list the tasks", description=_tasks.__doc__)
    listing.set_defaults(run=_tasks)
    variants = commands.add_parser(
        "variants", help="list what the options can name", description=_variants.__doc__
    )
    variants.set_defaults(run=_variants)
    measuring = commands.add_parser(
        "paths", help="show what every command path does to commands", description=_paths.__doc__
    )
    paths.add_arguments(measuring)
    measuring.set_defaults(run=_paths)
    showing = commands.add_parser("show", help="show one task", description=_show.__doc__)
    showing.add_argument("task", metavar="TASK")
    showing.set_defaults(run=_show)
    return parser


def _try(options: argparse.Namespace) -> int:
    """Run one reply on one task, and show the layers, the verdict and what changed in the directory."""
    task = _task(options.task)
    variants = Variants()
    contract = ALIASES.get(options.contract, options.contract)
    variants.contracts.require(contract, "--contract")
    transport = options.transport or variants.contracts[contract].matched_transport
    variants.transports.require(transport, "--transport")
    sandbox_name = choose_sandbox(
        options.sandbox, "--sandbox", variants.sandboxes, harmless=False, flag="--sandbox"
    )
    case = _case(task, contract, transport, _reply_text(options.reply))
    limits = _limits(options.timeout)
    with closing(variants.transports), variants.sandboxes[sandbox_name].open_sandbox() as sandbox:
        bench = Bench(
            contracts=variants.contracts,
            transports=variants.transports,
            sandbox=_in_userland(options.userland, sandbox, variants),
            limits=limits,
        )
        result = conclude(replay(case, bench))
    _print(_result_lines(result))
    if result.verdict.kind is VerdictClass.BROKEN:
        return EXIT_BROKEN
    return EXIT_PASS if result.verdict.passed else EXIT_FAIL


def _in_userland(name: str | None, sandbox: Sandbox, variants: Variants) -> Sandbox:
    if name is None:
        return sandbox
    variants.userlands.require(name, "--userland")
    return InUserland(sandbox, find_userland(name, "--userland", variants.userlands[name], sandbox))


def _tasks(_options: argparse.Namespace) -> int:
    """List every task: its id and hazards."""
    tasks = quotebench_tasks.load_tasks()
    width = max(len(task.id) for task in tasks)
    _print(f"{task.id:<{width}}  {', '.join(task.hazards)}" for task in tasks)
    return EXIT_PASS


def _variants(_options: argparse.Namespace) -> int:
    """List the built-in contracts, transports, sandboxes, userlands, models and reports, each with what it is."""
    for folder in ("contracts", "transports", "sandboxes", "userlands", "models", "reports"):
        summaries = variant_summaries(folder)
        width = max(map(len, summaries))
        _print([folder, *(f"  {name:<{width}}  {text}" for name, text in summaries.items()), ""])
    return EXIT_PASS


def _paths(options: argparse.Namespace) -> int:
    """Show what every command path here does to each class of hazard, to oracles and to stored replies."""
    _print(paths.run(options))
    return EXIT_PASS


def _show(options: argparse.Namespace) -> int:
    """Show a task's instruction and fixture, and under each contract its prompt, oracle and naive reply."""
    task = _task(options.task)
    _print(_task_lines(task))
    variants = Variants()
    for name in variants.contracts:
        _print(_contract_lines(task, name, variants))
    return EXIT_PASS


def _task(name: str) -> Task:
    known = tasks_by_id(quotebench_tasks.load_tasks())
    if name not in known:
        near = get_close_matches(name, known, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise BadInput(f"unknown task {name!r}.{hint} `quotebench tasks` lists them.")
    return known[name]


def _reply_text(argument: str) -> str:
    """Return the reply to the letter: an argument's own bytes, whatever the locale, or standard input's."""
    if argument != "-":
        return to_text(os.fsencode(argument))
    if sys.stdin is None:
        raise BadInput("standard input is closed. Give the command as an argument.")
    return to_text(sys.stdin.buffer.read())


def _limits(seconds: str) -> Limits:
    try:
        return Limits(wall_s=parse_seconds(seconds))
    except ValueError as error:
        raise BadInput(f"bad value {seconds!r} (from --timeout). Allowed: {error}.") from None


def _case(task: Task, contract: str, transport: str, text: str) -> Case:
    reply = Reply(task=task.id, configuration=Configuration("by-hand"), contract=contract, trial=0, text=text)
    return Case(task=task, reply=reply, transport=transport)


def _result_lines(result: Result) -> Iterator[str]:
    case = result.case
    yield f"task {case.task.id}, contract {case.reply.contract}, transport {case.transport}, in {result.sandbox}"
    if result.cleanup:
        yield f"cleanup: {', '.join(result.cleanup)}"
    if result.verdict.passed:
        yield "pass"
        yield from layer_lines(result.layers, limit=4000)
    else:
        yield explain(result, verbosity=1)
    if result.execution is not None:
        changes = case.task.fixture.tree.changes_to(result.execution.tree)
        yield "changed in the directory:" if changes else "nothing changed in the directory"
        yield from map(_change_line, changes)


def _change_line(change: Change) -> str:
    sign = "+" if change.before is None else "-" if change.after is None else "~"
    shown = change.before if change.after is None else change.after
    return f"  {sign} {visible(change.path, 200)}  {_entry_text(shown)}"


def _entry_text(entry: Entry | None) -> str:
    match entry:
        case File(data, mode):
            return f"{len(data)} bytes, mode {mode:04o}: {visible(data, 200)}"
        case Symlink(target):
            return f"symbolic link to {visible(target, 200)}"
        case Directory(mode):
            return f"directory, mode {mode:04o}"
        case Special(kind):
            return kind
        case None:
            return ""


def _task_lines(task: Task) -> Iterator[str]:
    yield f"{task.id} (published as {task.published_id}), hazards: {', '.join(task.hazards)}"
    yield ""
    yield task.instruction
    yield ""
    yield "fixture:" if task.fixture.tree else "fixture: an empty directory"
    for path, entry in task.fixture.tree.items():
        yield f"  {visible(path)}  {_entry_text(entry)}"
    yield f"allowed new files: {', '.join(map(visible, task.allowed_new_files)) or 'none'}"


def _contract_lines(task: Task, name: str, variants: Variants) -> Iterator[str]:
    contract = variants.contracts[name]
    transport = variants.transports[contract.matched_transport]
    yield ""
    yield f"── contract {name}, matched transport {contract.matched_transport} ──"
    yield f"prompt {prompt_digest(contract.system, task.instruction)}:"
    yield from (f"  {line}" for line in contract.system.split("\n"))
    for label, command in (("oracle", task.oracle), ("naive", task.naive)):
        yield f"{label}:"
        yield from (f"  {line}" for line in contract.encode(transport.matched(command)).split("\n"))


def _print(lines: Iterable[str]) -> None:
    """Print until nobody listens any more: the exit status says the verdict also into a closed pipe."""
    try:
        for line in lines:
            print(line)
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    sys.exit(main())

"""A whole `pytest` process against a plain loop: `python benchmarks/whole_run.py [--runs N] [--sandbox NAME ...]`.

224 replays of one stored configuration (56 tasks, contracts raw and disclosed, transports raw and nested), each
contestant in a process of its own, in turn, start-up and all:

    SANDBOX   `pytest --pyargs quotebench_tasks --qb-sandbox=SANDBOX`, namespace and local where none is named
    loop      `by_hand.py`: a temporary directory, `subprocess.run`, its removal; nothing is checked
    git loop  the same, with the four git fixtures made by git, as one does without the plugin

Target: `namespace` takes at most 1.5 times as long as the loop, by the medians of the rounds' ratios.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from timing import Cost, Spread, cached_bytecode, cost_of, heading, machine
from workload import CONFIGURATION, plain_cases, read_replies, write_replies

HERE = Path(__file__).resolve().parent
LOOP, GIT_LOOP = "loop", "git loop"
TARGET = 1.5
FAILED = (0, 1)
"""pytest's exit statuses of a run that ran: a good half of the replies pass."""


def main() -> None:
    """Run the benchmark and print its table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--runs", type=int, default=7, help="rounds; default 7")
    parser.add_argument("--sandbox", action="append", help="this one (repeatable); default namespace and local")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the measurements to this file")
    options = parser.parse_args()
    with TemporaryDirectory(prefix="qb-benchmark-") as directory:
        report = measure(Path(directory), options.sandbox or ["namespace", "local"], options.runs)
    print("\n".join(_lines(report)))
    if options.json:
        options.json.write_text(json.dumps(report, indent=2) + "\n", encoding="ascii")


def measure(directory: Path, sandboxes: list[str], runs: int) -> dict[str, Any]:
    """Return the seconds of every contestant, and its ratio to each loop of the same round."""
    contestants = _prepare(directory, sandboxes)
    before = machine()
    for run in contestants.values():  # compiles what is not compiled yet
        run()
    rounds = []
    for number in range(runs):
        names = list(contestants)
        order = names[number % len(names) :] + names[: number % len(names)]
        rounds.append({name: contestants[name]().wall_s for name in order})
        print(f"round {number + 1} of {runs} done", file=sys.stderr)
    return {
        "machine": {**before, "load_after": machine()["load"]},
        "runs": runs,
        "whole_s": {name: Spread.of(each[name] for each in rounds)._asdict() for name in contestants},
        "ratio": {
            name: {
                loop: Spread.of(each[name] / each[loop] for each in rounds)._asdict() for loop in (LOOP, GIT_LOOP)
            }
            for name in contestants
        },
    }


def _prepare(directory: Path, sandboxes: list[str]) -> dict[str, Callable[[], Cost]]:
    records = read_replies()
    (directory / "pytest.ini").write_text("[pytest]\n")
    write_replies(directory / "replies.jsonl", records, 1)
    for name, git_init in ((LOOP, False), (GIT_LOOP, True)):
        cases = json.dumps(plain_cases(records, git_init=git_init))
        (directory / f"{name}.json").write_text(cases, encoding="ascii")
    return {
        **{name: partial(_pytest, directory, name) for name in sandboxes},
        **{name: partial(_loop, directory, name) for name in (LOOP, GIT_LOOP)},
    }


def _pytest(directory: Path, sandbox: str) -> Cost:
    arguments = [
        "-m", "pytest", "-q", "--tb=no", "-rN", "--pyargs", "quotebench_tasks", "--qb-replies=replies.jsonl",
        f"--qb-model={CONFIGURATION}", f"--qb-sandbox={sandbox}",
    ]  # fmt: skip
    cost = cost_of(arguments, directory, FAILED, cached_bytecode(directory))
    assert "224" in cost.output or "passed" in cost.output, cost.output
    return cost


def _loop(directory: Path, name: str) -> Cost:
    return cost_of([str(HERE / "by_hand.py"), f"{name}.json"], directory, variables=cached_bytecode(directory))


def _lines(report: dict[str, Any]) -> Iterator[str]:
    yield from heading(report["machine"], f"whole processes, medians of {report['runs']} rounds")
    yield f"{'':<12}{'seconds':<28}{'times the loop':<28}times the git loop"
    for name, whole in report["whole_s"].items():
        ratios = (f"{Spread(**report['ratio'][name][loop])!s:<28}" for loop in (LOOP, GIT_LOOP))
        yield f"{name:<12}{Spread(**whole)!s:<28}{''.join(ratios)}".rstrip()
    if "namespace" in report["ratio"]:
        found = report["ratio"]["namespace"][LOOP]["median"]
        verdict = "met" if found <= TARGET else "MISSED"
        yield f"\ntarget: namespace at most {TARGET:g} times the loop: {found:.2f}, {verdict}"


if __name__ == "__main__":
    main()

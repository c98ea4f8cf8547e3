"""What the plugin costs beside the commands themselves: `python benchmarks/replay.py [--runs N] [--json FILE]`.

224 replays of one stored configuration (56 tasks, contracts raw and disclosed, transports raw and nested, sandbox
local), each contestant in a process of its own, in turn, so many rounds:

    plugin     `pytest --pyargs quotebench_tasks`; and the same replies as 20 trials: 4,480 items
    plain      one plain pytest function that does the work by hand and checks the final state (`plain_test.py`)
    loop       no pytest: make the fixture, run the same argv, remove the directory; checks nothing (`by_hand.py`)

`git init` behind a name: a git fixture (4 of 56 tasks) is made by git, as one does without the plugin. Otherwise
its files are laid out like any others, which is what the plugin does, and the harder comparison.

Per item is (wall time of the process - start-up) / items. Start-up is the same process with nothing to run,
measured in the same round; it is in the table and nothing else is taken off: collecting the items, opening the
sandbox and asking for the tools' versions count as the items' own. Differences are taken within a round; then
medians. On a machine that does other things too, "lowest" (the difference of the lowest values) is steadier.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from timing import Cost, Spread, cached_bytecode, cost_of, heading, machine
from workload import CONFIGURATION, plain_cases, read_replies, write_replies

HERE = Path(__file__).resolve().parent
TRIALS = 20
FAILED = (0, 1)
"""pytest's exit statuses of a run that ran: a good half of the replies pass."""
NOTHING_RAN = (0, 5)


@dataclass(frozen=True)
class Contestant:
    """One way to do the work: its process with everything to run, and with nothing."""

    name: str
    items: int
    full: partial[Cost]
    empty: str
    """The name of its start-up."""


MANY = "plugin, 4,480 items"
MANY_ROUNDS = 5
"""The long contestant takes part in so many rounds only."""


class Sample(NamedTuple):
    """One contestant in one round, in milliseconds per item but for the whole process."""

    whole_s: float
    wall_ms: float
    cpu_ms: float


class Comparison(NamedTuple):
    """A difference with its limit."""

    text: str
    left: str
    right: str
    target_ms: float


TARGETS = (
    Comparison("plugin above the plain test", "plugin", "plain", 1.0),
    Comparison("plugin above the plain test, git init", "plugin", "plain, git init", 1.0),
    Comparison("plugin above the bare loop", "plugin", "loop", 4.0),
    Comparison("plugin above the bare loop, git init", "plugin", "loop, git init", 4.0),
    Comparison("plugin, 4,480 items above 224", MANY, "plugin", 0.5),
)
"""The last one is what "flat" means here: the time per item grows by less than half a millisecond."""


def main() -> None:
    """Run the benchmark and print its tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--runs", type=int, default=11, help="rounds; default 11, least 5")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the measurements to this file")
    options = parser.parse_args()
    with TemporaryDirectory(prefix="qb-benchmark-") as directory:
        report = _measure(Path(directory), max(5, options.runs))
    print("\n".join(_lines(report)))
    if options.json:
        options.json.write_text(json.dumps(report, indent=2) + "\n", encoding="ascii")


def _measure(directory: Path, runs: int) -> dict[str, Any]:
    contestants, empty = _prepare(directory)
    before = machine()
    for start in empty.values():  # compiles what is not compiled yet
        start()
    rounds: list[dict[str, Sample]] = []
    startups: list[dict[str, float]] = []
    for number in range(runs):
        idle = {name: start() for name, start in empty.items()}
        startups.append({name: cost.wall_s for name, cost in idle.items()})
        order = contestants[number % len(contestants) :] + contestants[: number % len(contestants)]
        present = [one for one in order if one.name != MANY or number < MANY_ROUNDS]
        rounds.append({one.name: _sample(one, idle[one.empty]) for one in present})
        print(f"round {number + 1} of {runs} done", file=sys.stderr)
    return {
        "machine": {**before, "load_after": machine()["load"]},
        "runs": runs,
        "startup_s": {name: Spread.of(each[name] for each in startups) for name in empty},
        "contestants": {one.name: _figures(one, rounds) for one in contestants},
        "comparisons": [_compare(comparison, rounds) for comparison in TARGETS],
    }


def _prepare(directory: Path) -> tuple[list[Contestant], dict[str, partial[Cost]]]:
    records = read_replies()
    (directory / "pytest.ini").write_text("[pytest]\n")
    write_replies(directory / "once.jsonl", records, 1)
    write_replies(directory / "often.jsonl", records, TRIALS)
    files = {
        "static": plain_cases(records, git_init=False),
        "init": plain_cases(records, git_init=True),
        "none": [],
    }
    for name, cases in files.items():
        (directory / f"{name}.json").write_text(json.dumps(cases), encoding="ascii")
    count = len(files["static"])
    plugin, plain, loop = (partial(way, directory) for way in (_plugin, _plain, _loop))
    contestants = [
        Contestant("plugin", count, partial(plugin, "once"), "plugin"),
        Contestant(MANY, count * TRIALS, partial(plugin, "often"), "plugin"),
        Contestant("plain", count, partial(plain, "static"), "plain"),
        Contestant("plain, git init", count, partial(plain, "init"), "plain"),
        Contestant("loop", count, partial(loop, "static"), "loop"),
        Contestant("loop, git init", count, partial(loop, "init"), "loop"),
    ]
    empty = {
        "plugin": partial(plugin, "once", nothing=True),
        "plain": partial(plain, "none"),
        "loop": partial(loop, "none"),
    }
    return contestants, empty


def _plugin(directory: Path, replies: str, *, nothing: bool = False) -> Cost:
    one = (
        ["--qb-task=write-file-t0", "--qb-contract=raw", "--qb-transport=raw", "-k", "nothing"] if nothing else []
    )
    arguments = [
        "-m", "pytest", "-q", "--tb=no", "-rN", "--pyargs", "quotebench_tasks", f"--qb-replies={replies}.jsonl",
        f"--qb-model={CONFIGURATION}", "--qb-sandbox=local", *one,
    ]  # fmt: skip
    return cost_of(arguments, directory, NOTHING_RAN if nothing else FAILED, cached_bytecode(directory))


def _plain(directory: Path, cases: str) -> Cost:
    arguments = ["-m", "pytest", "-q", "--tb=no", "-rN", "-p", "no:quotebench", str(HERE / "plain_test.py")]
    return cost_of(
        [*arguments, "-c", "pytest.ini", "--rootdir=."],
        directory,
        FAILED,
        {"QB_CASES": f"{cases}.json", **cached_bytecode(directory)},
    )


def _loop(directory: Path, cases: str) -> Cost:
    return cost_of([str(HERE / "by_hand.py"), f"{cases}.json"], directory, variables=cached_bytecode(directory))


def _sample(contestant: Contestant, idle: Cost) -> Sample:
    cost, items = contestant.full(), contestant.items
    return Sample(
        cost.wall_s, 1000 * (cost.wall_s - idle.wall_s) / items, 1000 * (cost.cpu_s - idle.cpu_s) / items
    )


def _figures(contestant: Contestant, rounds: list[dict[str, Sample]]) -> dict[str, Any]:
    samples = [each[contestant.name] for each in rounds if contestant.name in each]
    return {
        "items": contestant.items,
        "rounds": len(samples),
        "whole_s": Spread.of(sample.whole_s for sample in samples),
        "wall_ms_per_item": Spread.of(sample.wall_ms for sample in samples),
        "cpu_ms_per_item": Spread.of(sample.cpu_ms for sample in samples),
    }


def _compare(comparison: Comparison, rounds: list[dict[str, Sample]]) -> dict[str, Any]:
    left_name, right_name = comparison.left, comparison.right
    pairs = [(each[left_name], each[right_name]) for each in rounds if left_name in each]
    difference = Spread.of(left.wall_ms - right.wall_ms for left, right in pairs)
    return {
        "what": comparison.text,
        "wall_ms_per_item": difference,
        "cpu_ms_per_item": Spread.of(left.cpu_ms - right.cpu_ms for left, right in pairs),
        "ratio": Spread.of(left.wall_ms / right.wall_ms for left, right in pairs),
        "lowest_ms": min(left.wall_ms for left, _ in pairs) - min(right.wall_ms for _, right in pairs),
        "target_ms": comparison.target_ms,
        "met": difference.median <= comparison.target_ms,
    }


def _lines(report: dict[str, Any]) -> Iterator[str]:
    yield from heading(
        report["machine"], f"medians of {report['runs']} rounds, of 5 for {MANY.partition(', ')[2]}"
    )
    yield f"{'start-up':<40}wall, s"
    for name, spread in report["startup_s"].items():
        yield f"  {name:<38}{spread}"
    yield f"\n{'per item':<40}{'wall, ms':<28}{'CPU, ms':<28}whole process, s"
    for name, row in report["contestants"].items():
        yield f"  {name:<38}{_columns(row, 'wall_ms_per_item', 'cpu_ms_per_item', 'whole_s')}"
    yield f"\n{'difference per item':<40}{'wall, ms':<28}{'CPU, ms':<28}{'ratio of wall':<28}lowest    target"
    for row in report["comparisons"]:
        figures = _columns(row, "wall_ms_per_item", "cpu_ms_per_item", "ratio")
        verdict = "met" if row["met"] else "MISSED"
        yield f"  {row['what']:<38}{figures}{row['lowest_ms']:6.2f}    {row['target_ms']:g} ms: {verdict}"


def _columns(row: dict[str, Any], *names: str) -> str:
    return "".join(f"{row[name]!s:<28}" for name in names)


if __name__ == "__main__":
    main()

"""What a sandbox costs: `python benchmarks/sandboxes.py [--rounds N] [--json FILE]`.

One item in each sandbox that this machine grants, against a bare `subprocess.run(["bash", "-c", ...])` and against
the same with what an item needs besides (a temporary directory, a file in it, its removal), interleaved, medians.
Targets: `namespace` at most 2.0 times a spawn that does the same work (`by hand`), `docker` at most 2.5 times; the
first item of a sandbox, its start included, within 200 ms.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from timing import Spread, heading, machine

from pytest_quotebench.core.execution import Invocation
from pytest_quotebench.core.limits import Limits
from pytest_quotebench.core.tree import FileTree
from pytest_quotebench.registry import Registry, built_in
from pytest_quotebench.sandboxes import Provider, Sandbox

COMMAND = "echo hi > f; cat f in.txt"
FIXTURE = FileTree.of({"in.txt": "fixture\n"})
BARE, BY_HAND = "bare spawn", "by hand"


def main() -> None:
    """Run the benchmark and print its table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=100, help="items of each; default 100")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the measurements to this file")
    options = parser.parse_args()
    report = measure(options.rounds)
    print("\n".join(_lines(report)))
    if options.json:
        options.json.write_text(json.dumps(report, indent=2) + "\n", encoding="ascii")


def measure(rounds: int) -> dict[str, Any]:
    """Return the milliseconds of every contestant, interleaved, and of each sandbox's first item."""
    providers: Registry[Provider] = Registry("sandbox", built_in("sandboxes", ""))
    refused = {name: reason for name in providers if (reason := providers[name].refusal()) is not None}
    before = machine()
    with ExitStack() as opened:
        contestants: dict[str, Callable[[], float]] = {BARE: _bare, BY_HAND: _by_hand}
        first = {}
        for name in providers.keys() - refused.keys():
            started = time.perf_counter()
            contestants[name] = _item(opened.enter_context(providers[name].open_sandbox()))
            contestants[name]()
            first[name] = 1000 * (time.perf_counter() - started)
        times: dict[str, list[float]] = {name: [] for name in contestants}
        for _ in range(rounds):
            for name, run in contestants.items():
                times[name].append(1000 * run())
    return {
        "machine": {**before, "load_after": machine()["load"]},
        "rounds": rounds,
        "first_item_ms": first,
        "item_ms": {name: Spread.of(values)._asdict() for name, values in times.items()},
        "refused": refused,
    }


def _item(sandbox: Sandbox) -> Callable[[], float]:
    invocation = Invocation(argv=(b"bash", b"-c", COMMAND.encode()))

    def run() -> float:
        started = time.perf_counter()
        execution = sandbox.run(FIXTURE, invocation, Limits())
        assert execution.stdout == b"hi\nfixture\n", execution
        return time.perf_counter() - started

    return run


def _bare() -> float:
    """The spawn alone: its directory is made before and removed after."""
    with TemporaryDirectory() as directory:
        (Path(directory) / "in.txt").write_text("fixture\n", encoding="ascii")
        started = time.perf_counter()
        _spawn(directory)
        return time.perf_counter() - started


def _by_hand() -> float:
    """The spawn, and what an item needs besides: the directory, what it holds afterwards, its removal."""
    started = time.perf_counter()
    with TemporaryDirectory() as directory:
        (Path(directory) / "in.txt").write_text("fixture\n", encoding="ascii")
        _spawn(directory)
        assert {path.name: path.read_bytes() for path in Path(directory).iterdir()}["f"] == b"hi\n"
    return time.perf_counter() - started


def _spawn(directory: str) -> None:
    command = ["bash", "-c", COMMAND]
    subprocess.run(command, cwd=directory, capture_output=True, check=True, start_new_session=True, timeout=15)


def _lines(report: dict[str, Any]) -> Iterator[str]:
    yield from heading(report["machine"], "milliseconds per item")
    bare, by_hand = (report["item_ms"][name]["median"] for name in (BARE, BY_HAND))
    for name, item in sorted(report["item_ms"].items(), key=lambda pair: float(pair[1]["median"])):
        first = f"  first item {report['first_item_ms'][name]:6.0f} ms" if name in report["first_item_ms"] else ""
        ratios = f"{item['median'] / bare:6.2f} x bare  {item['median'] / by_hand:6.2f} x by hand"
        yield f"{name:<12} {Spread(**item)}  {ratios}{first}"
    for name, reason in report["refused"].items():
        yield f"{name:<12} refused: {reason}"


if __name__ == "__main__":
    main()

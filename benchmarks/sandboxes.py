"""What a sandbox costs: `python benchmarks/sandboxes.py [--rounds N] [--json FILE]`.

One item in each sandbox that this machine grants, against a bare `subprocess.run(["bash", "-c", ...])` and against
the same with what an item needs besides (a temporary directory, a file in it, its removal), interleaved, medians.
Beside them, in fewer rounds: `docker` with a fresh container for each item, and the `docker run` command.
Targets: `namespace` at most 2.0 times a spawn that does the same work (`by hand`), `docker` at most 2.5 times; the
first item of a sandbox, its start included, within 200 ms. The last one cannot be met by `docker` where the engine
itself takes as long to start a container: what `docker run` takes is in the table.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
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
FRESH, DOCKER_RUN = "docker, fresh", "docker run"
SLOW_ROUNDS = 10
"""Rounds in which those take part that need a third of a second."""
TARGETS = {"namespace": 2.0, "docker": 2.5}
"""Times `by hand`."""
FIRST_MS = 200.0


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
        contestants |= _slow(opened) if "docker" in contestants else {}
        times: dict[str, list[float]] = {name: [] for name in contestants}
        for number in range(rounds):
            for name, run in contestants.items():
                if number < SLOW_ROUNDS or name not in (FRESH, DOCKER_RUN):
                    times[name].append(1000 * run())
    return {
        "machine": {**before, "load_after": machine()["load"]},
        "rounds": rounds,
        "first_item_ms": first,
        "item_ms": {name: Spread.of(values)._asdict() for name, values in times.items()},
        "refused": refused,
    }


def _slow(opened: ExitStack) -> dict[str, Callable[[], float]]:
    """Return the ways that start a container for each item: ours, and docker's own program where it is there."""
    from pytest_quotebench.sandboxes import docker

    fresh = opened.enter_context(docker.open_sandbox("fresh"))
    program = shutil.which("docker")
    found = {FRESH: _item(fresh)}
    if program is not None:
        found[DOCKER_RUN] = partial(_docker_run, program, fresh.versions["image"])
    return found


def _docker_run(program: str, image: str) -> float:
    with TemporaryDirectory() as directory:
        (Path(directory) / "in.txt").write_text("fixture\n", encoding="ascii")
        user = f"--user={os.getuid()}:{os.getgid()}"
        place = (f"--volume={directory}:/task", "--workdir=/task")
        started = time.perf_counter()
        command = [
            program,
            "run",
            "--rm",
            "--network=none",
            user,
            *place,
            "--entrypoint=bash",
            image,
            "-c",
            COMMAND,
        ]
        ended = subprocess.run(command, capture_output=True, check=True, timeout=60)
        assert ended.stdout == b"hi\nfixture\n", ended
        return time.perf_counter() - started


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
        yield f"{name:<13} {Spread(**item)}  {ratios}{first}"
    for name, reason in report["refused"].items():
        yield f"{name:<13} refused: {reason}"
    yield ""
    for name, target in TARGETS.items():
        if name in report["item_ms"]:
            ratio = report["item_ms"][name]["median"] / by_hand
            yield f"{name} at most {target:g} x by hand: {ratio:.2f}, {_verdict(is_met=ratio <= target)}"
    for name, first_ms in report["first_item_ms"].items():
        said = f"first item of {name} within {FIRST_MS:g} ms: {first_ms:.0f}"
        yield f"{said}, {_verdict(is_met=first_ms <= FIRST_MS)}"


def _verdict(*, is_met: bool) -> str:
    return "met" if is_met else "MISSED"


if __name__ == "__main__":
    main()

"""What a command path costs: `python benchmarks/transports.py [--rounds N] [--sandbox NAME] [--json FILE]`.

One item along each transport that the sandbox holds, interleaved with the raw one; medians, and what each is above
raw. A session is given the command as it is, every other path its matched form. Targets per item, connection
included: sessions on pipes at most 5 ms above raw, those on a terminal or in tmux 60 ms, ssh 90 ms, docker-exec
150 ms.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from timing import Spread, heading, machine

from pytest_quotebench.core.errors import Broken, TransportError
from pytest_quotebench.core.tree import File, FileTree
from pytest_quotebench.lossless.carrying import same_contents
from pytest_quotebench.registry import Registry, built_in
from pytest_quotebench.replay import Bench, carry
from pytest_quotebench.sandboxes import Provider, Sandbox
from pytest_quotebench.transports import SessionTransport, Transport

COMMAND = "echo hi > f; cat f in.txt"
FIXTURE = FileTree.of({"in.txt": "fixture\n"})
RAW = "raw"
TARGETS_MS = {
    "langchain": 5.0,
    "anthropic-quickstart": 5.0,
    "anthropic-sdk": 5.0,
    "swe-agent": 60.0,
    "tty": 60.0,
    "terminal-bench": 60.0,
    "openhands": 60.0,
    "ssh": 90.0,
    "ssh-argv": 90.0,
    "docker-exec": 150.0,
}
"""How many milliseconds above raw."""

_EXPECTED = FIXTURE.with_entries({"f": File(b"hi\n")})
_WARM_UP = 2


def main() -> None:
    """Run the benchmark and print its table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=40, help="items of each; default 40")
    parser.add_argument("--sandbox", default="namespace", help="where they run; default namespace")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the measurements to this file")
    options = parser.parse_args()
    providers: Registry[Provider] = Registry("sandbox", built_in("sandboxes", ""))
    transports: Registry[Transport] = Registry("transport", built_in("transports", "TRANSPORT"))
    with closing(transports), providers[options.sandbox].open_sandbox() as sandbox:
        report = measure(sandbox, transports, options.rounds)
    print("\n".join(_lines(report)))
    if options.json:
        options.json.write_text(json.dumps(report, indent=2) + "\n", encoding="ascii")


def measure(sandbox: Sandbox, transports: Registry[Transport], rounds: int) -> dict[str, Any]:
    """Return the milliseconds of an item along every transport that can be had here, interleaved."""
    before = machine()
    bench = Bench(contracts={}, transports=transports, sandbox=sandbox)
    refused = {name: reason for name in transports if (reason := _refusal(bench, name)) is not None}
    names = [name for name in transports if name not in refused]
    times: dict[str, list[float]] = {name: [] for name in names}
    for _ in range(rounds):
        for name in names:
            times[name].append(_item(bench, name))
    return {
        "machine": {**before, "load_after": machine()["load"]},
        "sandbox": sandbox.name,
        "rounds": rounds,
        "item_ms": {name: Spread.of(values)._asdict() for name, values in times.items()},
        "refused": refused,
    }


def _refusal(bench: Bench, name: str) -> str | None:
    try:
        bench.check_programs(name)
        for _ in range(_WARM_UP):
            _item(bench, name)
    except (Broken, TransportError) as error:
        return str(error)
    return None


def _item(bench: Bench, name: str) -> float:
    """Return the milliseconds from command to captured state."""
    transport = bench.transports[name]
    text = COMMAND if isinstance(transport, SessionTransport) else transport.matched(COMMAND)
    started = time.perf_counter()
    execution = carry(transport, text, FIXTURE, bench.sandbox, bench.limits)
    spent = time.perf_counter() - started
    if isinstance(execution, TransportError):
        raise execution
    assert same_contents(execution.tree) == _EXPECTED, (name, execution)
    return 1000 * spent


def _lines(report: dict[str, Any]) -> Iterator[str]:
    yield from heading(report["machine"], f"milliseconds per item in {report['sandbox']}")
    raw = report["item_ms"][RAW]["median"]
    for name, item in sorted(report["item_ms"].items(), key=lambda pair: float(pair[1]["median"])):
        above = item["median"] - raw
        verdict = _verdict(above, TARGETS_MS.get(name))
        yield f"{name:<22} {Spread(**item)}  {above:+8.2f} above raw  {verdict}".rstrip()
    for name, reason in report["refused"].items():
        yield f"{name:<22} not here: {reason}"


def _verdict(above: float, target: float | None) -> str:
    if target is None:
        return ""
    return f"target {target:g}: {'held' if above <= target else 'MISSED'}"


if __name__ == "__main__":
    main()

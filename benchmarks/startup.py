"""What the installed but unused plugin costs: `python benchmarks/startup.py [--pairs N] [--json FILE]`.

`pytest -q` of one empty test file with the plugin, against the same with `-p no:quotebench`, in pairs whose order
alternates. The differences within the pairs are what counts; the target is a median of at most 10 ms.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from timing import Cost, Spread, cost_of, machine

PYTEST = ("-m", "pytest", "-q", "test_empty.py")
BLOCKED = ("-p", "no:quotebench")
NO_TESTS = (5,)
TARGET_MS = 10.0


def main() -> None:
    """Run the benchmark and print its table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--pairs", type=int, default=25, help="pairs of runs; default 25, least 15")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the measurements to this file")
    options = parser.parse_args()
    with TemporaryDirectory(prefix="qb-benchmark-") as directory:
        report = _measure(Path(directory), max(15, options.pairs))
    _print(report)
    if options.json:
        options.json.write_text(json.dumps(report, indent=2) + "\n", encoding="ascii")


def _measure(directory: Path, pairs: int) -> dict[str, Any]:
    (directory / "test_empty.py").touch()
    _pair(directory, blocked_first=False)  # compiles what is not compiled yet
    before = machine()
    measured = [_pair(directory, blocked_first=bool(number % 2)) for number in range(pairs)]
    difference = Spread.of(1000 * (there.wall_s - blocked.wall_s) for there, blocked in measured)
    return {
        "machine": {**before, "load_after": machine()["load"]},
        "pairs": pairs,
        "installed_ms": Spread.of(1000 * there.wall_s for there, _ in measured),
        "blocked_ms": Spread.of(1000 * blocked.wall_s for _, blocked in measured),
        "difference_ms": difference,
        "difference_cpu_ms": Spread.of(1000 * (there.cpu_s - blocked.cpu_s) for there, blocked in measured),
        "target_ms": TARGET_MS,
        "met": difference.median <= TARGET_MS,
    }


def _pair(directory: Path, *, blocked_first: bool) -> tuple[Cost, Cost]:
    if blocked_first:
        blocked = cost_of([*PYTEST, *BLOCKED], directory, NO_TESTS)
        return cost_of(PYTEST, directory, NO_TESTS), blocked
    return cost_of(PYTEST, directory, NO_TESTS), cost_of([*PYTEST, *BLOCKED], directory, NO_TESTS)


def _print(report: dict[str, Any]) -> None:
    facts = report["machine"]
    print(
        f"Python {facts['python']}, {facts['processors']} processors, load {facts['load']} before, {facts['load_after']} after"
    )
    print(f"medians of {report['pairs']} pairs, ms  [lowest to highest]\n")
    rows = {
        "installed": "installed_ms",
        "blocked": "blocked_ms",
        "difference": "difference_ms",
        "difference, CPU": "difference_cpu_ms",
    }
    for name, key in rows.items():
        print(f"  {name:<18}{report[key]}")
    print(f"\ntarget: at most {TARGET_MS:g} ms: {'met' if report['met'] else 'MISSED'}")


if __name__ == "__main__":
    main()

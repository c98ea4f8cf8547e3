"""What the installed but unused plugin costs: `python benchmarks/startup.py [--pairs N] [--json FILE]`.

`pytest -q` of one empty test file with the plugin, against the same with `-p no:quotebench`, in pairs whose order
alternates. The differences within the pairs are what counts; the target is a median of at most 10 ms, with
compiled modules kept. `--no-bytecode` measures what it is where they are not (PYTHONDONTWRITEBYTECODE).
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from timing import NO_BYTECODE, Cost, Spread, cached_bytecode, cost_of, heading, machine

PYTEST = ("-m", "pytest", "-q", "test_empty.py")
BLOCKED = ("-p", "no:quotebench")
NO_TESTS = (5,)
TARGET_MS = 10.0


def main() -> None:
    """Run the benchmark and print its table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--pairs", type=int, default=25, help="pairs of runs; default 25, least 15")
    parser.add_argument("--no-bytecode", action="store_true", help="compile everything at every start")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the measurements to this file")
    options = parser.parse_args()
    with TemporaryDirectory(prefix="qb-benchmark-") as directory:
        place = Place(Path(directory), NO_BYTECODE if options.no_bytecode else cached_bytecode(Path(directory)))
        report = _measure(place, max(15, options.pairs))
    print("\n".join(_lines(report)))
    if options.json:
        options.json.write_text(json.dumps(report, indent=2) + "\n", encoding="ascii")


class Place(NamedTuple):
    """Where pytest runs, and with which variables."""

    directory: Path
    variables: Mapping[str, str]

    def cost_of_pytest(self, *options: str) -> Cost:
        """Run pytest on the empty file."""
        return cost_of([*PYTEST, *options], self.directory, NO_TESTS, self.variables)


def _measure(place: Place, pairs: int) -> dict[str, Any]:
    (place.directory / "test_empty.py").touch()
    _pair(place, blocked_first=False)  # compiles what is not compiled yet
    before = machine()
    measured = [_pair(place, blocked_first=bool(number % 2)) for number in range(pairs)]
    difference = Spread.of(1000 * (there.wall_s - blocked.wall_s) for there, blocked in measured)
    return {
        "machine": {**before, "load_after": machine()["load"]},
        "pairs": pairs,
        "bytecode": place.variables != NO_BYTECODE,
        "installed_ms": Spread.of(1000 * there.wall_s for there, _ in measured),
        "blocked_ms": Spread.of(1000 * blocked.wall_s for _, blocked in measured),
        "difference_ms": difference,
        "difference_cpu_ms": Spread.of(1000 * (there.cpu_s - blocked.cpu_s) for there, blocked in measured),
        "target_ms": TARGET_MS,
        "met": difference.median <= TARGET_MS,
    }


def _pair(place: Place, *, blocked_first: bool) -> tuple[Cost, Cost]:
    if blocked_first:
        blocked = place.cost_of_pytest(*BLOCKED)
        return place.cost_of_pytest(), blocked
    return place.cost_of_pytest(), place.cost_of_pytest(*BLOCKED)


def _lines(report: dict[str, Any]) -> Iterator[str]:
    kept = "kept" if report["bytecode"] else "not kept"
    yield from heading(report["machine"], f"medians of {report['pairs']} pairs, ms, compiled modules {kept}")
    for name in ("installed", "blocked", "difference", "difference_cpu"):
        yield f"  {name.replace('_cpu', ', CPU'):<20}{report[f'{name}_ms']}"
    yield f"\ntarget: at most {TARGET_MS:g} ms: {'met' if report['met'] else 'MISSED'}"


if __name__ == "__main__":
    main()

"""Measuring whole processes: wall time and CPU time, with nothing of this process's own pytest settings."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from types import MappingProxyType
from typing import Any, NamedTuple

_NOT_PASSED_ON = ("PYTEST_", "QB_", "PYTHONDONTWRITEBYTECODE")
NO_BYTECODE = MappingProxyType({"PYTHONDONTWRITEBYTECODE": "1"})
"""Modules are compiled, and rewritten by pytest, at every start: so it is in some containers."""


class Cost(NamedTuple):
    """What one process cost, everything it started and waited for included."""

    wall_s: float
    cpu_s: float
    """User and system time; steadier than wall time on a machine that does other things too."""
    output: str


class Spread(NamedTuple):
    """A sample: its median and its extremes."""

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Iterable[float]) -> Spread:
        """Summarise a sample of at least one value."""
        sample = list(values)
        return cls(median(sample), min(sample), max(sample))

    def __str__(self) -> str:
        """Return the median and the extremes, to a hundredth."""
        return f"{self.median:7.2f}  [{self.low:.2f} to {self.high:.2f}]"


def cost_of(
    arguments: Sequence[str],
    directory: Path,
    allowed: Collection[int] = (0,),
    variables: Mapping[str, str] = MappingProxyType({}),
) -> Cost:
    """Run this Python with `arguments` to its end. Stops the benchmark at an exit status that is not allowed."""
    own = {name: value for name, value in os.environ.items() if not name.startswith(_NOT_PASSED_ON)}
    before, started = _cpu_of_children(), time.perf_counter()
    process = subprocess.run(
        [sys.executable, *arguments],
        cwd=directory,
        env={**own, **variables},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    wall = time.perf_counter() - started
    if process.returncode not in allowed:
        sys.exit(f"{' '.join(arguments)} ended with status {process.returncode}:\n{process.stdout}")
    return Cost(wall, _cpu_of_children() - before, process.stdout)


def cached_bytecode(directory: Path) -> Mapping[str, str]:
    """Return the variables that have compiled modules kept, as usual, but below `directory`."""
    return {"PYTHONPYCACHEPREFIX": str(directory / "bytecode")}


def machine() -> dict[str, Any]:
    """Return what a reader of the numbers must know about the machine."""
    return {
        "python": sys.version.split()[0],
        "processors": os.cpu_count() or 0,
        "load": round(os.getloadavg()[0], 2),
    }


def heading(facts: Mapping[str, Any], what: str) -> Iterator[str]:
    """Yield the lines above a table."""
    load = f"load {facts['load']} to {facts['load_after']}"
    yield f"Python {facts['python']}, {facts['processors']} processors, {load}"
    yield f"{what}  [lowest to highest]\n"


def _cpu_of_children() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime

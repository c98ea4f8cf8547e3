"""Measuring whole processes: wall time and CPU time, with nothing of this process's own pytest settings."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from statistics import median
from types import MappingProxyType
from typing import NamedTuple


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
    own = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "QB_"))}
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


def machine() -> dict[str, str | int]:
    """Return what a reader of the numbers must know about the machine."""
    load = " ".join(f"{value:.2f}" for value in os.getloadavg())
    return {"python": sys.version.split()[0], "processors": os.cpu_count() or 0, "load": load}


def _cpu_of_children() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime

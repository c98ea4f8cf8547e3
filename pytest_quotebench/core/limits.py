"""What one command may use before the harness ends it. The verdict's detail names the limit that was hit."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeLimits:
    """How much of a directory a capture reads; beyond it the detail is `limit:tree`."""

    entries: int = 10_000
    depth: int = 64
    file_bytes: int = 16 * 2**20
    total_bytes: int = 64 * 2**20


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The limits of one execution."""

    wall_s: float = 15.0
    """Wall clock, in seconds, measured by a monotonic clock."""
    output_bytes: int = 64 * 2**20
    """Bytes of standard output and error together; beyond it the command is ended (`limit:output`)."""
    kept_output_bytes: int = 128 * 2**10
    """Bytes kept of each stream: the first and the last half of this, joined by a note of what is missing."""
    cpu_s: int = 60
    """CPU time of one process, in whole seconds (`limit:cpu`)."""
    memory_bytes: int = 2**30
    """Memory of all processes together where a cgroup is granted, else of each one (`limit:memory`)."""
    processes: int = 256
    """Processes and threads at one time (`limit:pids`)."""
    tree: TreeLimits = field(default_factory=TreeLimits)

"""What bounds the memory and the processes of a sandbox's items together, and counts where a bound was met."""

from __future__ import annotations

from pytest_quotebench.core.limits import Limits
from pytest_quotebench.processes import cgroups
from pytest_quotebench.processes.events import EventCounters


class Bound:
    """A cgroup where one is granted, else nothing: then limits of each process must do."""

    def __init__(self, limits: Limits) -> None:
        """Make it."""
        self._bounds = (limits.memory_bytes, limits.processes)
        self._group = cgroups.create(*self._bounds)
        self._counters = EventCounters(self._group.event_files if self._group else ())

    def is_for(self, limits: Limits) -> bool:
        """Tell whether it is one for these limits."""
        return self._bounds == (limits.memory_bytes, limits.processes)

    @property
    def is_granted(self) -> bool:
        """Whether there is a cgroup."""
        return self._group is not None

    def add(self, process: int) -> bool:
        """Put a process, and what it will start, into the cgroup; return whether it is there."""
        return self._group is not None and self._group.add(process)

    def met(self) -> list[str]:
        """Return the details of the limits that were met since this was asked last."""
        return self._counters.happened()

    def kill(self) -> None:
        """Kill everything in it."""
        if self._group is not None:
            self._group.kill()

    def close(self) -> None:
        """Remove it; nothing may be left in it."""
        self._counters.close()
        if self._group is not None:
            self._group.remove()

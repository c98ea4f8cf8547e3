"""Counters of the kernel that say that a limit was met: facts that no command can forge."""

from __future__ import annotations

import os
from collections.abc import Iterable


class EventCounters:
    """Counters in files of the form `word number`, line by line (cgroups(7): `memory.events`, `pids.events`)."""

    def __init__(self, places: Iterable[tuple[str, str, str]]) -> None:
        """Open the files: for each a verdict's detail, its path, and the word before the count. Raises OSError."""
        self._counters: list[_Counter] = []
        try:
            for detail, path, word in places:
                self._counters.append(_Counter(detail, path, word))
        except OSError:
            self.close()
            raise

    def happened(self) -> list[str]:
        """Return the details whose counters have grown since this was asked last."""
        return [counter.detail for counter in self._counters if counter.has_grown()]

    def close(self) -> None:
        """Close the files."""
        for counter in self._counters:
            os.close(counter.file)
        self._counters.clear()


class _Counter:
    def __init__(self, detail: str, path: str, word: str) -> None:
        self.detail = detail
        self.file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        self._word = word.encode()
        self._count = self._read()

    def has_grown(self) -> bool:
        former, self._count = self._count, self._read()
        return self._count > former

    def _read(self) -> int:
        lines = (line.split() for line in os.pread(self.file, 4096, 0).splitlines())
        return next((int(line[1]) for line in lines if line[0] == self._word), 0)

"""Writing the prompts of a selection, for collecting replies elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from pytest_quotebench.core.result import to_line
from pytest_quotebench.store.atomic import replace_file


def write_prompts(path: Path, prompts: Iterable[Mapping[str, str]]) -> int:
    """Write one JSON object a line, replacing the file as a whole; return how many.

    Raises Broken, naming the path, where that fails.
    """
    lines = [f"{to_line(prompt)}\n".encode() for prompt in prompts]
    replace_file(path, lines)
    return len(lines)

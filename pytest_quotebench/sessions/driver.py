"""The invocation of a driver: one file of Python, its settings and its input, placed beside each other."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pytest_quotebench.core.execution import REPORT, AuxPath, Invocation
from pytest_quotebench.core.tree import File

DRIVER = "driver.py"

_INSIDE = Path(__file__).parent / "inside"
_JOINED = re.compile(
    r"^from (?:__future__|typing|pytest_quotebench\.\S+) import (?:\([^)]*\)|[^(\n]*)\n", re.MULTILINE
)


def driven(
    kind: str, settings: Mapping[str, Any], *, text: bytes, more: Mapping[str, bytes] = MappingProxyType({})
) -> Invocation:
    """Return the process that plays a session: the driver `kind` (a file of `inside/`), which types `text`.

    Nothing of it stands in the arguments, which every process can see. `settings` are plain ASCII; `more` are
    further files that the driver reads (`gate`, `startup`).
    """
    files = {
        DRIVER: File(driver_source(kind)),
        "settings.json": File(json.dumps(settings).encode("ascii")),
        "input": File(text),
        **{name: File(data) for name, data in more.items()},
    }
    argv = (b"python3", b"-I", b"-S", AuxPath(DRIVER), AuxPath(REPORT))
    return Invocation(argv=argv, aux_files=files, reports=True)


@cache
def driver_source(kind: str) -> bytes:
    """Return the source of a driver: what all have in common and its own, without their imports of each other.

    Nor of `typing`, which only a type checker needs, and which costs more than all the rest.
    """
    parts = [(_INSIDE / f"{name}.py").read_text(encoding="utf-8") for name in ("common", kind)]
    joined = "\n\n".join(_JOINED.sub("", part) for part in parts)
    return f"from __future__ import annotations\n\n{joined}".encode()

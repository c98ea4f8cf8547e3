"""The agent's program as it is sent to a container: `agent` and what it imports of this package, in a zip file."""

from __future__ import annotations

import ast
import io
import zipfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from pytest_quotebench.processes.containers.places import WORK

INTERPRETER = ("python3", "-I", "-S", "-B")
MINIMUM_PYTHON = "3.11"

_PACKAGE = Path(__file__).parents[2]
_AGENT = "pytest_quotebench.processes.containers.agent"
_START = f"""
import os, sys
stream, path = sys.stdin.buffer, "{WORK}/agent.zip"
with open(path, "wb") as file:
    file.write(stream.read(int(stream.readline())))
sys.path.insert(0, path)
from {_AGENT} import main
sys.path.pop(0)
os.unlink(path)
main(stream)
"""


def command() -> list[str]:
    """Return the command of a container's first process, which reads the program from its input."""
    return [*INTERPRETER, "-c", _START]


@cache
def program() -> bytes:
    """Return what the first process reads first: the length in a line, and the zip file."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        sources = _closure(_AGENT)
        for path in sorted(sources):
            archive.write(path, path.relative_to(_PACKAGE.parent))
        # Packages are empty there: what they offer at their door is not the agent's.
        for package in sorted(
            {parent for path in sources for parent in path.relative_to(_PACKAGE.parent).parents}
        ):
            archive.writestr(str(package / "__init__.py"), "")
    return b"%d\n" % data.tell() + data.getvalue()


def _closure(module: str) -> set[Path]:
    """Return the files of a module and of all that it imports of this package, directly or not."""
    found: set[Path] = set()
    pending = [path for path in (_file(module),) if path]
    while pending:
        path = pending.pop()
        if path not in found:
            found.add(path)
            pending += [imported for name in _imports(path) if (imported := _file(name))]
    return found


def _imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _file(module: str) -> Path | None:
    """Return the file of a module of this package; None for a package, and for anybody else's module."""
    path = _PACKAGE.parent.joinpath(*module.split(".")).with_suffix(".py")
    return path if path.is_file() and path.is_relative_to(_PACKAGE) else None

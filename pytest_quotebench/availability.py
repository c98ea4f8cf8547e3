"""Whether a sandbox holds the programs that a transport needs, by looking inside it."""

from __future__ import annotations

from collections.abc import Iterable

from pytest_quotebench.core.execution import Invocation
from pytest_quotebench.core.limits import Limits
from pytest_quotebench.core.text import to_bytes, to_text
from pytest_quotebench.core.tree import FileTree
from pytest_quotebench.sandboxes import Sandbox

_QUESTION = b'for one do command -v "$one" >/dev/null || printf "%s\\n" "$one"; done'


def missing_programs(sandbox: Sandbox, programs: Iterable[str]) -> tuple[str, ...]:
    """Return those of `programs` that the sandbox's PATH does not lead to. Raises Broken as the sandbox does."""
    asked = [to_bytes(program) for program in programs]
    if not asked:
        return ()
    invocation = Invocation(argv=(b"bash", b"-c", _QUESTION, b"bash", *asked))
    return tuple(to_text(sandbox.run(FileTree(), invocation, Limits(wall_s=5)).stdout).split())

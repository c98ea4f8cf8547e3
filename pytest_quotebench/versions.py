"""What ran: the versions that are stored with every result."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from importlib.metadata import version

from pytest_quotebench.core.errors import Broken
from pytest_quotebench.core.execution import Execution, Invocation
from pytest_quotebench.core.limits import Limits
from pytest_quotebench.core.text import to_bytes, visible
from pytest_quotebench.core.tree import FileTree
from pytest_quotebench.sandboxes import Sandbox

_TOOLS = ("bash", "sed", "awk", "grep", "find", "git")
_QUESTION = r"""
printf 'bash\t%s\n' "$BASH_VERSION"
for tool in sed grep find git; do
  answer=$("$tool" --version 2>&1 </dev/null) && printf '%s\t%s\n' "$tool" "${answer%%
*}"
done
answer=$(awk -W version 2>&1 </dev/null || awk --version 2>&1 </dev/null) && printf 'awk\t%s\n' "${answer%%
*}"
"""


def harness_versions() -> dict[str, str]:
    """Return the versions of the plugin, of pytest and of Python."""
    return {
        "pytest-quotebench": version("pytest-quotebench"),
        "pytest": version("pytest"),
        "python": platform.python_version(),
    }


def tool_versions(sandbox: Sandbox) -> dict[str, str]:
    """Return the first line that each tool says of its version inside the sandbox; a tool may be absent.

    Beside them stands what the sandbox itself tells in `versions`, such as the digest of its image.
    """
    asked = Invocation(argv=(b"bash", b"-c", to_bytes(_QUESTION)))
    try:
        execution: Execution = sandbox.run(FileTree(), asked, Limits(wall_s=5))
    except Broken:
        return {}
    lines = (line.partition(b"\t") for line in execution.stdout.split(b"\n"))
    said = {visible(tool, 20): visible(answer, 100) for tool, _, answer in lines if answer}
    told: Mapping[str, str] = getattr(sandbox, "versions", {})
    return {**{tool: said[tool] for tool in _TOOLS if tool in said}, **told}

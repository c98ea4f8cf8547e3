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

_TOOLS = ("system", "bash", "sed", "awk", "grep", "find", "git")
_QUESTION = r"""
printf 'system\t%s\n' "$(uname -sr)"
other=${KSH_VERSION:-${YASH_VERSION:-${ZSH_VERSION:-a shell that tells no version}}}
printf 'bash\t%s\n' "${BASH_VERSION:-not bash: $other}"
for tool in sed grep find git awk; do
  command -v "$tool" >/dev/null || continue
  if ! answer=$("$tool" --version 2>&1 </dev/null); then
    # What is no version may still name its maker; mawk knows another option; BSD's tools know none.
    case $answer in
      toybox\ *) ;;
      *BusyBox\ v*) answer=BusyBox\ v${answer#*BusyBox\ v} ;;
      *) answer=$("$tool" -Wversion 2>&1 </dev/null) || answer= ;;
    esac
  fi
  printf '%s\t%s\n' "$tool" "${answer%%
*}"
done
"""


def harness_versions() -> dict[str, str]:
    """Return the versions of the plugin, of pytest and of Python."""
    return {
        "pytest-quotebench": version("pytest-quotebench"),
        "pytest": version("pytest"),
        "python": platform.python_version(),
    }


def tool_versions(sandbox: Sandbox) -> dict[str, str]:
    """Return the line in which each tool says its version inside the sandbox; one that is not there is absent.

    A tool that says none is "(of Darwin 23.4.0)": it has the version of its system. Beside them stands what the
    sandbox itself tells in `versions`, such as the digest of its image.
    """
    asked = Invocation(argv=(b"bash", b"-c", to_bytes(_QUESTION)))
    try:
        execution: Execution = sandbox.run(FileTree(), asked, Limits(wall_s=5))
    except Broken:
        return {}
    lines = (line.partition(b"\t") for line in execution.stdout.split(b"\n") if b"\t" in line)
    said = {visible(tool, 20): visible(answer, 100) for tool, _, answer in lines}
    told: Mapping[str, str] = getattr(sandbox, "versions", {})
    unsaid = f"(of {said.get('system', 'an unknown system')})"
    return {**{tool: said[tool] or unsaid for tool in _TOOLS if tool in said}, **told}

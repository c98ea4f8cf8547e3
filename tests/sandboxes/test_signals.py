"""A command finds no signal ignored, however this process was started."""

from __future__ import annotations

import subprocess
import sys

import pytest

from pytest_quotebench.registry import Registry, built_in
from pytest_quotebench.sandboxes import Provider

PROVIDERS: Registry[Provider] = Registry("sandbox", built_in("sandboxes", ""))

SEND = """
import sys
from pytest_quotebench import execute
for name in ("HUP", "INT", "TERM", "USR1"):
    print(name, execute("kill -%s $$; exit 9" % name, sandbox=sys.argv[1]).exit_status)
"""


@pytest.mark.parametrize("name", PROVIDERS)
def test_signals_that_this_process_ignores_end_a_command(name: str) -> None:
    """Under `nohup`, and as a background job that ignores SIGINT, a signal is what it is elsewhere."""
    reason = PROVIDERS[name].refusal()
    if reason is not None:
        pytest.skip(reason)
    ignoring = ["bash", "-c", "trap '' HUP INT QUIT USR1 TERM; exec \"$@\"", "bash"]

    result = subprocess.run(
        [*ignoring, sys.executable, "-c", SEND, name], capture_output=True, text=True, check=False
    )

    ended = dict(line.split() for line in result.stdout.splitlines())
    assert ended.keys() == {"HUP", "INT", "TERM", "USR1"}, result.stderr
    assert "9" not in ended.values()

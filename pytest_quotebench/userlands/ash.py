"""`ash`: bash and sh are BusyBox's shell, as on Alpine without bash; it takes BusyBox's own applets before PATH.

What a command starts through another program (xargs, find) is what the sandbox has.
"""

from __future__ import annotations

from pytest_quotebench.userlands import of_shell

USERLAND = of_shell(
    "busybox", "busybox", install="Install the package busybox-static, or busybox.", argument="ash"
)

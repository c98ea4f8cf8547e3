"""`gnu`: GNU's sed, grep, find and coreutils, where they are what the sandbox has; nothing is put before them.

The awk is whichever the distribution has chosen: mawk on Debian, gawk on others.
"""

from __future__ import annotations

from pytest_quotebench.userlands import Userland

USERLAND = Userland(
    question="sed --version 2>/dev/null </dev/null | head -n 1 | grep '(GNU sed)'",
    install="The programs here are not GNU's; --qb-sandbox=docker has them.",
    own=True,
)

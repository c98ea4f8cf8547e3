"""`bsd`: the programs of macOS or a BSD, where they are what the sandbox has; nothing is put before them.

They come with their kernel and cannot be installed on Linux. BSD's programs have no version of their own.
"""

from __future__ import annotations

from pytest_quotebench.userlands import Userland

USERLAND = Userland(
    question="""
case $(uname -s) in Darwin | *BSD | DragonFly) ;; *) exit 1 ;; esac
! sed --version >/dev/null 2>&1 </dev/null && uname -sr
""",
    install="It cannot be installed: replay on macOS or a BSD, with --qb-sandbox=local.",
    own=True,
)

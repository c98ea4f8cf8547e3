"""`ksh93`: bash and sh are the Korn shell of 1993; all else is what the sandbox has."""

from __future__ import annotations

from pytest_quotebench.userlands import SHELL_NAMES, of_one

USERLAND = of_one(
    "ksh93", SHELL_NAMES, "ksh93 -c 'echo \"$KSH_VERSION\"'", install="Install the package ksh93u+m, or ksh."
)

"""`mksh`: bash and sh are the MirBSD Korn shell, as on Android; all else is what the sandbox has."""

from __future__ import annotations

from pytest_quotebench.userlands import SHELL_NAMES, of_one

USERLAND = of_one("mksh", SHELL_NAMES, "mksh -c 'echo \"$KSH_VERSION\"'", install="Install the package mksh.")

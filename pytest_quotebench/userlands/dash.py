"""`dash`: bash and sh are Debian's Almquist shell, POSIX and little more; all else is what the sandbox has."""

from __future__ import annotations

from pytest_quotebench.userlands import SHELL_NAMES, of_one

# dash tells no version.
USERLAND = of_one("dash", SHELL_NAMES, 'echo "dash, $program"', install="Install the package dash.")

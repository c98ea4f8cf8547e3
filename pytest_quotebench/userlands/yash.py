"""`yash`: bash and sh are yash, the strictest POSIX shell; all else is what the sandbox has."""

from __future__ import annotations

from pytest_quotebench.userlands import SHELL_NAMES, of_one

USERLAND = of_one("yash", SHELL_NAMES, "yash --version", install="Install the package yash.")

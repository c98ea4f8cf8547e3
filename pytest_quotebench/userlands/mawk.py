"""`mawk`: awk is mawk, Debian's own choice; all else is what the sandbox has."""

from __future__ import annotations

from pytest_quotebench.userlands import of_one

USERLAND = of_one("mawk", ("awk",), "mawk -W version", install="Install the package mawk.")

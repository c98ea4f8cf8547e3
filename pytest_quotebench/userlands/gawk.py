"""`gawk`: awk is GNU's, the usual one on Fedora and Arch; all else is what the sandbox has."""

from __future__ import annotations

from pytest_quotebench.userlands import of_one

USERLAND = of_one("gawk", ("awk",), "gawk --version", install="Install the package gawk.")

"""`bwk`: awk is Brian Kernighan's one, as on macOS and the BSDs; all else is what the sandbox has."""

from __future__ import annotations

from pytest_quotebench.userlands import of_one

USERLAND = of_one("original-awk", ("awk",), "original-awk --version", install="Install the package original-awk.")

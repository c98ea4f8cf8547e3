"""`zsh`: bash is zsh as macOS's terminal has it, sh is zsh acting as sh; all else is what the sandbox has."""

from __future__ import annotations

from pytest_quotebench.userlands import of_shell

USERLAND = of_shell("zsh", "zsh --version", install="Install the package zsh.")

"""`uutils`: the coreutils rewritten in Rust, as on newer Ubuntu; sed, awk, grep and find are the sandbox's."""

from __future__ import annotations

from pytest_quotebench.userlands import of_many

USERLAND = of_many(
    "coreutils",
    "coreutils --list 2>/dev/null || ls /usr/lib/cargo/bin/coreutils",
    "coreutils",
    install="Install the package rust-coreutils.",
)

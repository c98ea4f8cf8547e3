"""The small programs a fixture can hold. They are POSIX shell, so that they run on every userland."""

from __future__ import annotations

from pytest_quotebench.core.tree import File

_RECORD = r"""#!/bin/sh
# Stores the arguments, each ended by a NUL byte, in got.bin.
: > got.bin
[ "$#" -eq 0 ] || printf '%s\0' "$@" > got.bin
"""

_CHECK_ENV = """#!/bin/sh
# Stores the value of MSG, and nothing else, in got.txt.
printf %s "$MSG" > got.txt
"""

_REMOTE = """#!/bin/sh
# Stands in for ssh: joins the arguments with single spaces and lets a shell in remote_root/ run the result.
IFS=' '
command="$*"
cd remote_root || exit 1
REMOTE_TOKEN={token}
export REMOTE_TOKEN
exec bash -c "$command"
"""


def record() -> File:
    """Return the program that stores its arguments NUL-terminated in got.bin."""
    return _program(_RECORD)


def check_env() -> File:
    """Return the program that stores the value of MSG, nothing added, in got.txt."""
    return _program(_CHECK_ENV)


def remote(token: str) -> File:
    """Return the ssh stand-in whose remote side has `token` (letters and digits) in REMOTE_TOKEN."""
    if not token.isalnum():
        raise ValueError(f"a token is letters and digits, not {token!r}")
    return _program(_REMOTE.replace("{token}", token))


def _program(source: str) -> File:
    return File(source.encode(), mode=0o755)

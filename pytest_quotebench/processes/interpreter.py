"""Starting a fresh interpreter that has nothing of this process: no environment, no memory, no key."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

_PACKAGE_PARENT = Path(__file__).resolve().parents[2]


def start_interpreter(module: str, descriptor: int) -> subprocess.Popen[bytes]:
    """Run `main(descriptor)` of a module of this package in a new session; the descriptor is all it inherits.

    Raises OSError.
    """
    program = f"import sys; sys.path.append(sys.argv[1]); from {module} import main; main(int(sys.argv[2]))"
    # Some Pythons need it to find their own shared library; the namespaces' helper erases it from its memory.
    environment = {name: os.environ[name] for name in ("LD_LIBRARY_PATH",) if name in os.environ}
    return subprocess.Popen(  # noqa: S603 -- our own program
        [sys.executable, "-I", "-S", "-B", "-c", program, str(_PACKAGE_PARENT), str(descriptor)],
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        pass_fds=(descriptor,),
        start_new_session=True,
        cwd="/",
    )

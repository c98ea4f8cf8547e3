"""A program of Python in a fork of the helper's interpreter is as one that has an interpreter of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_quotebench.core.execution import AuxPath, Execution, Invocation
from pytest_quotebench.core.limits import Limits
from pytest_quotebench.core.tree import File, FileTree
from pytest_quotebench.processes.namespaces.script import INTERPRETER, compiled
from pytest_quotebench.sandboxes import Sandbox, namespace
from pytest_quotebench.sessions import driver

REFUSAL = namespace.refusal()
needs_namespaces = pytest.mark.skipif(REFUSAL is not None, reason=str(REFUSAL))
DRIVERS = [file.stem for file in (Path(driver.__file__).parent / "inside").glob("*.py") if file.stem[0] != "_"]


@pytest.fixture(scope="module")
def box() -> Iterator[Sandbox]:
    with namespace.open_sandbox() as opened:
        yield opened


def run(box: Sandbox, source: str, *, forked: bool, wall_s: float = 10) -> Execution:
    """Run a program in a fork, or, for the sake of an import that cannot be had there, in one of its own."""
    text = source if forked else f"if 0: import json\n{source}"
    assert (compiled(text.encode(), "/aux/item/p.py") is not None) is forked
    invocation = Invocation(
        argv=(*INTERPRETER, AuxPath("p.py"), b"one", b"t\xffwo"),
        aux_files={"p.py": File(text.encode())},
        env={"X": "\udcff"},
        stdin=b"given",
    )
    return box.run(FileTree.of({"in.txt": "fixture"}), invocation, Limits(wall_s=wall_s))


def test_every_driver_can_be_run_in_a_fork() -> None:
    """What they import is loaded."""
    assert all(compiled(driver.driver_source(name), "/aux/item/driver.py") is not None for name in DRIVERS)


@pytest.mark.parametrize("source", ["import json", "from json import loads", "from . import x", "(", "a\0b"])
def test_what_imports_more_or_is_no_program_has_an_interpreter_of_its_own(source: str) -> None:
    """The fork has no directory to import from."""
    assert compiled(source.encode(), "/aux/item/p.py") is None


SIGNALS = """
for line in open('/proc/self/status'):
    if line[:4] in ('SigB', 'SigI', 'SigC'):
        print(line[:6], int(line[8:], 16) % 2**31)
"""
"""Without 32 and 33, which are glibc's own: its posix_spawn leaves them ignored."""

PROGRAMS = {
    "arguments": "import os, sys; print(list(map(os.fsencode, sys.argv[1:])), __file__ == sys.argv[0], __name__)",
    "environment": "import os; print(sorted(os.environb.items()))",
    "standard input": "import sys; print(sys.stdin.read())",
    "descriptors": "import os; print(sorted(int(n) for n in os.listdir('/proc/self/fd'))[:-1])",
    "a shell's descriptors": "import os; os.system('ls /proc/self/fd; ulimit -a; pwd; id; umask')",
    "session": "import os; print(os.getsid(0) == os.getpid(), os.getpgrp() == os.getpid(), os.getppid())",
    "rights": "print([line for line in open('/proc/self/status') if line[:3] in ('Cap', 'NoN', 'Sec')])",
    "signals": SIGNALS,
    "a file": "open('out.txt', 'w').write('x'); print(open('in.txt').read())",
    "status 3": "import sys; sys.exit(3)",
    "a message at the end": "import sys; sys.exit('no')",
    "no status": "import sys; sys.exit()",
    "an exception": "raise ValueError('at the end')",
    "a signal": "import os; os.kill(os.getpid(), 15)",
    "a closed pipe": "import os; r, w = os.pipe(); os.close(r); os.write(w, b'x')",
    "_exit": "import os; os._exit(5)",
}


@needs_namespaces
@pytest.mark.parametrize("program", PROGRAMS)
def test_a_fork_is_as_an_interpreter_of_its_own(box: Sandbox, program: str) -> None:
    """Status, signal, output, files: the same, but for the lines of a traceback."""
    forked, own = (run(box, PROGRAMS[program], forked=forked) for forked in (True, False))

    assert (forked.exit_status, forked.signal, forked.tree) == (own.exit_status, own.signal, own.tree)
    assert forked.stdout == own.stdout
    assert forked.stderr.splitlines()[-1:] == own.stderr.splitlines()[-1:]


@needs_namespaces
def test_a_command_cannot_look_into_a_forked_driver(box: Sandbox) -> None:
    """Its memory is a copy of the helper's: no environment, no memory, no descriptor of it can be read."""
    look = "for it in environ mem fd/0; do cat /proc/$PPID/$it 2>&1 | tail -c 40; done; ls /proc/$PPID/fd"
    done = run(box, f"import os; os.system({look!r})", forked=True)

    assert done.stdout.count(b"Permission denied") == 3
    assert b"Permission denied" in done.stderr


@needs_namespaces
def test_a_fork_that_does_not_end_meets_the_deadline(box: Sandbox) -> None:
    """It is killed, and the next item is not touched."""
    hung = run(box, "while True: pass", forked=True, wall_s=0.5)

    assert hung.timed_out
    assert run(box, "print(1)", forked=True).stdout == b"1\n"

"""Does anything grow? `python benchmarks/soak.py [--items N] [--sandbox NAME ...] [--transport NAME ...]`.

Runs items (10,000 by default) that each leave a background process and a few files, one after the other in one
opened sandbox and along one transport, and compares what this process and the machine hold before and after: file
descriptors, memory, mounts, children, terminals, sockets, control groups, what lies in the directory for temporary
files. Ends with status 1 where anything grew.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from pytest_quotebench.core.errors import TransportError
from pytest_quotebench.core.limits import Limits
from pytest_quotebench.core.tree import FileTree
from pytest_quotebench.registry import Registry, built_in
from pytest_quotebench.replay import carry
from pytest_quotebench.sandboxes import Provider, Sandbox
from pytest_quotebench.transports import BrokeredTransport, SessionTransport, Transport

COMMAND = "echo hi > f; mkdir d; ln -s f l; mkfifo p; (setsid sleep 60 &) ; cat in.txt"
DETACHED = COMMAND.replace("sleep 60", "sleep 60 </dev/null >/dev/null 2>&1")
"""A session that lasts until its streams are closed (ssh) would wait for the other one."""
FIXTURE = FileTree.of({"in.txt": "fixture\n"})
WARM_UP = 50
SLACK_AFTER = {"resident KiB": 8 * 1024, "mounts": 16, "terminals": 16, "sockets": 128, "temporary entries": 64}
"""How much more may be held at the end: the allocator's own doing, and what the rest of the machine does."""
SLACK = {**SLACK_AFTER, "descendants": 4}
"""And while a sandbox is open: the next item's first process is started ahead of time."""

Holdings = dict[str, int]


def main() -> None:
    """Soak every fast sandbox that this machine grants."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--items", type=int, default=10_000, help="items in each sandbox; default 10,000")
    parser.add_argument("--sandbox", action="append", help="only this one (repeatable)")
    parser.add_argument("--transport", action="append", help="along this one (repeatable); default raw")
    options = parser.parse_args()
    providers: Registry[Provider] = Registry("sandbox", built_in("sandboxes", ""))
    transports: Registry[Transport] = Registry("transport", built_in("transports", "TRANSPORT"))
    grown = [
        grew
        for name in options.sandbox or providers
        for transport in options.transport or ["raw"]
        for grew in soak(f"{name}, {transport}", providers[name], transports[transport], options.items)
    ]
    sys.exit("\n".join(grown) or 0)


def soak(name: str, provider: Provider, transport: Transport, items: int) -> list[str]:
    """Run the items, print what was held before and after, and return what grew."""
    reason = provider.refusal()
    if reason is not None:
        print(f"{name}: refused: {reason}")
        return []
    with _opened(provider, transport) as sandbox:
        _run(sandbox, transport, 1)  # what is loaded once for all, such as a client's modules, is no growth
    outside = holdings()
    with _opened(provider, transport) as sandbox:
        _run(sandbox, transport, WARM_UP)
        before, started = holdings(), time.monotonic()
        _run(sandbox, transport, items)
        after, spent = holdings(), time.monotonic() - started
    left = holdings()
    print(f"{name}: {items} items, {1000 * spent / items:.2f} ms each", flush=True)
    for what in before:
        print(f"  {what:<22} {before[what]:>9} {after[what]:>9}   after the close {left[what]:>9}")
    return [
        *(
            f"{name}: {what} grew while it ran"
            for what in before
            if after[what] > before[what] + SLACK.get(what, 0)
        ),
        *(f"{name}: {what} stayed" for what in left if left[what] > outside[what] + SLACK_AFTER.get(what, 0)),
    ]


@contextmanager
def _opened(provider: Provider, transport: Transport) -> Iterator[Sandbox]:
    with ExitStack() as opened:
        if isinstance(transport, BrokeredTransport):
            opened.callback(transport.close)
        yield opened.enter_context(provider.open_sandbox())


def holdings() -> Holdings:
    """Return what is held now; a figure that this system does not tell is left out."""
    figures: dict[str, Callable[[], int]] = {
        "descriptors": lambda: len(list(Path("/proc/self/fd").iterdir())),
        "resident KiB": _resident,
        "mounts": lambda: len(Path("/proc/self/mountinfo").read_text().splitlines()),
        "descendants": _descendants,
        "terminals": lambda: int(Path("/proc/sys/kernel/pty/nr").read_text()),
        "sockets": lambda: len(Path("/proc/net/unix").read_text().splitlines()),
        "control groups": _control_groups,
        "temporary entries": lambda: len(list(Path(tempfile.gettempdir()).iterdir())),
    }
    found = {}
    for what, count in figures.items():
        try:
            found[what] = count()
        except OSError:
            continue
    return found


def _control_groups() -> int:
    """Count those that this process or one below it has made, or one that is not there any more."""
    makers = (path.name.split("-")[1] for path in Path("/sys/fs/cgroup").rglob("qb-*"))
    ours = _family()
    return sum(int(maker) in ours or not Path("/proc", maker).exists() for maker in makers)


def _descendants() -> int:
    return len(_family()) - 1


def _family() -> set[int]:
    """Return this process and those below it, zombies included, by their parents (proc(5))."""
    parents = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            parents[int(path.parent.name)] = int(path.read_text().rpartition(")")[2].split()[1])
    ours = {os.getpid()}
    while more := {pid for pid, parent in parents.items() if parent in ours} - ours:
        ours |= more
    return ours


def _resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") // 1024


def _run(sandbox: Sandbox, transport: Transport, items: int) -> None:
    command = DETACHED if isinstance(transport, SessionTransport | BrokeredTransport) else COMMAND
    for number in range(items):
        execution = carry(transport, command, FIXTURE, sandbox, Limits())
        assert not isinstance(execution, TransportError), (number, execution)
        assert execution.exit_status == 0, (number, execution)
        assert len(execution.tree) == 5, (number, execution.tree)


if __name__ == "__main__":
    main()

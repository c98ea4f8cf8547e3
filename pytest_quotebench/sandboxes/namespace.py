"""`namespace`: Linux namespaces, without root and without any program but this Python.

The default on Linux. An item sees the installed programs read-only, its own task directory and a /tmp of its own,
both limited in bytes and entries; no network, no other process, no home, nothing of this process. It runs as an
ordinary user without capabilities under a seccomp filter. What it shares with everybody is the kernel.
"""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from signal import SIGKILL

from pytest_quotebench.core.capture import capture_directory
from pytest_quotebench.core.errors import Broken
from pytest_quotebench.core.execution import REPORT, Applets, AuxPath, Execution, Invocation, whole_environment
from pytest_quotebench.core.limits import Limits
from pytest_quotebench.core.text import to_bytes
from pytest_quotebench.core.tree import FileTree
from pytest_quotebench.processes.broker.place import auxiliary_tree, brokered
from pytest_quotebench.processes.directory import lay_out
from pytest_quotebench.processes.ending import Ended, limit_met, read_report, to_execution
from pytest_quotebench.processes.namespaces.client import Client, HelperGone, Item, Status
from pytest_quotebench.processes.namespaces.kernel import StepFailed
from pytest_quotebench.processes.namespaces.messages import Parameters
from pytest_quotebench.processes.namespaces.refusals import explain_refusal, obvious_refusal
from pytest_quotebench.processes.namespaces.script import INTERPRETER, compiled
from pytest_quotebench.processes.namespaces.view import AUX, TASK, TMP
from pytest_quotebench.processes.pipes import Pipes, connected
from pytest_quotebench.processes.removal import remove_directory
from pytest_quotebench.processes.users import User, item_user
from pytest_quotebench.processes.watching import Watch
from pytest_quotebench.sandboxes import refusal_when_tried

STRENGTH = 30
"""Stronger than bubblewrap by its seccomp filter and the limit on entries."""

BROKERS = True
"""A broker's socket can be bound for an item."""

_AUX_NAME = "item"
_AUX_PLACE = f"{AUX}/{_AUX_NAME}"
_EMPTY_REPORT = FileTree.of({REPORT: b""})
_PAGE = 4096
_SPARE_ENTRIES = 16
"""So that one entry too many can be made, and be seen by the capture."""


def refusal() -> str | None:
    """Try it: run one command; return what this machine refused and what to do, or None."""
    return obvious_refusal() or refusal_when_tried(open_sandbox())


@contextmanager
def open_sandbox() -> Iterator[NamespaceSandbox]:
    """Open a sandbox; its helper is started with the first item, and gone with all it holds at the end."""
    with closing(NamespaceSandbox()) as sandbox:
        yield sandbox


class NamespaceSandbox:
    """Runs one command after the other, each in namespaces of its own below those of one helper."""

    name = "namespace"

    def __init__(self) -> None:
        self._client: Client | None = None

    def run(self, tree: FileTree, invocation: Invocation, limits: Limits) -> Execution:
        """Run `invocation` in a fresh directory that holds `tree`, as the protocol says.

        Raises Broken: `namespace` where the kernel refuses something, `helper` where the helper is gone (the next
        item gets a new one), `layout`, `spawn:<errno name>`, `survivor`, and `unsupported` for a terminal.
        """
        if invocation.tty:
            raise Broken("unsupported", "the namespace sandbox gives no terminal")
        try:
            return _run(self._helper(_parameters(limits)), tree, invocation, limits)
        except BaseException as error:
            self.close()
            if isinstance(error, StepFailed):
                raise Broken("namespace", explain_refusal(error)) from error
            if isinstance(error, HelperGone | OSError):
                raise Broken("helper", f"the namespace sandbox failed: {error}") from error
            raise

    def close(self) -> None:
        """End the helper, if there is one."""
        client, self._client = self._client, None
        if client is not None:
            client.close()

    def _helper(self, parameters: Parameters) -> Client:
        """Return the helper; a new one where there is none for these limits, or it was killed meanwhile."""
        if self._client is None or self._client.parameters != parameters or not self._client.is_alive():
            self.close()
            self._client = Client(parameters)
        return self._client


def _parameters(limits: Limits) -> Parameters:
    return Parameters(
        user=item_user(),
        # Small files take whole pages of a tmpfs.
        directory_bytes=limits.tree.total_bytes + limits.tree.entries * _PAGE,
        directory_entries=limits.tree.entries + _SPARE_ENTRIES,
        memory_bytes=limits.memory_bytes,
        processes=limits.processes,
        cpu_s=limits.cpu_s,
        file_bytes=limits.tree.file_bytes,
    )


def _run(client: Client, tree: FileTree, invocation: Invocation, limits: Limits) -> Execution:
    with ExitStack() as held:
        item = client.next_item()
        held.callback(item.close)
        held.callback(item.end)
        _lay_out(tree, item.directory, client.parameters.user)
        if invocation.aux_files:
            held.enter_context(_auxiliary(auxiliary_tree(invocation, TMP), client))
        if invocation.broker is not None:
            held.enter_context(brokered(invocation.broker, item.scratch, client.parameters.user))
        if invocation.applets is not None:
            _keep(invocation.applets, client)
        if invocation.reports:
            _lay_out(_EMPTY_REPORT, item.scratch, client.parameters.user)
        pipes = held.enter_context(connected(invocation.stdin, limits))
        if client.parameters.user.is_somebody_else:
            pipes.give_away(*client.parameters.user)
        ended = _run_to_end(client, item, pipes, invocation, limits)
        after = capture_directory(item.directory, limits.tree)
        after = after.unless(_is_full(item.directory))
        return to_execution(
            ended,
            after,
            aux_directory=_AUX_PLACE if invocation.aux_files else "",
            report=read_report(item.scratch, REPORT) if invocation.reports else b"",
        )


def _run_to_end(client: Client, item: Item, pipes: Pipes, invocation: Invocation, limits: Limits) -> Ended:
    watch = pipes.watch
    argv = [_argument(argument, invocation) for argument in invocation.argv]
    applets = invocation.applets.directory if invocation.applets else ""
    environment = whole_environment(invocation, TASK, f"{AUX}/{applets}")
    started = time.monotonic()
    variables = {to_bytes(name): to_bytes(value) for name, value in environment.items()}
    client.start(argv, variables, pipes.theirs, _code(invocation))
    pipes.close_theirs()
    watch.until_end(item.has_ended, item.init)
    duration = time.monotonic() - started
    if not item.end():
        raise Broken("survivor", "something that the command started cannot be killed")
    watch.drain()
    status, met = client.status(), client.met_limits()
    if status is None:
        status = _killed(watch, met)
    if status.errno:
        name = errno.errorcode.get(status.errno, "unknown")
        raise Broken(f"spawn:{name}", f"cannot start {argv[0]!r}: {os.strerror(status.errno)}")
    code = os.waitstatus_to_exitcode(status.wait_status)
    return Ended.of(code, watch, duration, limit_met(watch, met, code, status.cpu_s, limits))


def _code(invocation: Invocation) -> bytes | None:
    """Return the program of a driver, compiled for the helper's interpreter; None for any other command."""
    *interpreter, program = invocation.argv[: len(INTERPRETER) + 1]
    if tuple(interpreter) != INTERPRETER or not isinstance(program, AuxPath):
        return None
    file = invocation.aux_files.get(program.name)
    return compiled(file.data, f"{_AUX_PLACE}/{program.name}") if file else None


def _killed(watch: Watch, met: list[str]) -> Status:
    """Return the status of an item that was killed as a whole: by us, or by the kernel for its memory."""
    if watch.timed_out or watch.is_over_output_limit or "limit:memory" in met:
        return Status(SIGKILL, 0, 0.0)
    raise HelperGone("the item's first process was killed from outside")


def _is_full(directory: int) -> bool:
    """Tell whether the file system of the task directory has no room left, for bytes or for entries."""
    state = os.fstatvfs(directory)
    return state.f_bfree == 0 or state.f_ffree == 0


def _lay_out(tree: FileTree, directory: int, user: User) -> None:
    """Write the tree as the item's own."""
    lay_out(tree, directory)
    if user.is_somebody_else:
        for path in tree:
            os.chown(to_bytes(path), *user, dir_fd=directory, follow_symlinks=False)


@contextmanager
def _auxiliary(files: FileTree, client: Client) -> Iterator[None]:
    try:
        _add_auxiliary(_AUX_NAME, files, client)
        yield
    finally:
        remove_directory(client.auxiliary, _AUX_NAME)


def _keep(applets: Applets, client: Client) -> None:
    """Lay applets out beside the items' auxiliary files, once for each helper; its items see them read-only."""
    if applets not in client.applets:
        _add_auxiliary(applets.directory, applets.tree, client)
        client.applets.add(applets)


def _add_auxiliary(name: str, files: FileTree, client: Client) -> None:
    os.mkdir(name, 0o700, dir_fd=client.auxiliary)
    directory = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=client.auxiliary)
    try:
        _lay_out(files, directory, client.parameters.user)
        os.fchmod(directory, 0o555)
    finally:
        os.close(directory)


def _argument(argument: bytes | AuxPath, invocation: Invocation) -> bytes:
    if isinstance(argument, bytes):
        return argument
    # Auxiliary files cannot be written to; a report lies in the item's /tmp.
    place = TMP if invocation.reports and argument.name == REPORT else _AUX_PLACE
    return to_bytes(f"{place}/{argument.name}")

"""One command, one path, no task: what `pytest_quotebench.execute` does."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from types import MappingProxyType

from pytest_quotebench.core.errors import TransportError
from pytest_quotebench.core.execution import Execution
from pytest_quotebench.core.limits import Limits
from pytest_quotebench.core.text import to_text
from pytest_quotebench.core.tree import Entry, FileTree
from pytest_quotebench.registry import Registry, built_in
from pytest_quotebench.replay import carry
from pytest_quotebench.sandbox_choice import AUTO, choose_sandbox
from pytest_quotebench.sandboxes import Provider
from pytest_quotebench.transports import Transport


def execute(
    command: str | bytes,
    transport: str = "raw",
    sandbox: str = AUTO,
    files: Mapping[str, bytes | str | Entry] = MappingProxyType({}),
    timeout: float = 15,
) -> Execution:
    """Run `command` along a transport in a fresh directory that holds `files`, and return what became of it.

    Args:
        command: text, or exact bytes.
        transport: the name of a built-in transport.
        sandbox: the name of a built-in sandbox; `auto` takes the strongest that this machine grants.
        files: contents by relative path (text is stored as UTF-8), or a FileTree.
        timeout: seconds of wall clock.

    Raises:
        BadInput: an unknown name, or no sandbox is granted.
        TransportError: the transport cannot take the command, or its session was lost.
        ValueError: a timeout that is none.
        Broken: the sandbox failed.

    """
    transports: Registry[Transport] = Registry("transport", built_in("transports", "TRANSPORT"))
    transports.require(transport, "the argument transport")
    providers: Registry[Provider] = Registry("sandbox", built_in("sandboxes", ""))
    chosen = choose_sandbox(sandbox, "the argument sandbox", providers, harmless=False, flag="sandbox")
    text = to_text(command) if isinstance(command, bytes) else command
    tree = files if isinstance(files, FileTree) else FileTree.of(files)
    limits = Limits(wall_s=timeout)
    with closing(transports), providers[chosen].open_sandbox() as opened:
        outcome = carry(transports[transport], text, tree, opened, limits)
    if isinstance(outcome, TransportError):
        raise outcome
    return outcome

"""Which programs a userland consists of in a sandbox, found by asking there, and running commands with them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from shlex import quote

from pytest_quotebench.core.errors import BadInput, Broken
from pytest_quotebench.core.execution import Applets, Execution, Invocation, execution_environment
from pytest_quotebench.core.limits import Limits
from pytest_quotebench.core.text import to_bytes, to_text, visible
from pytest_quotebench.core.tree import Entry, File, FileTree, Symlink
from pytest_quotebench.sandboxes import Sandbox
from pytest_quotebench.userlands import Userland

OWN = ""
"""Stands for the programs that a sandbox has of its own."""

_PATIENCE = Limits(wall_s=10)


@dataclass(frozen=True)
class FoundUserland:
    """A userland as a sandbox has it."""

    version: str
    """What it says of its version, in one line."""
    applets: Applets | None
    """None where it is what the sandbox has of its own."""


def find_userland(name: str, source: str, userland: Userland, sandbox: Sandbox) -> FoundUserland:
    """Ask for a userland inside a sandbox.

    Raises BadInput, naming `source`, where it is not there, and Broken as the sandbox does.
    """
    execution = _ask(sandbox, userland.question)
    if execution.exit_status != 0:
        has_image = "image" in getattr(sandbox, "versions", {})
        image = " It has the programs of its image: name one by QB_DOCKER_IMAGE." if has_image else ""
        raise BadInput(
            f"the userland {name!r} (from {source}) is not there in the sandbox {sandbox.name!r}. "
            f"{userland.install}{image}"
        )
    version, *lines = to_text(execution.stdout).rstrip("\n").split("\n")
    version = visible(version, 100)
    return FoundUserland(version, None if userland.own else Applets(name, _tree(name, lines)))


class InUserland:
    """A sandbox in which every command finds a userland's programs first. It is a sandbox itself."""

    def __init__(self, sandbox: Sandbox, found: FoundUserland) -> None:
        """Take an open sandbox and what was found in it.

        Raises Broken (`userland`) where it does not put applets first in PATH, as a third party's may not.
        """
        self._sandbox = sandbox
        self._applets = found.applets
        self.versions: Mapping[str, str] = {**getattr(sandbox, "versions", {}), "userland": found.version}
        """What the sandbox tells of itself, and the userland's version."""
        if found.applets is not None:
            self._check(found.applets)

    @property
    def name(self) -> str:
        """The name of the sandbox."""
        return self._sandbox.name

    def run(self, tree: FileTree, invocation: Invocation, limits: Limits) -> Execution:
        """Run `invocation` as the sandbox does, with the applets first in its PATH."""
        return self._sandbox.run(tree, replace(invocation, applets=self._applets), limits)

    def _check(self, applets: Applets) -> None:
        sample = min(applets.tree)
        seen = _ask(self, f'[ -e "${{PATH%%:*}}"/{quote(sample)} ] && printf %s "${{PATH%%:*}}"').stdout
        if not seen or to_text(seen) in execution_environment("")["PATH"].split(":"):
            raise Broken(
                "userland",
                f"the sandbox {self.name!r} does not put the userland {applets.name!r} first in PATH: its `run` "
                "must heed Invocation.applets",
            )


def own_userland(versions: Mapping[str, str]) -> str:
    """Return the name of the userland that a sandbox has of its own, from what its tools say of their versions."""
    said = versions.get("sed", "")
    if "(GNU sed)" in said:
        return "gnu"
    lowered = f"{said} {versions.get('grep', '')}".lower()
    found = (name for name in ("busybox", "toybox") if name in lowered)
    is_bsd = versions.get("system", "").startswith(("Darwin", "FreeBSD", "OpenBSD", "NetBSD", "DragonFly"))
    return next(found, "bsd" if is_bsd else "other")


def _ask(sandbox: Sandbox, question: str) -> Execution:
    return sandbox.run(FileTree(), Invocation(argv=(b"bash", b"-c", to_bytes(question))), _PATIENCE)


def _tree(name: str, lines: list[str]) -> FileTree:
    try:
        if not lines:
            raise ValueError("it names none")
        return FileTree(_applet(line) for line in lines)
    except ValueError as error:
        raise BadInput(f"the userland {name!r} answered what is no applet: {error}") from None


def _applet(line: str) -> tuple[str, Entry]:
    name, path, *word = line.split("\t")
    if not word:
        return name, Symlink(path)
    started = " ".join(quote(part) for part in (path, *filter(None, word)))
    return name, File(to_bytes(f'#!/bin/sh\nexec {started} "$@"\n'), 0o755)

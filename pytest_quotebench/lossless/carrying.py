"""Carrying a command along a path, and seeing what became of it."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple, Protocol

from pytest_quotebench.core.errors import BadInput
from pytest_quotebench.core.execution import execution_environment
from pytest_quotebench.core.limits import Limits
from pytest_quotebench.core.tree import Directory, Entry, File, FileTree
from pytest_quotebench.processes.calling import Caller, GaveUpError
from pytest_quotebench.processes.running import run_to_end
from pytest_quotebench.processes.workplace import workplace

_RAW_LIMITS = Limits(wall_s=10)


class Fate(StrEnum):
    """What a path does to a command."""

    INTACT = "intact"
    CHANGED = "changed"
    REFUSED = "refused"
    HANG = "hang"


class Carried(NamedTuple):
    """What a path made of one command."""

    tree: FileTree
    """The directory afterwards, also where it was refused or hung."""
    exit_status: int | None = None
    output: bytes = b""
    problem: str = ""
    """Why the path did not take the command, or that it gave no answer."""
    hung: bool = False

    @property
    def fate_if_wrong(self) -> Fate:
        """What to call it where the directory is not as it must be, or the path did not answer."""
        if self.hung:
            return Fate.HANG
        return Fate.REFUSED if self.problem else Fate.CHANGED


class CommandPath(Protocol):
    """A command path: something that runs a command on a tree."""

    def carry(self, tree: FileTree, command: bytes) -> Carried:
        """Run `command` in a fresh directory that holds `tree`."""
        ...


def fate(carried: Carried, right: tuple[FileTree, ...]) -> Fate:
    """Return what became of a command for which any of the states `right` is unharmed.

    The permission bits of new files do not count: they are the umask's.
    """
    if not carried.problem and same_contents(carried.tree) in map(same_contents, right):
        return Fate.INTACT
    return carried.fate_if_wrong


def same_contents(tree: FileTree) -> FileTree:
    """Return the tree with the permission bits of a new file and directory everywhere."""
    return FileTree({path: _without_mode(entry) for path, entry in tree.items()})


def _without_mode(entry: Entry) -> Entry:
    match entry:
        case File(data):
            return File(data)
        case Directory():
            return Directory()
    return entry


class RawPath:
    """`bash -c COMMAND` as this user: what every other path is measured by."""

    def carry(self, tree: FileTree, command: bytes) -> Carried:
        """Run the command in the fixed environment of every raw execution."""
        return self.carry_with(tree, command, {})

    def carry_with(self, tree: FileTree, command: bytes, changed: dict[str, str]) -> Carried:
        """Run the command with some variables set otherwise."""
        with workplace(tree) as place:
            environment = {**execution_environment(str(place.path)), **changed}
            ended = run_to_end([b"bash", b"-c", command], env=environment, cwd=str(place.path), limits=_RAW_LIMITS)
            return Carried(place.capture().tree, ended.exit_status, ended.stdout.value() + ended.stderr.value())


class CalledPath:
    """A path that is a function of somebody's: `run(command, cwd)`."""

    def __init__(self, caller: Caller, deadline_s: float) -> None:
        """Take the function and the seconds after which a command counts as hung."""
        self._caller = caller
        self._deadline_s = deadline_s

    def carry(self, tree: FileTree, command: bytes) -> Carried:
        """Call the function. An exception of it is a refusal; raises BadInput where it does not return a pair."""
        with workplace(tree) as place:
            try:
                answer = self._caller.call(command, place.path, self._deadline_s)
            except GaveUpError as error:
                return Carried(place.capture().tree, problem=str(error), hung=True)
            except BadInput:
                raise
            except Exception as error:  # noqa: BLE001 -- whatever a path raises, it did not carry the command
                return Carried(place.capture().tree, problem=f"{type(error).__name__}: {error}")
            return Carried(place.capture().tree, answer.exit_status, answer.output)

"""A task: one request whose only difficulty is quoting."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any

from pytest_quotebench.core.goals import Goal
from pytest_quotebench.core.repository import EMPTY_REPOSITORY
from pytest_quotebench.core.tree import File, FileTree

CONTROL_TIER = 0
TIERS = range(4)


@dataclass(frozen=True)
class Fixture:
    """What the task directory holds before the command runs."""

    files: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    programs: Mapping[str, File] = field(default_factory=lambda: MappingProxyType({}))
    directories: tuple[str, ...] = ()
    git_repository: bool = False
    """Whether it is an initialised git repository, user.name and user.email set, without a commit."""

    @cached_property
    def tree(self) -> FileTree:
        """The fixture as a tree."""
        entries = FileTree.of({**self.files, **self.programs}, self.directories)
        return entries.with_entries(EMPTY_REPOSITORY) if self.git_repository else entries


@dataclass(frozen=True, kw_only=True)
class Task:
    """One of the tasks; `oracle` must pass, `naive` must pass at tier 0 and fail at every other tier."""

    id: str
    """Family, tier: `write-file-t3`."""
    published_id: str
    """The id in the authors' release: `write-file/t3-gnarly`."""
    family: str
    tier: int
    """0 is the benign control, 3 the most hostile."""
    hazards: tuple[str, ...]
    instruction: str
    payloads: tuple[str, ...]
    """The literal texts, in the order in which the instruction names them."""
    fixture: Fixture
    goal: Goal
    allowed_new_files: tuple[str, ...]
    oracle: str
    naive: str

    @property
    def is_control(self) -> bool:
        """Whether this is its family's benign control."""
        return self.tier == CONTROL_TIER

    @cached_property
    def digest(self) -> str:
        """SHA-256 of all that decides a verdict: instruction, fixture, goal and allowed new files."""
        parts = (self.id, self.instruction, _plain(self.fixture.tree), repr(self.goal), self.allowed_new_files)
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def _plain(tree: FileTree) -> list[tuple[str, str]]:
    return [(path, repr(entry)) for path, entry in tree.items()]


def prompt_digest(system: str, instruction: str) -> str:
    """Return the SHA-256 by which a prompt is known: of both texts joined by an empty line, in UTF-8."""
    return hashlib.sha256(f"{system}\n\n{instruction}".encode()).hexdigest()


def tasks_by_id(tasks: Any) -> dict[str, Task]:
    """Return the tasks by id, and by published id too."""
    return {name: task for task in tasks for name in (task.id, task.published_id)}

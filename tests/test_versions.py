"""The versions that are stored with every result, also of tools that tell none."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_quotebench.core.execution import Applets
from pytest_quotebench.core.tree import File, FileTree
from pytest_quotebench.sandboxes import local
from pytest_quotebench.userland_choice import FoundUserland, InUserland
from pytest_quotebench.versions import tool_versions

GNU = "case $1 in --version) printf 'sed (GNU sed) 4.9\\nCopyright\\n' ;; *) exit 1 ;; esac"
BUSYBOX = (
    "printf '%s\\n' 'sed: unrecognized: --version' 'BusyBox v1.36.1 (2024) multi-call binary.' '' >&2; exit 1"
)
NOT_GNU = "echo 'This is not GNU sed version 4.0'"
TOYBOX = "echo 'toybox 0.8.9'; exit 2"
BSD = "echo 'sed: illegal option -- -' >&2; exit 1"
MAWK = "case $1 in -Wversion) echo 'mawk 1.3.4' ;; *) echo 'not an option' >&2; exit 2 ;; esac"


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        (GNU, "sed (GNU sed) 4.9"),
        (BUSYBOX, "BusyBox v1.36.1 (2024) multi-call binary."),
        (NOT_GNU, "This is not GNU sed version 4.0"),
        (TOYBOX, "toybox 0.8.9"),
        (MAWK, "mawk 1.3.4"),
    ],
)
def test_every_makers_way_to_say_a_version_is_understood(program: str, expected: str) -> None:
    assert versions_with("sed", program)["sed"] == expected


def test_a_tool_without_a_version_has_that_of_its_system() -> None:
    """So BSD's tools are told apart, which say none."""
    found = versions_with("sed", BSD)

    assert found["sed"] == f"(of {found['system']})"


def test_the_answers_are_in_one_order_and_bash_among_them() -> None:
    found = versions_with("more", "exit 0")

    assert list(found)[:2] == ["system", "bash"]
    assert {"sed", "awk", "grep", "find"} <= found.keys()
    assert not found["bash"].startswith("not bash")


def test_what_runs_as_bash_and_is_none_is_not_called_so() -> None:
    """dash tells no version; it is no bash without a version either."""
    if not Path("/bin/sh").resolve().name.startswith("dash"):
        pytest.skip("/bin/sh is not dash")

    assert versions_with("bash", 'exec /bin/sh "$@"')["bash"] == "not bash: a shell that tells no version"


def versions_with(name: str, program: str) -> dict[str, str]:
    """Return the versions where `name` is a small program."""
    applets = Applets("mine", FileTree({name: File(f"#!/bin/sh\n{program}\n".encode(), 0o755)}))
    with local.open_sandbox() as sandbox:
        return tool_versions(InUserland(sandbox, FoundUserland("mine 1", applets)))

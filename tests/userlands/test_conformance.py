"""What a userland is, in every sandbox: its programs are found, nothing else changes, no item can change it."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_quotebench.core.execution import Execution
from pytest_quotebench.core.tree import File, Symlink
from pytest_quotebench.registry import Registry, variant_names
from pytest_quotebench.sandboxes import Sandbox, docker, local
from pytest_quotebench.userland_choice import InUserland, find_userland
from pytest_quotebench.userlands import Userland
from pytest_quotebench.versions import tool_versions

Inside = Callable[[str, Sandbox], InUserland]
Run = Callable[[Sandbox, str], Execution]

NAMES = variant_names("userlands")
OWN = ("bsd", "gnu")
APPLETS = [name for name in NAMES if name not in OWN]
SHELLS = ("ash", "dash", "ksh93", "mksh", "yash", "zsh")

SEEN = {
    "ash": ("sed --version", r"This is not GNU sed"),
    "bsd": ("uname -s", r"Darwin|BSD|DragonFly"),
    "busybox": ("find --help 2>&1", r"BusyBox v"),
    "bwk": ("awk --version", r"awk version \d{8}"),
    "dash": ("echo ${BASH_VERSION-none} $'x'", r"none \$x"),
    "gawk": ("awk --version", r"GNU Awk"),
    "gnu": ("sed --version", r"sed \(GNU sed\)"),
    "ksh93": ("echo ${.sh.version}", r"93"),
    "mawk": ("awk -Wversion 2>&1", r"mawk"),
    "mksh": ('echo "$KSH_VERSION"', r"MIRBSD KSH"),
    "toybox": ("find --version", r"toybox"),
    "uutils": ("ls --version", r"^ls 0\."),
    "yash": ('echo "$YASH_VERSION"', r"^\d"),
    "zsh": ('echo "$ZSH_VERSION"; x="a b"; printf "%s." $x', r"^\d.*\na b\.$"),
}
"""For each userland a command and what it says there."""

MEDDLING = """
place=${PATH%%:*}
case $place in */applets-*) ;; *) exit 9 ;; esac
for name in "$place"/*; do break; done
echo mine >mine && mv -f mine "$name"
chmod 777 "$place"; rm -rf "$place"; mv "$place" here; mkdir "$place"
"""
"""Nothing is written through a name that is there: under `local` it leads to a program of this machine."""

ATTEMPTS = ('mkdir "${PATH%%:*}/qb-no-applets-name"', 'chmod 777 "${PATH%%:*}"', 'mv "${PATH%%:*}" here')


def test_every_userland_is_tried(userlands: Registry[Userland]) -> None:
    """A new file needs a line above: something that shows whose program it is."""
    assert set(SEEN) == set(userlands)
    assert {name for name in userlands if userlands[name].own} == set(OWN)


@pytest.mark.parametrize("name", NAMES)
def test_its_program_is_what_a_command_finds(sandbox: Sandbox, name: str, inside: Inside, run: Run) -> None:
    command, expected = SEEN[name]

    execution = run(inside(name, sandbox), command)

    assert re.search(expected, execution.stdout.decode()), execution
    assert dict(execution.tree) == {}


@pytest.mark.parametrize("name", NAMES)
def test_without_it_the_sandbox_is_as_ever(sandbox: Sandbox, name: str, inside: Inside, run: Run) -> None:
    """The same sandbox runs items with and without: PATH has one directory more, at its start."""
    plain = run(sandbox, 'printf %s "$PATH"').stdout
    there = run(inside(name, sandbox), 'printf %s "$PATH"').stdout

    more = rb"/[^:]*/applets-[a-z0-9]+:" if name in APPLETS else b""
    assert re.fullmatch(more + re.escape(plain), there)
    assert run(sandbox, 'printf %s "$PATH"').stdout == plain


@pytest.mark.parametrize("name", APPLETS)
def test_every_applet_leads_to_a_program(sandbox: Sandbox, name: str, inside: Inside, run: Run) -> None:
    """Each link ends at a program that this sandbox has."""
    there = inside(name, sandbox)

    dangling = run(there, 'for link in "${PATH%%:*}"/*; do [ -x "$link" ] || printf "%s\n" "$link"; done')

    assert dangling.stdout == b""


@pytest.mark.parametrize("name", APPLETS)
def test_no_item_changes_it_for_the_next(sandbox: Sandbox, name: str, inside: Inside, run: Run) -> None:
    """Under `local` a command can; then the next item has it anew."""
    there = inside(name, sandbox)
    listing = 'cd "${PATH%%:*}" && for link in *; do printf "%s " "$link"; done'
    before = run(there, listing).stdout

    run(there, MEDDLING)

    assert run(there, listing).stdout == before != b""
    assert re.search(SEEN[name][1], run(there, SEEN[name][0]).stdout.decode())


@pytest.mark.parametrize("name", APPLETS)
def test_it_is_read_only_where_a_sandbox_holds(sandbox: Sandbox, name: str, inside: Inside, run: Run) -> None:
    if sandbox.name == "local":
        pytest.skip("local holds nothing: what a command changes is laid out anew")

    there = inside(name, sandbox)

    assert [attempt for attempt in ATTEMPTS if run(there, attempt).exit_status == 0] == []


@pytest.mark.parametrize("name", SHELLS)
def test_a_shell_is_bash_and_sh(namespace: Sandbox, name: str, inside: Inside, run: Run) -> None:
    """Neither name leads to bash."""
    there = inside(name, namespace)

    for shell in ("bash", "sh"):
        assert run(there, f"{shell} -c 'echo ${{BASH_VERSION-none}}'").stdout == b"none\n"
    assert tool_versions(there)["bash"].startswith("not bash: ")


@pytest.mark.parametrize("name", [name for name in NAMES if name not in SHELLS])
def test_tools_leave_the_shell_alone(namespace: Sandbox, name: str, inside: Inside) -> None:
    there = inside(name, namespace)

    assert tool_versions(there)["bash"] == tool_versions(namespace)["bash"]


def test_a_multi_call_userland_has_the_names_that_its_program_lists(
    namespace: Sandbox, inside: Inside, run: Run, userlands: Registry[Userland]
) -> None:
    """All of them but `bash`, as links."""
    inside("busybox", namespace)
    listed = run(namespace, "busybox --list").stdout.decode().split()

    found = find_userland("busybox", "a test", userlands["busybox"], namespace).applets

    assert found is not None
    assert set(found.tree) == set(listed) - {"bash"}
    assert {type(entry) for entry in found.tree.values()} == {Symlink}


def test_a_shell_by_its_own_name_is_a_small_program(
    namespace: Sandbox, inside: Inside, userlands: Registry[Userland]
) -> None:
    """A link called bash would make zsh act as sh."""
    inside("zsh", namespace)

    found = find_userland("zsh", "a test", userlands["zsh"], namespace).applets

    assert found is not None
    assert found.tree == {
        "bash": File(b'#!/bin/sh\nexec /usr/bin/zsh "$@"\n', 0o755),
        "sh": Symlink("/usr/bin/zsh"),
    }


def test_a_fresh_container_has_it_too(inside: Inside, run: Run) -> None:
    """Each item has a container of its own, and each container the applets."""
    if reason := docker.refusal():
        pytest.skip(f"docker: {reason}")

    with docker.open_sandbox(mode="fresh") as sandbox:
        there = inside("dash", sandbox)

        said = [run(there, "echo ${BASH_VERSION-none}").stdout for _ in range(2)]

    assert said == [b"none\n", b"none\n"]


def test_nothing_is_left_of_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, inside: Inside, run: Run) -> None:
    """Neither of what local laid out, nor of what it laid out anew."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with local.open_sandbox() as sandbox:
        there = inside("dash", sandbox)
        run(there, MEDDLING)
        run(there, "true")
        held = list(tmp_path.iterdir())

    assert (len(held) > 2, list(tmp_path.iterdir())) == (True, [])

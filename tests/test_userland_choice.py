"""Asking a sandbox for a userland, with userlands that exist nowhere, and sandboxes that know none."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from pytest_quotebench.core.errors import BadInput, Broken
from pytest_quotebench.core.execution import Applets, Execution, Invocation
from pytest_quotebench.core.limits import Limits
from pytest_quotebench.core.tree import File, FileTree, Symlink
from pytest_quotebench.registry import Registry, built_in
from pytest_quotebench.sandboxes import Sandbox, local
from pytest_quotebench.userland_choice import FoundUserland, InUserland, find_userland, own_userland
from pytest_quotebench.userlands import Userland, of_many, of_one, of_shell
from pytest_quotebench.versions import tool_versions


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    with local.open_sandbox() as opened:
        yield opened


class Heedless:
    """A sandbox of somebody's who has never heard of applets."""

    name = "heedless"

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    def run(self, tree: FileTree, invocation: Invocation, limits: Limits) -> Execution:
        return self._sandbox.run(tree, replace(invocation, applets=None), limits)


def test_what_is_not_there_is_told_with_what_to_do(sandbox: Sandbox) -> None:
    absent = of_one("no-such-awk", ("awk",), "no-such-awk --version", install="Install it.")

    with pytest.raises(BadInput) as caught:
        find_userland("mine", "the ini file", absent, sandbox)

    assert str(caught.value) == (
        "the userland 'mine' (from the ini file) is not there in the sandbox 'local'. Install it."
    )


def test_a_sandbox_with_an_image_names_the_way_to_another(sandbox: Sandbox) -> None:
    sandbox.versions = {"image": "sha256:0"}  # type: ignore[attr-defined]

    with pytest.raises(BadInput, match="name one by QB_DOCKER_IMAGE"):
        find_userland("mine", "here", of_one("no-such-awk", ("awk",), "", install="Install it."), sandbox)


def test_an_answer_becomes_links_and_small_programs(sandbox: Sandbox) -> None:
    """The first line is the version; a third field starts a program by its own name."""
    question = r"printf '%s\n' 'mine 1.0' 'a	/bin/a' 'b	/bin/my b	' 'c	/bin/c	sub word'"

    found = find_userland("mine", "here", Userland(question=question, install=""), sandbox)

    assert found.version == "mine 1.0"
    assert found.applets is not None
    assert found.applets.tree == {
        "a": Symlink("/bin/a"),
        "b": File(b"#!/bin/sh\nexec '/bin/my b' \"$@\"\n", 0o755),
        "c": File(b"#!/bin/sh\nexec /bin/c 'sub word' \"$@\"\n", 0o755),
    }


@pytest.mark.parametrize("answer", ["../a	/bin/a", "a", "	/bin/a", ""])
def test_what_is_no_applet_is_refused(sandbox: Sandbox, answer: str) -> None:
    question = f"printf '%s\\n' 'mine 1.0' {answer and repr(answer)}"

    with pytest.raises(BadInput, match="the userland 'mine' answered what is no applet"):
        find_userland("mine", "here", Userland(question=question, install=""), sandbox)


def test_a_program_of_many_names_keeps_bash_out(sandbox: Sandbox) -> None:
    """And a program of one name, or a shell, has just those."""
    many = of_many("sh", "echo cat bash sed", "echo many 2", install="")
    shell = of_shell("sh", "echo a shell", install="", argument="-x")

    found = find_userland("mine", "here", many, sandbox)
    shells = find_userland("mine", "here", shell, sandbox)

    assert (found.version, found.applets and list(found.applets.tree)) == ("many 2", ["cat", "sed"])
    assert shells.applets is not None
    assert list(shells.applets.tree) == ["bash", "sh"]
    assert isinstance(bash := shells.applets.tree["bash"], File)
    assert bash.data.endswith(b'/sh -x "$@"\n')


def test_a_sandbox_that_heeds_no_applets_is_broken_not_silent(sandbox: Sandbox) -> None:
    """Its results would be told of programs that never ran."""
    found = find_userland("mine", "here", of_one("cat", ("mine",), "echo 1", install=""), sandbox)

    with pytest.raises(Broken, match="'heedless' does not put the userland 'mine' first in PATH") as caught:
        InUserland(Heedless(sandbox), found)

    assert caught.value.detail == "userland"


def test_the_sandbox_with_a_userland_tells_of_both(sandbox: Sandbox) -> None:
    found = find_userland("mine", "here", of_one("cat", ("mine",), "echo version 1", install=""), sandbox)
    sandbox.versions = {"image": "sha256:0"}  # type: ignore[attr-defined]

    inside = InUserland(sandbox, found)

    assert (inside.name, inside.versions) == ("local", {"image": "sha256:0", "userland": "version 1"})


def test_a_mac_is_bsd_and_not_gnu(sandbox: Sandbox) -> None:
    """Its own programs, with the system's release as their version. (A Mac as far as uname and sed can tell.)"""
    programs = {
        "uname": '#!/bin/sh\n[ "$1" = -s ] && echo Darwin || echo Darwin 23.4.0\n',
        "sed": "#!/bin/sh\necho 'sed: illegal option -- -' >&2\nexit 1\n",
    }
    tree = FileTree({name: File(text.encode(), 0o755) for name, text in programs.items()})
    mac = InUserland(sandbox, FoundUserland("", Applets("mac", tree)))
    known: Registry[Userland] = Registry("userland", built_in("userlands", "USERLAND"))

    found = find_userland("bsd", "here", known["bsd"], mac)

    assert (found.version, found.applets) == ("Darwin 23.4.0", None)
    assert own_userland(tool_versions(mac)) == "bsd"
    with pytest.raises(BadInput, match=r"the userland 'gnu' .* The programs here are not GNU's"):
        find_userland("gnu", "here", known["gnu"], mac)


@pytest.mark.parametrize(
    ("versions", "expected"),
    [
        ({"sed": "sed (GNU sed) 4.9", "system": "Linux 6.1"}, "gnu"),
        ({"sed": "This is not GNU sed version 4.0", "grep": "BusyBox v1.36.1"}, "busybox"),
        ({"sed": "This is not GNU sed version 9.0", "grep": "toybox 0.8.9"}, "toybox"),
        ({"sed": "(of Darwin 23.4.0)", "grep": "grep (BSD grep, GNU compatible)", "system": "Darwin 23.4"}, "bsd"),
        ({"sed": "(of FreeBSD 14.1-RELEASE)", "system": "FreeBSD 14.1-RELEASE"}, "bsd"),
        ({"sed": "sed (GNU sed) 4.9", "system": "Darwin 23.4.0"}, "gnu"),
        ({"sed": "(of Linux 6.1)", "system": "Linux 6.1"}, "other"),
        ({}, "other"),
    ],
)  # fmt: skip
def test_a_sandboxs_own_userland_is_named_by_what_its_tools_say(versions: dict[str, str], expected: str) -> None:
    """A Mac is never called gnu, unless GNU's sed comes first there."""
    assert own_userland(versions) == expected

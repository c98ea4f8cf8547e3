"""Words of Ansible's command module: variables and `~` are replaced in each, whatever quotes it was in."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest

from pytest_quotebench.core.errors import TransportError
from pytest_quotebench.core.limits import Limits
from pytest_quotebench.core.tree import FileTree
from pytest_quotebench.sandboxes.local import LocalSandbox, open_sandbox
from pytest_quotebench.transports.ansible_command import TRANSPORT

pytestmark = pytest.mark.skipif(shutil.which("python3") is None, reason="python3 is not there")


@pytest.fixture(scope="module")
def sandbox() -> Iterator[LocalSandbox]:
    with open_sandbox() as opened:
        yield opened


@pytest.mark.parametrize(
    ("command", "printed"),
    [
        ("printf %s, '$LC_ALL' \\$LANG \"${TERM}x\" $no ${no}", b"C,C,dumbx,$no,${no},"),
        ("printf %s, $ $$ $( $' a$", b""),
        ("printf %s, $ $$ $( a$ `x` *.c | y > z", b"$,$$,$(,a$,`x`,*.c,|,y,>,z,"),
        ("printf '%s' ~root", b"/root"),
        ("printf %s, 'a~' x=~", b"a~,x=~,"),
    ],
)
def test_only_variables_that_are_set_are_replaced(sandbox: LocalSandbox, command: str, printed: bytes) -> None:
    try:
        ended = sandbox.run(FileTree(), TRANSPORT.plan(command), Limits())
    except TransportError as error:
        assert (error.detail, printed) == ("unparseable", b"")  # noqa: PT017
        return

    assert ended.stdout == printed


def test_home_is_the_task_directory(sandbox: LocalSandbox) -> None:
    ended = sandbox.run(FileTree(), TRANSPORT.plan("touch '~/a' \"$HOME/b\""), Limits())

    assert sorted(ended.tree) == ["a", "b"]


@pytest.mark.parametrize("command", ["echo $HOME", "ls ~", "echo '${x}'"])
def test_what_the_target_replaces_is_not_claimed(command: str) -> None:
    assert TRANSPORT.layers(command)[-1].text is None

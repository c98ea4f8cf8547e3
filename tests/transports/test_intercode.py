"""What is pasted between InterCode's double quotes is shlex's, not a shell's."""

from __future__ import annotations

import pytest

from pytest_quotebench.core.errors import TransportError
from pytest_quotebench.transports.intercode import TRANSPORT


@pytest.mark.parametrize(
    ("command", "argv"),
    [
        ("echo $x `y` !z", (b"/bin/bash", b"-c", b"echo $x `y` !z")),
        (' echo "a b" ', (b"/bin/bash", b"-c", b"echo a", b"b")),
        ('echo \\"a\\" \\\\ \\n', (b"/bin/bash", b"-c", b'echo "a" \\ \\n')),
        ("echo 'a\nb'\n", (b"/bin/bash", b"-c", b"echo 'a\nb'")),
    ],
)
def test_the_words_are_those_of_shlex(command: str, argv: tuple[bytes, ...]) -> None:
    assert TRANSPORT.plan(command).argv == argv


@pytest.mark.parametrize("command", ['echo "a', "echo a \\", 'echo "it\'s"'])
def test_an_open_quotation_is_unparseable(command: str) -> None:
    with pytest.raises(TransportError) as raised:
        TRANSPORT.plan(command)

    assert raised.value.detail == "unparseable"
    assert TRANSPORT.layers(command)[-1].text == ""

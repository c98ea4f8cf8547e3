"""`silence_pip` is the one thing that AutoGen does to a command."""

from __future__ import annotations

from hashlib import sha256

import pytest

from pytest_quotebench.transports.autogen import TRANSPORT, silence_pip


@pytest.mark.parametrize(
    ("code", "written"),
    [
        ("pip install x", "pip install -qqq x"),
        ("pip install x && pip install y", "pip install -qqq x && pip install -qqq y"),
        ("pip install -qqq x", "pip install -qqq x"),
        ("pip installed", "pip install -qqqed"),
        (" pip install x", " pip install x"),
        ("echo pip install", "echo pip install"),
        ("cat <<'E'\npip install x\nE\n", "cat <<'E'\npip install -qqq x\nE\n"),
        ("a\r\npip install x\r\n", "a\r\npip install -qqq x\r\n"),
    ],
)
def test_lines_that_begin_with_pip_install_are_made_quiet(code: str, written: str) -> None:
    """As autogen-ext 0.7.5 does; checked by hand against its source."""
    assert silence_pip(code) == written


def test_the_file_is_named_by_what_is_written() -> None:
    (name, file), *others = TRANSPORT.plan("pip install x").aux_files.items()

    assert file.data == b"pip install -qqq x"
    assert (name, others) == (f"tmp_code_{sha256(file.data).hexdigest()}.bash", [])

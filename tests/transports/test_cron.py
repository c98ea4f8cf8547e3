"""What a crontab entry becomes, as Debian's cron 3.0pl1-162 was seen to run it."""

from __future__ import annotations

import pytest

from pytest_quotebench.core.errors import TransportError
from pytest_quotebench.transports.cron import MAX_COMMAND_BYTES, TRANSPORT, split_entry


@pytest.mark.parametrize(
    ("entry", "source", "data"),
    [
        ("date +%Y > out", "date +", "Y > out\n"),
        ("date +\\%Y > out", "date +%Y > out", ""),
        (
            "printf '<\\%s>' 'c\\\\d' 'e\\\\\\f' 'g\\\\\\\\h' 'i\\$j'",
            "printf '<%s>' 'c\\d' 'e\\\\f' 'g\\\\h' 'i\\$j'",
            "",
        ),
        ("printf '[a\\\\%b]'", "printf '[a\\", "b]'\n"),
        ("printf '<\\%s>' 'x\\\\\\%y'", "printf '<%s>' 'x\\%y'", ""),
        ("cat >o%l1\\%x%l2\\\\%l3 \\q", "cat >o", "l1%x\nl2\\%l3 \\q\n"),
        ("cat > o%a\\%b\\\\c\\d%%e\\", "cat > o", "a%b\\\\c\\d\n\ne\\\n"),
        ("cat >o%one%", "cat >o", "one\n"),
        ("cat >o%", "cat >o", ""),
        ("printf '\\%s' x \\", "printf '%s' x \\", ""),
        ("", "", ""),
    ],
)
def test_an_entry_is_split_as_the_daemon_splits_it(entry: str, source: str, data: str) -> None:
    """Seen through the files that the entries wrote, but for the first two, which crontab(5) tells."""
    assert split_entry(entry) == (source, data)


def test_a_line_break_ends_an_entry() -> None:
    with pytest.raises(TransportError, match="line break") as raised:
        TRANSPORT.plan("echo a\necho b")

    assert raised.value.detail == "refused"
    assert TRANSPORT.layers("echo a\necho b")[-1].text == ""


def test_the_daemon_takes_998_bytes_and_no_more() -> None:
    assert TRANSPORT.plan(": " + "é" * 498).argv
    with pytest.raises(TransportError) as raised:
        TRANSPORT.plan(": " + "é" * 498 + "x")

    assert raised.value.detail == "too-long"


def test_a_command_that_fits_no_entry_has_no_escaped_form() -> None:
    assert TRANSPORT.matched("x" * 900 + "%")
    with pytest.raises(ValueError, match=str(MAX_COMMAND_BYTES)):
        TRANSPORT.matched("x" * 987 + "%%")

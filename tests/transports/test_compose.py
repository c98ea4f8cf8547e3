"""What `command:` becomes, as Docker Compose 2.40.3 was seen to read it with an empty environment."""

from __future__ import annotations

import pytest

from pytest_quotebench.core.errors import TransportError
from pytest_quotebench.transports.compose import TRANSPORT, read_words

SEEN: list[tuple[str, tuple[str, ...]]] = [
    ("echo $$x", ("echo", "$x")),
    ("echo $1 a", ("echo", "$1", "a")),
    ("echo $(ls) a", ("echo", "$(ls)", "a")),
    ("echo $UNSET a", ("echo", "a")),
    ("echo ${UNSET:-def} a", ("echo", "def", "a")),
    ('echo "${UNSET:-a b}"', ("echo", "a b")),
    ("echo a; echo b", ("echo", "a")),
    ("echo a > out", ("echo", "a")),
    ("echo 2>out", ("echo",)),
    ("echo a2>out", ("echo", "a2")),
    ("echo a|b", ("echo", "a")),
    ("echo 'a b' \"c'd\" \\e \\t x\\ny", ("echo", "a b", "c'd", "e", "t", "xny")),
    ("echo `ls a`", ("echo", "`ls a`")),
    ("echo # c", ("echo", "#", "c")),
    ('echo ""', ("echo", "")),
    ("echo a''b", ("echo", "ab")),
    ("echo $", ("echo", "$")),
    ("echo ${A:+b}", ("echo",)),
    ("echo $a$b", ("echo",)),
    ("echo a\nb", ("echo", "a", "b")),
    ("echo a\\\nb", ("echo", "a\nb")),
    ("echo $'a'", ("echo", "$a")),
    ("echo ${A:-${B:-c}}", ("echo", "c")),
    ("echo ${A:-$$x}", ("echo", "$x")),
    ('echo "a\\nb" "a\\tb" \'a\\nb\'', ("echo", "anb", "atb", "a\\nb")),
    ('echo "a\\"b\\\\c\\$$d"', ("echo", 'a"b\\c$d')),
    ("echo {a,b} *", ("echo", "{a,b}", "*")),
    ("echo a\rb", ("echo", "a", "b")),
    ("echo $$$x", ("echo", "$")),
    ("$X echo", ("echo",)),
    ("echo $é", ("echo", "$é")),
    ("echo ${A:-}}x", ("echo", "}x")),
    ("echo ${A:-{}}", ("echo", "{}")),
]
REFUSED = [
    "echo ${1}",
    "echo ${a b}",
    "echo (a)",
    'echo "abc',
    "echo it's",
    "a=(1 2)",
    "echo ${A:?err}",
    "echo ${A?}",
]
REFUSED += ["echo )", "echo $(a", "echo \\", "echo ${", "echo ${}", "echo $((1))"]


@pytest.mark.parametrize(("command", "words"), SEEN)
def test_the_words_are_those_that_were_seen(command: str, words: tuple[str, ...]) -> None:
    assert read_words(command) == words


@pytest.mark.parametrize("command", REFUSED)
def test_what_it_refused_is_unparseable(command: str) -> None:
    with pytest.raises(TransportError) as raised:
        TRANSPORT.plan(command)

    assert raised.value.detail == "unparseable"
    assert TRANSPORT.layers(command)[-1].text == ""


@pytest.mark.parametrize("command", ["", " ", "${X}", "> out", "; ls"])
def test_a_command_without_words_is_refused(command: str) -> None:
    with pytest.raises(TransportError) as raised:
        TRANSPORT.plan(command)

    assert raised.value.detail == "refused"


HOSTILE = ["${A:-" * 20_000, "${A:-" * 18_000 + "}" * 18_000, "${A:-}" * 10_000, "${" * 60_000, "$$" * 60_000]


@pytest.mark.parametrize("command", HOSTILE)
def test_a_hostile_template_takes_no_long_time(command: str) -> None:
    assert TRANSPORT.layers(command)

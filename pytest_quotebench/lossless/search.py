"""The search: commands made by hypothesis out of what paths are known to lose, and much that is not."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from pytest_quotebench.core.escaping import inside_double_quotes, inside_single_quotes
from pytest_quotebench.core.text import to_bytes
from pytest_quotebench.lossless.probes import is_harmless

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

PIECES = (
    *"'\"\\$`!*?[]{}()<>|&;#~=^+%,:@_- \t\n\r",
    *(
        "a",
        "b",
        "A",
        "9",
        "é",
        "語",
        "😀",
        "\u2028",
        "\u00a0",
        "\ufeff",
        "\x01",
        "\x1b",
        "\x7f",
        "\udcff",
        "\udc80",
    ),
    *("\\\\", "$9", "$PATH", "${9}", "$(:)", "`:`", "!]", "%s", "%%", "{}", "{{9}}", "${{9}}", "{a,b}"),
    *("  ", "\r\n", "\n\n", "\nE\n", "&&", "||", ">>", "&amp;", "\\n", "\\x41", "''", '""', "'\\''", '\\"', "--"),
)
"""What text is made of: every sign that a shell knows, and sequences that mean something to others on the way."""

_LONGEST = 20_000
_MANY = 10**6


class _StopError(Exception):
    """The search is at its end."""


def search(is_harmed: Callable[[bytes], bool], goes_on: Callable[[], bool], *, tried: list[int]) -> bytes | None:
    """Return the first command of the search that is harmed, or None where time was up before.

    The same commands in the same order every time; nothing is stored. `tried[0]` counts them.
    """
    from hypothesis import HealthCheck, Phase, given, settings

    found: list[bytes] = []

    @settings(
        derandomize=True,
        database=None,
        max_examples=_MANY,
        deadline=None,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
        print_blob=False,
        report_multiple_bugs=False,
    )
    @given(command=commands())
    def attempt(command: bytes) -> None:
        if found or not goes_on():
            raise _StopError
        if not is_harmless(command):
            return
        tried[0] += 1
        if is_harmed(command):
            found.append(command)
            raise _StopError

    with _nothing_stored(), suppress(_StopError):
        attempt()
    return found[0] if found else None


def texts() -> SearchStrategy[str]:
    """Return hostile text: short, made of `PIECES`, of other characters, or of one piece many times."""
    from hypothesis import strategies as st

    pieces = st.sampled_from(PIECES) | st.characters(min_codepoint=0x80, exclude_categories=["Cs"])
    short = st.lists(pieces, max_size=12).map("".join)
    long = st.builds(lambda piece, count: piece * count, st.sampled_from(PIECES), st.sampled_from([60, 300, 1100]))
    return st.one_of(short, short, short, long).map(lambda text: text[:_LONGEST])


def commands() -> SearchStrategy[bytes]:
    """Return commands that print such texts, quoted in every way, into `f`. Not all of them are harmless."""
    from hypothesis import strategies as st

    words = st.lists(
        st.one_of([texts().map(quote) for quote in (_single, _double, _backslashed)]), min_size=1, max_size=3
    )
    prints = st.builds(
        lambda start, words: start + " ".join(words), st.sampled_from(["printf %s ", "printf '[%s]' "]), words
    )
    before = st.sampled_from(["", "", "", " ", "\n", "#a'\n", ":|", ":<<'E'\n\"'\nE\n"])
    after = st.sampled_from([">f", ">f", ">f", ">f\n", ">f ", ">f;", ">f #'", ">f&&echo a>b", ">f\\\n", "\\\n>f"])
    whole = st.builds(lambda *parts: "".join(parts), before, prints, after)
    several = st.lists(prints, min_size=1, max_size=3).map(lambda lines: "\n".join(f"{line}>>f" for line in lines))
    return st.one_of(whole, whole, several).map(to_bytes)


def _single(text: str) -> str:
    return f"'{inside_single_quotes(text)}'"


def _double(text: str) -> str:
    return f'"{inside_double_quotes(text)}"'


def _backslashed(text: str) -> str:
    quoted = "".join(
        "'\n'" if sign == "\n" else sign if sign.isalnum() or not sign.isascii() else f"\\{sign}" for sign in text
    )
    return quoted or "''"


@contextmanager
def _nothing_stored() -> Iterator[None]:
    """Let hypothesis keep its caches elsewhere for a while: the project is somebody else's."""
    from hypothesis import configuration

    before = vars(configuration).get("__hypothesis_home_directory")
    with tempfile.TemporaryDirectory(prefix="qb-") as directory:
        configuration.set_hypothesis_home_dir(directory)
        try:
            yield
        finally:
            configuration.set_hypothesis_home_dir(before)

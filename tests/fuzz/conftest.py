"""How many cases a fuzz test makes up."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from pytest_quotebench.core.text import to_bytes
from pytest_quotebench.lossless.making import PALETTES, PIECES, QUOTINGS
from pytest_quotebench.lossless.probes import is_harmless
from pytest_quotebench.sandboxes import Sandbox
from pytest_quotebench.sandboxes.local import open_sandbox

Fuzzed = Callable[..., settings]
OTHERS = st.characters(min_codepoint=0x80, exclude_categories=["Cs"])
LONG = 40
"""How many times as much is tried with `-m fuzz`."""


@pytest.fixture
def fuzzed(pytestconfig: pytest.Config) -> Fuzzed:
    """Settings for so many cases, and many more of them where fuzzing was asked for."""
    is_long = "fuzz" in pytestconfig.option.markexpr and "not" not in pytestconfig.option.markexpr

    def fuzzed(examples: int) -> settings:
        return settings(
            max_examples=examples * (LONG if is_long else 1),
            derandomize=not is_long,
            deadline=None,
            database=None,
            suppress_health_check=list(HealthCheck),
        )

    return fuzzed


def texts(pieces: tuple[str, ...] = PIECES) -> SearchStrategy[str]:
    known = st.sampled_from(pieces)
    long = st.builds(lambda piece, count: piece * count, known, st.sampled_from([60, 300, 1100]))
    return st.lists(known | OTHERS, max_size=16).map("".join) | st.lists(known, max_size=24).map("".join) | long


def commands_of(palette: tuple[str, ...]) -> SearchStrategy[str]:
    word = st.one_of([texts(palette).map(quote) for quote in QUOTINGS])
    words = st.lists(word, min_size=1, max_size=3).map(" ".join)
    printing = st.builds(
        "{}{}{}{}".format, st.sampled_from(["", " ", "#a'\n"]), st.just("printf %s "), words, st.just(">f")
    )
    return (
        st.lists(printing, min_size=1, max_size=2).map("\n".join).filter(lambda text: is_harmless(to_bytes(text)))
    )


@pytest.fixture(scope="session")
def hostile_texts() -> SearchStrategy[str]:
    """Quotes, `$`, backquotes, `!`, backslashes, globs, line breaks, tabs, dashes, EOF lines, braces, tildes,
    text beyond ASCII and bytes that are no text."""
    return texts()


@pytest.fixture(scope="session")
def hostile_commands() -> SearchStrategy[str]:
    """Harmless commands that print such texts, quoted in every way, into the file `f`."""
    return st.one_of([commands_of(palette) for palette in PALETTES])


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    """Everything here is made by machine."""
    with open_sandbox() as opened:
        yield opened

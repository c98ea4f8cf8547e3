"""`$'...'` words mean to a real bash what they were made of, and are read back."""

from __future__ import annotations

import subprocess

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pytest_quotebench.core.ansi_c import ansi_c_text, ansi_c_word
from pytest_quotebench.core.text import to_bytes

ASCII = [chr(code) for code in range(1, 128)]
texts = st.text(st.sampled_from([*ASCII, "é", "😀", "\udcff", "\udc80", "7", "\\", "'"]), max_size=12)
avoided = st.sampled_from(["", "$", "%\\", "$`!%"])


@given(batch=st.lists(texts, min_size=30, max_size=60), avoid=avoided)
@example(batch=["".join(ASCII), "\x017", "\x7f\x01", "a\udcffb", ""], avoid="$%")
@settings(max_examples=15)
def test_bash_reads_the_text_out_of_the_word(batch: list[str], avoid: str) -> None:
    words = " ".join(ansi_c_word(text, avoid) for text in batch)

    done = subprocess.run(
        ["bash", "-c", to_bytes(f"printf '%s\\0' {words}")],
        capture_output=True,
        check=True,
        env={"PATH": "/usr/bin:/bin", "LC_ALL": "C"},
    )

    assert done.stdout.split(b"\0")[:-1] == [to_bytes(text) for text in batch]


@given(text=texts, avoid=avoided)
def test_a_word_is_read_back_and_is_one_visible_line(text: str, avoid: str) -> None:
    word = ansi_c_word(text, avoid)

    assert ansi_c_text(word) == text
    assert not set(word[2:-1]) & (set(map(chr, range(32))) | {"\x7f"} | (set(avoid) - {"\\", "'"}))


@pytest.mark.parametrize(
    "word", ["", "$'", "'a'", "$'a''b'", "$'a'b", "$'\\x41'", "$'\\e'", "$'\\400'", "$'a\nb'", '$"a"']
)
def test_other_words_are_not_read(word: str) -> None:
    assert ansi_c_text(word) is None


def test_nul_has_no_word() -> None:
    with pytest.raises(ValueError, match="NUL"):
        ansi_c_word("a\0b")

from __future__ import annotations

import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_quotebench.processes.output import KeptStream


def kept(pieces: list[bytes], limit: int) -> KeptStream:
    stream = KeptStream(limit)
    for piece in pieces:
        stream.add(piece)
    return stream


@given(st.lists(st.binary(max_size=12)), st.integers(0, 20))
def test_first_and_last_half_are_kept_however_the_stream_is_cut(pieces: list[bytes], limit: int) -> None:
    whole, stream = b"".join(pieces), kept(pieces, limit)
    assert stream.length == len(whole)
    if len(whole) <= limit:
        assert stream.value() == whole
    else:
        half = limit // 2
        note = b"\n[... %d bytes are missing ...]\n" % (len(whole) - 2 * half)
        assert stream.value() == whole[:half] + note + whole[len(whole) - half :]


@pytest.mark.parametrize("piece", [b"x", b"x" * 2**16])
def test_memory_does_not_grow_with_the_stream(piece: bytes) -> None:
    tracemalloc.start()
    kept([piece] * 5000, 1000)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 600_000

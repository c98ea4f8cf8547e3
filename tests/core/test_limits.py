"""Limits set by name."""

from __future__ import annotations

import pytest

from pytest_quotebench.core.limits import LIMIT_FIELDS, Limits, TreeLimits, with_limits


def test_a_limit_is_set_by_name_in_binary_units() -> None:
    changed = with_limits(Limits(wall_s=2), ["memory=512M", "entries = 7", "cpu=3", "file-size=2k", "output=1G"])

    assert changed == Limits(
        wall_s=2, memory_bytes=2**29, cpu_s=3, output_bytes=2**30, tree=TreeLimits(entries=7, file_bytes=2048)
    )


@pytest.mark.parametrize("name", LIMIT_FIELDS)
def test_every_name_stands_for_a_field(name: str) -> None:
    assert with_limits(Limits(), [f"{name}=5"]) != Limits()


@pytest.mark.parametrize(
    "text", ["memory", "memory=", "memory=0", "memory=-1", "memory=1.5", "memory=1T", "cpu=99999999999g"]
)
def test_a_value_is_a_whole_number_above_zero(text: str) -> None:
    with pytest.raises(ValueError, match=r"a whole number above 0, such as 64 or 512M"):
        with_limits(Limits(), [text])


def test_an_unknown_name_says_which_there_are() -> None:
    with pytest.raises(ValueError, match="NAME=VALUE with one of the names cpu, memory, processes"):
        with_limits(Limits(), ["wall=3"])

"""What is public is what the package says, and each name leads somewhere."""

from __future__ import annotations

import subprocess
import sys

import pytest

import pytest_quotebench


@pytest.mark.parametrize("name", pytest_quotebench.__all__)
def test_every_public_name_can_be_imported(name: str) -> None:
    """`from pytest_quotebench import name` works, and the object knows its home."""
    found = getattr(pytest_quotebench, name)

    assert found.__module__.startswith(f"pytest_quotebench.{pytest_quotebench._HOMES[name]}")


def test_the_list_and_the_homes_agree() -> None:
    """No name is promised that is not there, and none is there unsaid."""
    assert sorted(pytest_quotebench._HOMES) == pytest_quotebench.__all__ == dir(pytest_quotebench)


def test_an_unknown_name_is_an_attribute_error() -> None:
    """The lazy import says what Python says."""
    with pytest.raises(AttributeError, match="module 'pytest_quotebench' has no attribute 'nothing'"):
        _ = pytest_quotebench.nothing


def test_importing_the_package_imports_nothing_else_of_ours() -> None:
    """pytest imports the package at every start."""
    code = "import sys, pytest_quotebench; print([m for m in sys.modules if m.startswith('pytest_quotebench.')])"

    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "[]"

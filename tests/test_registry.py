"""Variants are found by file name, and loaded when they are used."""

from __future__ import annotations

import subprocess
import sys
from functools import partial

import pytest

from pytest_quotebench.core.errors import BadInput
from pytest_quotebench.registry import Registry, built_in, variant_names, variant_summaries

FOLDERS = {"contracts": "CONTRACT", "transports": "TRANSPORT", "sandboxes": "", "models": "MODEL", "reports": ""}


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_variant_loads_and_says_what_it_is(folder: str) -> None:
    """Each file defines what its folder asks for, and begins with a sentence for `quotebench variants`."""
    loaders = built_in(folder, FOLDERS[folder])

    assert loaders.keys() == variant_summaries(folder).keys() == set(variant_names(folder))
    for name, loader in loaders.items():
        assert loader() is not None, name
        assert variant_summaries(folder)[name].endswith("."), name


def test_names_are_read_without_an_import() -> None:
    """Listing the names for --help imports none of them."""
    code = (
        "import sys; from pytest_quotebench.registry import variant_names; variant_names('transports');"
        "print([m for m in sys.modules if m.startswith('pytest_quotebench.transports')])"
    )

    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "[]"


def test_a_registry_loads_each_variant_once_and_late() -> None:
    """Membership, iteration and length load nothing."""
    loaded: list[str] = []

    def loading(name: str, value: int) -> int:
        loaded.append(name)
        return value

    registry = Registry("thing", {"b": lambda: loading("b", 2), "a": lambda: loading("a", 1)})

    assert ("a" in registry, list(registry), len(registry), loaded) == (True, ["a", "b"], 2, [])
    assert (registry["a"], registry["a"], loaded) == (1, 1, ["a"])
    with pytest.raises(KeyError):
        registry["c"]
    with pytest.raises(
        BadInput, match=r"unknown thing 'aa' \(from somewhere\)\. Did you mean 'a'\? Allowed: a, b\."
    ):
        registry.require("aa", "somewhere")


def test_a_registry_closes_what_it_has_loaded() -> None:
    """And loads nothing for it."""
    closed: list[str] = []

    class Variant:
        def __init__(self, name: str) -> None:
            self.close = partial(closed.append, name)

    registry: Registry[object] = Registry(
        "thing", {"a": partial(Variant, "a"), "b": partial(Variant, "b"), "c": object}
    )
    assert registry["a"]
    assert registry["c"]
    registry.close()

    assert closed == ["a"]

"""Variants by name: the option's value is the file's name, and nothing is imported before it is used."""

from __future__ import annotations

import ast
import os
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, Generic, TypeVar

from pytest_quotebench.core.errors import BadInput

Variant = TypeVar("Variant")

_PACKAGE = Path(__file__).parent


def variant_names(folder: str) -> tuple[str, ...]:
    """Return the option values of the variants in `folder`, from its file names alone."""
    with os.scandir(_PACKAGE / folder) as files:
        stems = (file.name.removesuffix(".py") for file in files if file.name.endswith(".py"))
        return tuple(sorted(stem.replace("_", "-") for stem in stems if not stem.startswith("_")))


def variant_summaries(folder: str) -> dict[str, str]:
    """Return the first sentence of each variant's docstring by option value, read from the source."""
    paths = {name: _PACKAGE / folder / f"{name.replace('-', '_')}.py" for name in variant_names(folder)}
    docs = {name: ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) for name, path in paths.items()}
    return {name: (doc or "").partition("\n")[0] for name, doc in docs.items()}


def built_in(folder: str, attribute: str) -> dict[str, Callable[[], Any]]:
    """Return loaders of the variants in `folder`: each imports its file and takes `attribute` from it.

    Where `attribute` is empty the variant is the module itself.
    """
    return {
        name: partial(_load, f"pytest_quotebench.{folder}.{name}", attribute) for name in variant_names(folder)
    }


def _load(module: str, attribute: str) -> Any:
    loaded = import_module(module.replace("-", "_"))
    return getattr(loaded, attribute) if attribute else loaded


class Registry(Mapping[str, Variant], Generic[Variant]):
    """A frozen mapping from name to variant that loads each at its first use."""

    def __init__(self, kind: str, loaders: Mapping[str, Callable[[], Variant]]) -> None:
        """Take the loaders; `kind` is the word for messages (`transport`)."""
        self.kind = kind
        self._loaders = dict(sorted(loaders.items()))
        self._loaded: dict[str, Variant] = {}

    def __getitem__(self, name: str) -> Variant:
        """Return the variant; KeyError for a name that is not registered."""
        if name not in self._loaded:
            self._loaded[name] = self._loaders[name]()
        return self._loaded[name]

    def __contains__(self, name: object) -> bool:
        """Tell whether `name` is registered, without loading it."""
        return name in self._loaders

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names, sorted."""
        return iter(self._loaders)

    def __len__(self) -> int:
        """Return the number of variants."""
        return len(self._loaders)

    def close(self) -> None:
        """Let go of what the loaded variants hold, such as a container: each may have a `close`."""
        for variant in self._loaded.values():
            close = getattr(variant, "close", None)
            if close is not None:
                close()

    def require(self, name: str, source: str) -> None:
        """Raise BadInput, naming `source` and what is allowed, where `name` is not registered."""
        if name not in self._loaders:
            raise BadInput.unknown(self.kind, name, source=source, allowed=self._loaders)

"""Imports go down only: the floors of DESIGN.md, section 3, read from the source."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = "pytest_quotebench"

FLOORS = {
    "core": 0,
    "processes": 1,
    "sessions": 1,
    "contracts": 2,
    "transports": 2,
    "sandboxes": 2,
    "models": 2,
    "stats": 2,
    "userlands": 2,
    "audit": 3,
    "availability": 3,
    "executing": 3,
    "explain": 3,
    "export": 3,
    "gate": 3,
    "lossless": 3,
    "paths": 3,
    "registry": 3,
    "replay": 3,
    "reports": 3,
    "sandbox_choice": 3,
    "selection": 3,
    "store": 3,
    "userland_choice": 3,
    "versions": 3,
    "cli": 4,
    "plugin": 4,
    "suite": 4,
}
"""A module may import from its own floor and from those below."""

VARIANTS = {"contracts", "transports", "sandboxes", "models", "stats", "userlands"}
"""Folders on one floor that do not import each other."""

MODULES = sorted(path for name in (PACKAGE, "quotebench_tasks") for path in (ROOT / name).rglob("*.py"))


def imported(path: Path) -> Iterator[str]:
    """Yield every module that a file imports at run time, also inside functions."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    typing_only = {
        inner
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if node in typing_only:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def place(module: str) -> str | None:
    """Return the floor's name of a module of ours, or None."""
    parts = module.split(".")
    return parts[1] if parts[0] == PACKAGE and len(parts) > 1 and parts[1] in FLOORS else None


def module_name(path: Path) -> str:
    """Return the dotted name of a source file."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts)


def is_variant(path: Path) -> bool:
    """Tell whether a file is one variant of a folder of them."""
    return place(module_name(path)) in VARIANTS - {"stats"} and path.stem != "__init__"


def is_family(path: Path) -> bool:
    """Tell whether a file is part of the tasks, and not their suite."""
    return path.parent.name == "quotebench_tasks" and path.stem != "test_quotebench"


@pytest.mark.parametrize("path", [path for path in MODULES if place(module_name(path))], ids=module_name)
def test_imports_go_down_only(path: Path) -> None:
    """No module imports from a floor above its own, and no variant folder imports a sibling."""
    here = place(module_name(path))
    assert here is not None

    wrong = [
        module
        for module in imported(path)
        if (there := place(module)) is not None
        and (FLOORS[there] > FLOORS[here] or (there != here and {here, there} <= VARIANTS))
    ]

    assert wrong == []


@pytest.mark.parametrize("path", [path for path in MODULES if is_variant(path)], ids=module_name)
def test_variants_do_not_import_each_other(path: Path) -> None:
    """A variant's file imports no other variant of its folder: one variant is one file."""
    name = module_name(path)
    folder = name.rpartition(".")[0]
    others = {module_name(other) for other in path.parent.glob("*.py")} - {name, f"{folder}.__init__"}
    siblings = sorted(others & set(imported(path)))

    assert siblings == []


@pytest.mark.parametrize("path", MODULES, ids=module_name)
def test_every_module_stands_on_a_floor(path: Path) -> None:
    """A new folder or module needs a place in the list of floors."""
    name = module_name(path)

    assert name.startswith("quotebench_tasks") or name == f"{PACKAGE}.__init__" or place(name) is not None


@pytest.mark.parametrize(
    "path", [path for path in MODULES if place(module_name(path)) != "plugin"], ids=module_name
)
def test_only_the_plugin_and_the_suite_import_pytest(path: Path) -> None:
    """Everything below the plugin is plain Python that works without pytest."""
    assert [module for module in imported(path) if module.split(".")[0] in {"pytest", "_pytest", "xdist"}] == []


@pytest.mark.parametrize("path", [path for path in MODULES if is_family(path)], ids=module_name)
def test_task_families_import_the_core_only(path: Path) -> None:
    """The families are data and goals."""
    ours = [module for module in imported(path) if module.startswith(f"{PACKAGE}.")]

    assert [module for module in ours if not f"{module}.".startswith(f"{PACKAGE}.core.")] == []


def test_heavy_packages_are_not_imported_at_module_level() -> None:
    """docker, httpx, hypothesis, dulwich and jinja2 are imported only inside the functions that use them."""
    heavy = {"docker", "httpx", "hypothesis", "dulwich", "jinja2"}
    found = [
        f"{module_name(path)}: {ast.unparse(node)}"
        for path in MODULES
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.Import | ast.ImportFrom) and heavy & {name.split(".")[0] for name in _roots(node)}
    ]

    assert found == []


def _roots(node: ast.Import | ast.ImportFrom) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return [node.module or ""]

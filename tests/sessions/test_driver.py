"""A driver is one file that a bare interpreter runs: no package, no site, settings and input beside it."""

from __future__ import annotations

import ast
import json
import sys

import pytest

from pytest_quotebench.core.execution import REPORT, AuxPath
from pytest_quotebench.sessions.driver import driven, driver_source

KINDS = ("pipe", "terminal", "tmux")


@pytest.mark.parametrize("kind", KINDS)
def test_it_imports_the_standard_library_alone(kind: str) -> None:
    tree = ast.parse(driver_source(kind))
    names = [alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names]
    names += [str(node.module) for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]

    assert names
    assert {name.partition(".")[0] for name in names} <= sys.stdlib_module_names


@pytest.mark.parametrize("kind", KINDS)
def test_it_imports_nothing_that_costs_as_much_as_a_shell(kind: str) -> None:
    tree = ast.parse(driver_source(kind))
    names = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}

    assert not names & {"json", "re", "subprocess", "ctypes", "pathlib"}


@pytest.mark.parametrize("kind", KINDS)
def test_joined_parts_do_not_define_a_name_twice(kind: str) -> None:
    body = ast.parse(driver_source(kind)).body
    defined = [node.name for node in body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    defined += [
        name.id
        for node in body
        if isinstance(node, ast.Assign)
        for target in node.targets
        for name in ast.walk(target)
        if isinstance(name, ast.Name)
    ]

    assert len(defined) == len(set(defined))


def test_nothing_of_the_command_stands_in_the_arguments() -> None:
    invocation = driven("pipe", {"marker": "x"}, text=b"secret \xff", more={"gate": b"more"})

    assert invocation.reports
    assert [part for part in invocation.argv if isinstance(part, bytes)] == [b"python3", b"-I", b"-S"]
    assert invocation.argv[3:] == (AuxPath("driver.py"), AuxPath(REPORT))
    assert invocation.aux_files["input"].data == b"secret \xff"
    assert invocation.aux_files["gate"].data == b"more"
    assert json.loads(invocation.aux_files["settings.json"].data) == {"marker": "x"}

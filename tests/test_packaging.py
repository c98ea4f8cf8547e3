"""The wheel holds all that a run needs, and says where it begins."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from configparser import ConfigParser
from importlib.metadata import entry_points
from pathlib import Path
from zipfile import ZipFile

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("pytest_quotebench", "quotebench_tasks")
BUILD = "import sys; from hatchling.build import build_wheel; print(build_wheel(sys.argv[1]))"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ZipFile]:
    """The wheel as the build backend makes it; no frontend, no network."""
    place = tmp_path_factory.mktemp("wheel")
    built = subprocess.run(
        [sys.executable, "-c", BUILD, place], cwd=ROOT, capture_output=True, text=True, check=True
    )
    with ZipFile(place / built.stdout.splitlines()[-1]) as opened:
        yield opened


def test_the_wheel_holds_every_module_and_nothing_else(wheel: ZipFile) -> None:
    """Both packages are in it, whole; tests, benchmarks and replies are not."""
    packed = {name for name in wheel.namelist() if ".dist-info/" not in name}

    sources = {
        path.relative_to(ROOT).as_posix()
        for package in PACKAGES
        for path in (ROOT / package).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert packed == sources
    assert "quotebench_tasks/test_quotebench.py" in packed


def test_the_wheel_says_that_it_is_typed(wheel: ZipFile) -> None:
    """Type checkers of others read the annotations (PEP 561)."""
    assert "pytest_quotebench/py.typed" in wheel.namelist()


def test_the_wheel_carries_license_and_notice(wheel: ZipFile) -> None:
    """Apache-2.0 asks that both go with every copy."""
    licenses = {Path(name).name for name in wheel.namelist() if ".dist-info/licenses/" in name}

    assert licenses == {"LICENSE", "NOTICE"}


def test_the_wheel_names_the_plugin_and_the_command(wheel: ZipFile) -> None:
    """The pytest plugin and the command line: what the wheel names is what is installed here, and it loads."""
    (listing,) = (name for name in wheel.namelist() if name.endswith("/entry_points.txt"))
    parser = ConfigParser()
    parser.read_string(wheel.read(listing).decode())

    named = {(group, *item) for group in parser.sections() for item in parser.items(group)}

    assert named == {
        ("pytest11", "quotebench", "pytest_quotebench.plugin"),
        ("console_scripts", "quotebench", "pytest_quotebench.cli:main"),
    }
    for group, name, value in named:
        (installed,) = entry_points(group=group, name=name)
        assert installed.value == value
        assert installed.load() is not None

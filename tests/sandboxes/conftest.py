"""Every sandbox that there is a file for, opened once per module; one that this machine refuses is skipped."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path

import pytest

import pytest_quotebench.sandboxes
from pytest_quotebench.core.capture import Capture, capture_directory
from pytest_quotebench.core.execution import Execution, Invocation
from pytest_quotebench.core.limits import Limits, TreeLimits
from pytest_quotebench.core.tree import File, FileTree
from pytest_quotebench.sandboxes import Sandbox

FOLDER = Path(pytest_quotebench.sandboxes.__file__).parent
NAMES = sorted(path.stem for path in FOLDER.glob("*.py") if not path.stem.startswith("_"))

Run = Callable[..., Execution]


@pytest.fixture(scope="module", params=NAMES)
def sandbox(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    module = import_module(f"pytest_quotebench.sandboxes.{request.param}")
    if reason := module.refusal():
        pytest.skip(f"{request.param}: {reason}")
    with module.open_sandbox() as opened:
        yield opened


@pytest.fixture
def run(sandbox: Sandbox) -> Run:
    """Run a bash command on some files, with a short deadline."""

    def run(
        command: str,
        files: FileTree | dict[str, bytes | str] | None = None,
        *,
        wall_s: float = 5.0,
        stdin: bytes = b"",
        env: dict[str, str] | None = None,
        aux_files: dict[str, File] | None = None,
        **limits: int | TreeLimits,
    ) -> Execution:
        tree = files if isinstance(files, FileTree) else FileTree.of(files or {})
        invocation = Invocation(
            argv=(b"bash", b"-c", command.encode("utf-8", "surrogateescape")),
            env=env or {},
            stdin=stdin,
            aux_files=aux_files or {},
        )
        return sandbox.run(tree, invocation, Limits(wall_s=wall_s, **limits))  # type: ignore[arg-type]

    return run


@pytest.fixture(scope="session")
def processes_with() -> Callable[[str], list[str]]:
    """Return the processes that have a mark in their environment or arguments, looked for from outside."""

    def processes_with(mark: str) -> list[str]:
        found = []
        for process in Path("/proc").glob("[0-9]*"):
            try:
                said = (process / "environ").read_bytes() + (process / "cmdline").read_bytes()
            except OSError:
                continue
            if mark.encode() in said:
                found.append(process.name)
        return found

    return processes_with


@pytest.fixture(autouse=True, scope="module")
def canary(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A directory that no command has any business in, and that is the same at the end."""
    directory = tmp_path_factory.mktemp("canary")
    (directory / "secret").write_bytes(b"canary")
    (directory / "shut").mkdir(0o500)
    before = capture(directory)
    yield directory
    assert dict(capture(directory).tree) == dict(before.tree)


def capture(directory: Path) -> Capture:
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        return capture_directory(descriptor)
    finally:
        os.close(descriptor)

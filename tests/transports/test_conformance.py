"""What every transport does. The parameters are the files of the folder: a new transport is under test unnamed."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import example, given, reject, settings
from hypothesis import strategies as st

import pytest_quotebench.transports
from pytest_quotebench.core.errors import TransportError
from pytest_quotebench.core.escaping import shell_word
from pytest_quotebench.core.execution import AuxPath, Invocation, execution_environment
from pytest_quotebench.core.text import to_bytes
from pytest_quotebench.transports import Transport
from pytest_quotebench.transports.raw import TRANSPORT as RAW

FOLDER = Path(pytest_quotebench.transports.__path__[0])
NAMES = sorted(file.stem.replace("_", "-") for file in FOLDER.glob("[!_]*.py"))

ALPHABET = "'\"$`\\!*?[]{}()<>|&;#~=^.+%/,:@_- \n\t\r\x01\x1b\x7f" + "anbx1ä😀"
texts = st.text(ALPHABET, max_size=10)
endings = st.sampled_from(
    ["", "; exit 3", " && false", " | cat", "\nexit 4", " # it's", ' "$HOME" $HOME', " `echo x`"]
)

HARD = [
    "",
    "'",
    '"',
    "\\",
    "a\\",
    "\\\n",
    "$HOME",
    "`id`",
    "$(id)",
    "!!",
    "-n",
    "*",
    "{a,b}",
    "\n",
    '\\"',
    "'\\''",
]


class Outcome(NamedTuple):
    status: int
    stdout: bytes
    stderr: bytes


def _by_make(raw: Outcome) -> Outcome:
    return raw._replace(status=2 if raw.status else 0)


def _by_xargs(raw: Outcome) -> Outcome:
    return raw._replace(status=123 if raw.status else 0)


def _unchanged(raw: Outcome) -> Outcome:
    return raw


def _on_a_terminal(raw: Outcome) -> Outcome:
    return raw._replace(stdout=(raw.stdout + raw.stderr).replace(b"\n", b"\r\n"), stderr=b"")


def _by_gitlab(raw: Outcome) -> Outcome:
    return raw._replace(status=1 if raw.status else 0)


HANDED_ON: dict[str, Callable[[Outcome], Outcome]] = {
    "gitlab-ci": _by_gitlab,
    "make": _by_make,
    "xargs": _by_xargs,
    "tty": _on_a_terminal,
}
"""What a path makes of an outcome by itself, however unharmed the command was."""

OWN_LINES = re.compile(rb"^make: \*\*\* .*\n", re.MULTILINE)


@pytest.fixture(params=NAMES, scope="module")
def name(request: pytest.FixtureRequest) -> str:
    found: str = request.param
    return found


def _matched(transport: Transport, command: str) -> str:
    """Return the escaped form; a command that has none on this path is no example."""
    try:
        return transport.matched(command)
    except ValueError:
        reject()


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("transport")


def _run(invocation: Invocation, directory: Path) -> Outcome:
    if invocation.reports:
        pytest.skip("a session, which a sandbox plays: see tests/sessions")
    if invocation.broker is not None:
        pytest.skip("it leads out of the sandbox, by a broker: see the tests of its name")
    task, aux = directory / "task", directory / "aux"
    task.mkdir(exist_ok=True)
    aux.mkdir(exist_ok=True)
    for name, file in invocation.aux_files.items():
        (aux / name).write_bytes(file.data)
    done = subprocess.run(
        [os.fsencode(aux / part.name) if isinstance(part, AuxPath) else part for part in invocation.argv],
        input=invocation.stdin,
        capture_output=True,
        cwd=task,
        env={**execution_environment(str(task)), **invocation.env},
        timeout=20,
        check=False,
    )
    return Outcome(done.returncode, done.stdout, OWN_LINES.sub(b"", done.stderr))


def _printing(batch: list[str], ending: str = "") -> str:
    return f"printf '%s\\0' {' '.join(map(shell_word, ['', *batch]))}{ending}"


def test_the_folder_holds_transports() -> None:
    assert {"raw", "nested", "script"} <= set(NAMES)


@given(batch=st.lists(texts, max_size=20), ending=endings)
@example(batch=HARD, ending="")
@settings(max_examples=25, deadline=None)
def test_a_matched_command_does_what_the_command_does_raw(
    name: str, transport: Transport, directory: Path, batch: list[str], ending: str
) -> None:
    command = _printing(batch, ending)
    matched = _matched(transport, command)
    raw = _run(RAW.plan(command), directory)

    assert raw.stdout.startswith(to_bytes("".join(f"{text}\0" for text in ["", *batch])))
    assert _run(transport.plan(matched), directory) == HANDED_ON.get(name, _unchanged)(raw)


@given(batch=st.lists(texts, max_size=20), ending=endings)
@example(batch=HARD, ending="")
@settings(deadline=None)
def test_the_last_layer_of_a_matched_command_is_the_command(
    transport: Transport, batch: list[str], ending: str
) -> None:
    command = _printing(batch, ending)

    assert transport.layers(_matched(transport, command))[-1].text == command


def test_bytes_that_are_no_text_arrive_as_they_are_or_are_refused(transport: Transport, directory: Path) -> None:
    batch = ["\udcff", "\udc80\\", "'\udce2\udc86", '"\udcc3']
    try:
        planned = transport.plan(transport.matched(_printing(batch)))
    except (TransportError, ValueError):
        return

    assert _run(planned, directory).stdout == to_bytes("".join(f"{text}\0" for text in ["", *batch]))


def test_a_harmless_command_needs_no_matching(name: str, transport: Transport, directory: Path) -> None:
    command = "echo a/b"
    as_it_is = _run(transport.plan(command), directory)

    assert as_it_is == HANDED_ON.get(name, _unchanged)(_run(RAW.plan(command), directory))
    assert transport.layers(command)[-1].text == command
    assert transport.layers(transport.matched(command))[-1].text == command


@given(command=st.text(st.characters()) | st.text(ALPHABET))
@example(command="a\0b")
@example(command="\ud83d")
@example(command="$(" * 5_000)
@settings(deadline=None)
def test_any_text_has_layers_and_a_plan_or_an_error(transport: Transport, command: str) -> None:
    layers = transport.layers(command)

    assert layers
    assert all(layer.name for layer in layers)
    try:
        planned = transport.plan(command)
    except TransportError:
        return
    assert planned.argv


@pytest.mark.parametrize("size", [131_072, 2_000_000])
def test_an_argument_that_the_kernel_refuses_is_refused_before(transport: Transport, size: int) -> None:
    try:
        planned = transport.plan("x" * size)
    except TransportError as error:
        outcome = error.detail
    else:
        outcome = "beside" if planned.stdin or planned.aux_files else "argument"

    assert outcome in {"too-long", "beside"}

"""The probes stay harmless however they are mangled."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from pytest_quotebench.lossless.making import made_command
from pytest_quotebench.lossless.probes import LADDER, is_harmless

SHORT = 40
QUOTES = b"'\"\\"
PROBES = [probe.command for probe in LADDER if not probe.right]
KNOWN = {"echo", "printf", "pr", "ss"}
"""Words of mangled probes that a shell knows, none of which changes anything without what is not there."""


def mangled(command: bytes) -> Iterator[bytes]:
    """Yield what is left after one character, or one kind of quote, was lost, doubled, swapped or made a blank."""
    for index in range(len(command)):
        before, one, after = command[:index], command[index : index + 1], command[index + 1 :]
        yield before + after
        yield before + one + one + after
        yield before + b" " + after
        yield before + b"\n" + one + after
        yield before + after[:1] + one + after[1:]
        yield after
        yield before
    for quote in QUOTES:
        yield command.replace(bytes([quote]), b"")
    yield command.translate(None, QUOTES)
    yield command + command
    yield b'bash -c "%s"' % command
    yield command.replace(b"\n", b" ")
    yield command.replace(b"\\n", b"\n")
    yield command.lower()
    yield command.upper()


def programs(words: set[str]) -> set[str]:
    """Return the words for which bash would find something to run."""
    asking = 'for word; do type -t -- "$word" >/dev/null && printf "%s\\n" "$word"; done'
    listed = subprocess.run(
        ["bash", "-c", asking, "bash", *sorted(words)], capture_output=True, text=True, check=False
    )
    return set(listed.stdout.split("\n")) - {""}


@pytest.mark.parametrize("command", PROBES, ids=range(len(PROBES)))
def test_a_probe_is_made_of_what_is_allowed(command: bytes) -> None:
    """Every probe but the one that begins with a dash, which no shell gets to run as it is."""
    assert is_harmless(command)


def test_no_mangled_probe_has_a_word_that_does_something() -> None:
    """Split at all that a shell splits at, no word of a mangled probe names a program, `echo` and co. aside."""
    split = re.compile(rb"[\s'\"\\$`;&|<>()\[\]{}*?~#=!%^,:@+-]+")
    forms = {form for command in PROBES if len(command) < 200 for form in mangled(command) if b"bash" not in form}
    words = {word.decode("utf-8", "replace") for form in forms for word in split.split(form)}

    assert len(forms) > 8_000
    assert programs({word for word in words if word.isascii() and word}) <= KNOWN


def test_a_mangled_probe_changes_nothing_outside(tmp_path: Path) -> None:
    """Run for real, in the root of a tree of its own: what is new lies in the working directory."""
    home, outside = tmp_path / "home", tmp_path / "outside"
    home.mkdir()
    outside.mkdir()
    (outside / "f").write_text("mine")
    (home / "b").write_text("mine")
    forms = sorted({form for command in PROBES if len(command) <= SHORT for form in mangled(command)})
    lines = "".join(
        f"( cd task; eval {_word(form)} ) </dev/null >/dev/null 2>&1; rm -rf task/*\n" for form in forms[::6]
    )
    (tmp_path / "task").mkdir()
    (tmp_path / "all.sh").write_bytes(lines.encode("utf-8", "surrogateescape"))

    subprocess.run(
        ["bash", "all.sh"], cwd=tmp_path, env={"PATH": os.defpath, "HOME": str(home)}, check=False, timeout=60
    )

    assert sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*")) == [
        *("all.sh", "home", "home/b", "outside", "outside/f", "task"),
    ]
    assert (outside / "f").read_text() == (home / "b").read_text() == "mine"


def _word(command: bytes) -> str:
    text = command.decode("utf-8", "surrogateescape")
    return "'" + text.replace("'", "'\\''") + "'"


@pytest.mark.parametrize(
    "command",
    [
        *(b"rm a", b"echo a>../f", b"echo a>/f", b". f", b"echo $(rm)>f", b"echo `rm`>f", b"echo a>$PATH>f"),
        *(b"echo a>~>f", b"echo !a>f", b"echo !!>f", b"echo !9>f", b"^a^b>f", b"echo a\n^a^b>f", b"a\0b"),
        *(b":(){ :|:& };:", b"a(){ a;};a", b"(a)&", b"dd", b"echo a|tee b", b"eval a", b"exec a", b"echo ${a/b}"),
    ],
)
def test_what_could_do_harm_is_no_probe(command: bytes) -> None:
    """Programs, paths, history events, functions that call themselves, substitutions of anything else."""
    assert not is_harmless(command)


def test_what_the_search_runs_has_no_word_of_its_own() -> None:
    """Of the commands that are made up nearly all are harmless, and their words are known ones."""
    made = [made_command(Random(seed)) for seed in range(2_000)]
    harmless = [command for command in made if is_harmless(command)]
    words = {word for command in harmless for word in re.findall(rb"[A-Za-z]{2,}", command)}

    assert len(harmless) > 1_000
    assert {word for word in words if not re.fullmatch(rb"[abABfE]+", word)} <= {
        b"echo",
        b"printf",
        b"PATH",
        b"amp",
    }

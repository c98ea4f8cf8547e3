"""What `ExecStart=` becomes: as systemd itself reads it, and as its man pages say."""

from __future__ import annotations

import os
import random
import re
import subprocess
from pathlib import Path

import pytest

from pytest_quotebench.core.errors import TransportError
from pytest_quotebench.core.text import to_bytes, to_text
from pytest_quotebench.transports.systemd import TRANSPORT, read_commands

ORDINARY = 65534
SYSTEMD = next((path for path in ("/usr/bin/systemd", "/usr/lib/systemd/systemd") if Path(path).exists()), None)
PIECES = [
    *"xz1 \t'\"\\$`;%-:!+#=é/",
    "\\;",
    " ; ",
    "\\n",
    "\\x41",
    "\\101",
    "\\u00e9",
    "%%",
    "$$",
    "${A}",
    "echo ",
]
PIECES += ["\\\n", "\n", "\\s", "\r", "%Z", "\\\n#c\n", '"a b"']
ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}


def words(value: str) -> list[list[str]] | None:
    """Return the model's commands before variables, or None where the unit would not load."""
    try:
        return [list(command.words) for command in read_commands(value)]
    except TransportError:
        return None


def by_systemd(values: list[str], directory: Path) -> list[list[list[str]] | None]:
    """Return the commands that the real systemd reads out of units with these values."""
    for number, value in enumerate(values):
        text = f"[Service]\nType=oneshot\nExecStart={value}\n"
        (directory / f"command{number}.service").write_bytes(to_bytes(text))
    wants = "".join(f"Wants=command{number}.service\n" for number in range(len(values)))
    (directory / "all.target").write_text(f"[Unit]\n{wants}")
    dump = _dump(directory)
    return [_commands_of(f"command{number}.service", dump) for number in range(len(values))]


def _dump(directory: Path) -> str:
    as_root = os.geteuid() == 0
    done = subprocess.run(
        [str(SYSTEMD), "--test", "--user", "--unit=all.target"],
        capture_output=True,
        check=False,
        timeout=20,
        user=ORDINARY if as_root else None,
        group=ORDINARY if as_root else None,
        extra_groups=[] if as_root else None,
        env={
            "PATH": "/usr/bin:/bin",
            "HOME": str(directory),
            "XDG_RUNTIME_DIR": str(directory),
            "SYSTEMD_UNIT_PATH": str(directory),
            "LC_ALL": "C.UTF-8",
        },
    )
    return to_text(done.stdout)


def _commands_of(unit: str, dump: str) -> list[list[str]] | None:
    _, found, rest = dump.partition(f"-> Unit {unit}:\n")
    assert found, f"systemd did not load {unit}"
    section = re.split(r"^\t?-> ", rest, maxsplit=1, flags=re.MULTILINE)[0]
    if "Unit Load State: loaded" not in section:
        return None
    return [_unquoted(line) for line in re.findall(r"^\t+Command Line: (.*)$", section, re.MULTILINE)] or None


def _unquoted(line: str) -> list[str]:
    """Undo how systemd shows a command line: each word bare, or in double quotes with C escapes."""
    return [_word(found[0]) for found in re.finditer(r'(?:[^ "]|"(?:[^"\\]|\\.)*")+', line)]


def _word(shown: str) -> str:
    if not shown.startswith('"'):
        return shown
    return re.sub(
        r"\\(?:x(..)|(.))",
        lambda found: chr(int(found[1], 16)) if found[1] else ESCAPES.get(found[2], found[2]),
        shown[1:-1],
    )


@pytest.mark.skipif(SYSTEMD is None, reason="systemd is not installed")
def test_lines_and_words_are_those_of_systemd(users_directory: Path) -> None:
    """One start of systemd in test mode, as it takes half a second, on units that a seed makes."""
    chance = random.Random(0)
    values = [
        chance.choice(("", "echo ")) + "".join(chance.choices(PIECES, k=chance.randint(1, 9))) for _ in range(400)
    ]

    found = by_systemd(values, users_directory)

    assert [(value, words(value)) for value in values] == list(zip(values, found, strict=True))
    assert sum(commands is not None for commands in found) > 100


@pytest.mark.parametrize(
    ("value", "received"),
    [
        ("sh -c 'dmesg | tac'", ["sh -c 'dmesg | tac'"]),
        ('echo one ; echo "two two"', ["echo one", "echo 'two two'"]),
        ("echo / >/dev/null & \\; \\\n    ls", ["echo / '>/dev/null' '&' ';' ls"]),
        ('echo $$HOME 100%% %%d $HOME ${HOME}x "${A:-b}"', ["echo '$HOME' 100% %d x '${A:-b}'"]),
        (":echo $x ${y}", ["echo '$x' '${y}'"]),
        ("echo a\nEnvironment=b", ["echo a"]),
        ("bash -c 'echo $$0'", ["bash -c 'echo $0'", "echo $0"]),
    ],
)
def test_what_the_man_pages_say(value: str, received: list[str]) -> None:
    """systemd.service(5), COMMAND LINES; systemd.syntax(7); systemd.unit(5), SPECIFIERS."""
    assert [layer.text for layer in TRANSPORT.layers(value)[1:]] == received


@pytest.mark.parametrize(
    ("value", "detail"),
    [
        ("", "refused"),
        (";", "refused"),
        ("echo 'a", "unparseable"),
        ("a/b", "unparseable"),
        ("echo %Z", "unparseable"),
        ("echo \udcff", "unparseable"),
        ("a\0b", "nul"),
    ],
)
def test_what_no_service_can_have(value: str, detail: str) -> None:
    with pytest.raises(TransportError) as raised:
        TRANSPORT.plan(value)

    assert raised.value.detail == detail


@pytest.mark.parametrize(
    ("value", "status", "stdout"),
    [
        ("echo a ; echo b", 0, b"a\nb\n"),
        ("false ; echo b", 1, b""),
        ("-false ; echo b", 0, b"b\n"),
        ("-false", 0, b""),
        ("@echo me you", 0, b"you\n"),
    ],
)
def test_commands_run_one_after_the_other_while_they_succeed(value: str, status: int, stdout: bytes) -> None:
    argv = [part for part in TRANSPORT.plan(value).argv if isinstance(part, bytes)]

    done = subprocess.run(argv, capture_output=True, check=False)

    assert (done.returncode, done.stdout) == (status, stdout)

"""The command `quotebench`."""

from __future__ import annotations

import io
import subprocess
import sys

import pytest

from pytest_quotebench.cli import main


def test_a_right_command_passes(capsys: pytest.CaptureFixture[str]) -> None:
    """`try` shows the layers, the verdict and what changed; status 0."""
    status = main(["try", "--sandbox", "local", "write-file-t1", 'echo "it\'s a test" > out.txt'])

    assert status == 0
    assert capsys.readouterr().out.splitlines() == [
        "task write-file-t1, contract raw, transport raw, in local",
        "pass",
        '  bash -c ← echo "it\'s a test" > out.txt',
        "changed in the directory:",
        r"  + out.txt  12 bytes, mode 0644: it's a test\n",
    ]


def test_a_wrong_command_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    """A disclosed reply takes its contract's transport by default; status 1."""
    status = main(
        ["try", "--sandbox=local", "--contract=disclosed", "write-file-t0", 'echo "hello  world" > out.txt']
    )

    lines = capsys.readouterr().out.splitlines()
    assert status == 1
    assert lines[0] == "task write-file-t0, contract disclosed, transport nested, in local"
    assert lines[1] == "silent-wrong: out.txt is missing"


def test_a_reply_can_be_tried_with_another_userland(capsys: pytest.CaptureFixture[str]) -> None:
    """`--userland` names whose programs it finds; a shell takes the place of bash."""
    attempt = ["try", "--sandbox=local", "write-file-t0", "echo hello\\ world ${BASH_VERSION+bash} > out.txt"]

    assert main(["try", "--sandbox=local", "--userland=dash", "write-file-t0", attempt[-1]]) == 0
    assert main(attempt) == 1
    assert "hello world bash" in capsys.readouterr().out


def test_the_reply_can_come_from_standard_input(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`-` reads bytes, to the letter."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"printf 'hello world\\n' > out.txt")))

    assert main(["try", "--sandbox=local", "write-file-t0", "-"]) == 0
    assert capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["try", "write-file-t9", "x"], "unknown task 'write-file-t9'. Did you mean 'write-file-t"),
        (["try", "--contract=zzz", "write-file-t0", "x"], "unknown contract 'zzz' (from --contract)"),
        (["try", "--transport=zzz", "write-file-t0", "x"], "unknown transport 'zzz' (from --transport)"),
        (["try", "--sandbox=zzz", "write-file-t0", "x"], "unknown sandbox 'zzz' (from --sandbox)"),
        (["try", "--userland=zzz", "write-file-t0", "x"], "unknown userland 'zzz' (from --userland)"),
        (["try", "--timeout=nan", "write-file-t0", "x"], "bad value 'nan' (from --timeout)"),
        (["show", "zzz"], "unknown task 'zzz'. `quotebench tasks` lists them."),
    ],
)
def test_bad_input_is_told(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    """On standard error, with status 2."""
    assert main(arguments) == 2
    assert message in capsys.readouterr().err


def test_tasks_lists_all_56(capsys: pytest.CaptureFixture[str]) -> None:
    """One line each."""
    assert main(["tasks"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 56


def test_show_gives_instruction_prompt_oracle_and_naive_under_each_contract(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Everything about one task."""
    assert main(["show", "write-file/t3-gnarly"]) == 0
    text = capsys.readouterr().out
    for expected in (
        "write-file-t3",
        "⟪back\\slash",
        "contract json",
        "contract disclosed-single",
        "oracle:",
        "naive:",
    ):
        assert expected in text


def test_variants_lists_what_options_can_name(capsys: pytest.CaptureFixture[str]) -> None:
    """By folder, each with its first sentence."""
    assert main(["variants"]) == 0
    text = capsys.readouterr().out
    assert "transports" in text
    assert "  nested-escaped" in text
    assert "userlands\n  ash " in text


def test_any_terminal_will_do() -> None:
    """An ASCII terminal gets escapes instead of an error, and a closed pipe is no error either."""
    show = [sys.executable, "-m", "pytest_quotebench.cli", "show", "write-file-t3"]

    plain = subprocess.run(show, env={"PYTHONIOENCODING": "ascii"}, capture_output=True, check=True)
    assert b"\\u27ea" in plain.stdout
    closed = subprocess.run(["bash", "-c", '"$@" | head -1', "bash", *show], capture_output=True, check=True)
    assert closed.stderr == b""


@pytest.mark.parametrize(
    ("line", "status"),
    [
        ('"$@" true | true; exit "${PIPESTATUS[0]}"', 1),
        ('"$@" true >&-', 1),
        ('"$@" true >/dev/full', 3),
        ('"$@" - <&-', 2),
        ('LC_ALL=C PYTHONUTF8=0 PYTHONCOERCECLOCALE=0 "$@" "echo \'hello world\' > out.txt # é"', 0),
    ],
)
def test_the_status_is_the_verdict_whoever_listens(line: str, status: int) -> None:
    """A closed pipe, a closed or full output, a closed input, another locale: never a traceback."""
    attempt = [sys.executable, "-m", "pytest_quotebench.cli", "try", "--sandbox=local", "write-file-t0"]

    result = subprocess.run(["bash", "-c", line, "bash", *attempt], capture_output=True, check=False)

    assert result.returncode == status, result.stderr
    assert b"Traceback" not in result.stderr


def test_an_alias_of_a_contract_is_accepted(capsys: pytest.CaptureFixture[str]) -> None:
    """`wrapped` is what the older tool called `disclosed`."""
    assert main(["try", "--sandbox=local", "--contract=wrapped", "write-file-t0", "true"]) == 1
    assert "contract disclosed, transport nested" in capsys.readouterr().out

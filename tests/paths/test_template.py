"""A command path that is one line of shell."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from pytest_quotebench.core.errors import BadInput, TransportError
from pytest_quotebench.core.limits import Limits
from pytest_quotebench.core.tree import File, FileTree
from pytest_quotebench.paths.template import TemplatePath, parse
from pytest_quotebench.replay import carry
from pytest_quotebench.sandboxes.local import open_sandbox

HOSTILE = "printf %s 'a\"b' \"it's\" '$HOME `id` \\ & {} {sq} !' $'\\xff' > out"
WRITTEN = b"a\"bit's$HOME `id` \\ & {} {sq} !\xff"


def run(line: str, command: str) -> FileTree:
    with open_sandbox() as sandbox:
        outcome = carry(TemplatePath(line), command, FileTree(), sandbox, Limits(wall_s=10))
    assert not isinstance(outcome, TransportError)
    return outcome.tree


@pytest.mark.parametrize(
    "line",
    [
        *(
            "bash -c {sq}",
            'bash -c "{dq}"',
            "bash",
            "bash -s",
            "cat | bash",
            "cd {cwd} && bash -c {sq}",
            "cd '{cwd}' && bash",
        ),
        *('env -C "{cwd}" bash -c {sq}', "test {{}} = '{'} && bash -c {sq}", "bash -c 'eval \"$1\"' - {sq}"),
    ],
)
def test_a_line_that_escapes_delivers_every_byte(line: str) -> None:
    """As a word, in double quotes, on standard input; with the directory in any quotes, and literal braces."""
    assert run(line, HOSTILE) == FileTree({"out": File(WRITTEN)})


def test_a_line_that_does_not_escape_harms() -> None:
    """The reply as it is."""
    assert run('bash -c "{}"', "echo hello > out") == FileTree({"out": File(b"hello\n")})
    assert run('bash -c "{}"', "echo 'a\\\\b' > out") == FileTree({"out": File(b"a\\b\n")})


@pytest.mark.parametrize(
    ("line", "filled"),
    [
        ("a {} b", "a $x {sq} b"),
        ("a {sq}", "a '$x {sq}'"),
        ('a "{dq}"', 'a "\\$x {sq}"'),
        ("{{}} {{sq}} {{cwd}} ${HOME} {a,b} { :; } {sq}", "{} {sq} {cwd} ${HOME} {a,b} { :; } '$x {sq}'"),
        ("{{{}}}", "{{}}"),
    ],
)
def test_places_are_filled_once_and_other_braces_stay(line: str, filled: str) -> None:
    """What a reply holds is never a place."""
    assert TemplatePath(line).layers("$x {sq}")[0].text == filled


def test_the_layers_say_what_is_known() -> None:
    """The line, then standard input or nothing that could be known."""
    assert [layer.text for layer in TemplatePath("ssh box").layers("x")] == ["ssh box", "x"]
    assert [layer.text for layer in TemplatePath("ssh box {}").layers("x")] == ["ssh box x", None]


def test_a_matched_command_is_known_only_where_the_line_escapes() -> None:
    """`{}` stands where it stands."""
    assert TemplatePath("x {sq}").matched("a") == TemplatePath("x").matched("a") == "a"
    with pytest.raises(ValueError, match="not known"):
        TemplatePath("x {}").matched("a")


def test_what_the_line_cannot_hold_is_a_transport_error() -> None:
    """NUL, and more than an argument takes; standard input takes any length."""
    for line in ("{}", "{sq}", '"{dq}"'):
        with pytest.raises(TransportError) as refused:
            TemplatePath(line).plan("a\0b")
        assert refused.value.detail == "nul"
    with pytest.raises(TransportError):
        TemplatePath("{sq}").plan("x" * 200_000)
    assert len(TemplatePath("bash").plan("x" * 200_000).stdin) == 200_000


def test_a_directory_for_temporary_files_that_needs_quotes_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`{cwd}` is pasted as it is; a line without it does not care."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "a b"))

    TemplatePath("bash")
    with pytest.raises(BadInput, match="Set TMPDIR to a plain path"):
        TemplatePath("cd {cwd}; bash")


def test_no_secret_of_this_process_is_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """The addresses of engines are, keys are not."""
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    monkeypatch.setenv("DOCKER_HOST", "tcp://box")

    assert run("bash", 'echo "$OPENAI_API_KEY,$DOCKER_HOST" > out') == FileTree({"out": File(b",tcp://box\n")})


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("bash", r"'bash' is no command path \(from here\). Write NAME=LINE"),
        ("a=", "is no command path"),
        ("A=bash", r"bad name 'A' of a command path \(from here\). Allowed: a-z, 0-9 and single hyphens"),
        ("a--b=bash", "bad name"),
        ("=bash", "bad name ''"),
        ("a b=bash", "bad name 'a b'"),
        ("raw=bash", r"the name 'raw' of a command path \(from here\) is taken"),
    ],
)
def test_a_bad_name_or_line_is_told(text: str, complaint: str) -> None:
    """With where it came from."""
    with pytest.raises(BadInput, match=complaint):
        parse(text, "here", {"raw": None})


def test_a_line_may_hold_equals_signs_and_commas() -> None:
    """The first one ends the name."""
    assert parse(" a-1=env A=b,c bash ", "here", {}) == ("a-1", "env A=b,c bash")


def test_the_exact_bytes_of_a_template_reach_bash() -> None:
    """The line is what `bash -c` gets, no layer of the harness's own between, where no directory is asked for."""
    argv = TemplatePath("bash -c {sq}").plan("a b").argv

    assert argv == (b"bash", b"-c", b"bash -c 'a b'")

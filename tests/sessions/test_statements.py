"""Where statements end, against the carriers' own parsers where these are installed."""

from __future__ import annotations

import re
import subprocess
from contextlib import suppress
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pytest_quotebench.sessions.bashlex_rules import split_as_bashlex
from pytest_quotebench.sessions.quoting import UnfinishedError
from pytest_quotebench.sessions.statements import structure
from pytest_quotebench.sessions.tree_sitter_rules import is_refused, rewritten
from quotebench_tasks import load_tasks

SPLIT = {
    "echo a": ["echo a"],
    "echo a\necho b": ["echo a", "echo b"],
    "echo a;\necho b": ["echo a;", "echo b"],
    "echo a # c\necho b": ["echo a", "echo b"],
    "# it's\necho a": ["echo a"],
    "# nothing": [],
    "": [],
    "a &&\nb": ["a &&\nb"],
    "a && \\\nb": ["a && \\\nb"],
    "echo 'a\nb'\necho c": ["echo 'a\nb'", "echo c"],
    'echo "$(echo "x\ny")"': ['echo "$(echo "x\ny")"'],
    "for i in 1 2; do\n  echo $i\ndone\necho c": ["for i in 1 2; do\n  echo $i\ndone", "echo c"],
    "if a\nthen b\nelse c\nfi": ["if a\nthen b\nelse c\nfi"],
    "f() { echo a; }\nf": ["f() { echo a; }", "f"],
    "function f { echo a; }\nf": ["function f { echo a; }", "f"],
    "(echo a\necho b)": ["(echo a\necho b)"],
    "cat <<EOF\nx\nEOF\necho b": ["cat <<EOF\nx\nEOF", "echo b"],
    "cat <<-EOF\n\tx\n\tEOF": ["cat <<-EOF\n\tx\n\tEOF"],
    "cat <<EOF > f\nx\nEOF": ["cat <<EOF > f"],
    "cat <<EOF && echo x\ny\nEOF": ["cat <<EOF && echo x"],
    "cat <<'EOF'\nx\nEOF": None,
    "cat <<EOF\nx": None,
    "[[ a == b ]]": None,
    "case x in a) b;; esac": None,
    "echo $((1+2))": None,
    "echo $(echo $((1+2)))": None,
    "a=(1 2)": None,
    "for ((i=0;i<3;i++)); do echo; done": None,
    "time ls": None,
    "echo $(a && b)": None,
    "echo $( (a && b) )": ["echo $( (a && b) )"],
    "echo `a && b`": ["echo `a && b`"],
    "echo ${x:-$(a && b)}": ["echo ${x:-$(a && b)}"],
    "echo 'x": None,
    "echo a \\": None,
    "echo ${a": None,
    "}": None,
}


@pytest.mark.parametrize("command", SPLIT)
def test_it_splits_as_bashlex_does_and_fails_where_that_fails(command: str) -> None:
    assert split_as_bashlex(command) == SPLIT[command]


REFUSED = {
    "echo a\necho b": True,
    "echo a\n\n# c\n\necho b": True,
    "cat <<'EOF'\nx\nEOF\necho b": True,
    "cat <<'EOF'\nx\ny\nEOF": False,
    "# c\necho a": False,
    "echo a; echo b && c | d & e": False,
    "case x in\na) b;;\nc) d;;\nesac": False,
    "echo a\necho 'b": False,
}


@pytest.mark.parametrize("command", REFUSED)
def test_openhands_refuses_statements_on_lines_of_their_own_where_it_can_parse_them(command: str) -> None:
    assert is_refused(command) is REFUSED[command]


REWRITTEN = {
    r"find . -exec ls {} \;": r"find . -exec ls {} \\;",
    r"echo a\&b \| \< \>": r"echo a\\&b \\| \\< \\>",
    r"""echo '\;' "\;" $'\;' $(echo \;) `echo \;` # \;""": r"""echo '\;' "\;" $'\;' $(echo \;) `echo \;` # \;""",
    "cat <<EOF\na \\; b\nEOF": "cat <<EOF\na \\; b\nEOF",
    r"echo \; 'x": r"echo \; 'x",
    r"echo \n\ ": r"echo \n\ ",
}


@pytest.mark.parametrize("command", REWRITTEN)
def test_openhands_doubles_the_backslash_outside_quotes_where_it_can_parse(command: str) -> None:
    assert rewritten(command) == REWRITTEN[command]


hostile = st.text("ab '\"$(){}[]`\\\n\t;&|<>#!=", max_size=30)


@given(command=hostile)
@example(command="$(" * 5_000)
@example(command="`")
@example(command="<<")
@example(command="\\")
def test_any_text_has_a_structure_or_is_unfinished(command: str) -> None:
    with suppress(UnfinishedError):
        found = structure(command)
        places = [place for statement in found.statements for place in (statement.start, statement.end)]
        assert places == sorted(places)
        assert all(0 <= place <= len(command) for place in places)


def _is_accepted(command: str) -> bool:
    checked = subprocess.run(["bash", "-n"], input=f"{command}\n".encode(), capture_output=True, check=False)
    return checked.returncode == 0


COMMANDS = [*SPLIT, *REFUSED, *REWRITTEN, *(task.oracle for task in load_tasks())]


def test_bashlex_itself_splits_the_same() -> None:
    bashlex = pytest.importorskip("bashlex", reason="bashlex is not installed")

    for command in filter(_is_accepted, COMMANDS):
        assert (command, split_as_bashlex(command)) == (command, _by_bashlex(bashlex, command.strip()))


def _by_bashlex(bashlex: Any, text: str) -> list[str] | None:
    """As `_split_bash_command` of swe-rex 1.4.0 uses it."""
    if not text or all(line.strip().startswith("#") for line in text.splitlines()):
        return []
    try:
        parsed = bashlex.parse(text)
    except Exception:  # noqa: BLE001 -- it raises whatever it meets, and SWE-ReX catches it all
        return None
    return [text[start:end] for start, end in map(_extent, parsed)]


def _extent(node: Any) -> tuple[int, int]:
    extents = [node.pos, *map(_extent, getattr(node, "parts", []))]
    return min(start for start, _ in extents), max(end for _, end in extents)


def test_tree_sitter_itself_refuses_and_preserves_the_same() -> None:
    tree_sitter = pytest.importorskip("tree_sitter", reason="tree-sitter is not installed")
    grammar = pytest.importorskip("tree_sitter_bash", reason="tree-sitter-bash is not installed")
    parser = tree_sitter.Parser(tree_sitter.Language(grammar.language()))

    for command in filter(str.strip, COMMANDS):
        count, text = _by_tree_sitter(parser, command.strip())
        assert (command, is_refused(command.strip())) == (command, count > 1)
        assert rewritten(command.strip()) == text


_PRESERVED = {"string", "raw_string", "ansi_c_string", "translated_string", "command_substitution", "expansion"}
_PRESERVED |= {"simple_expansion", "heredoc_body", "comment"}


def _by_tree_sitter(parser: Any, command: str) -> tuple[int, str]:
    """As `split_bash_commands` and `escape_bash_special_chars` of OpenHands use it: 1 where it cannot parse."""
    source = command.encode()
    root = parser.parse(source).root_node
    if root.has_error:
        return 1, command
    nodes = [node for node in root.named_children if node.type != "comment"]
    breaks = [b"\n" in source[one.end_byte : next_.start_byte] for one, next_ in pairwise(nodes)]
    pieces, done = [], 0
    for start, end in _preserved(root):
        pieces += [re.sub(rb"\\([;&|<>])", rb"\\\\\1", source[done:start]), source[start:end]]
        done = end
    pieces.append(re.sub(rb"\\([;&|<>])", rb"\\\\\1", source[done:]))
    return 1 + sum(breaks), b"".join(pieces).decode()


def _preserved(node: Any) -> list[tuple[int, int]]:
    if node.type in _PRESERVED:
        return [(node.start_byte, node.end_byte)]
    return [extent for child in node.children for extent in _preserved(child)]

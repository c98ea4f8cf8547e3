"""What a path carries unharmed has the effect that it has on the raw one."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pytest_quotebench.core.errors import TransportError
from pytest_quotebench.core.escaping import shell_word
from pytest_quotebench.core.execution import Execution
from pytest_quotebench.core.judge import judge
from pytest_quotebench.core.limits import Limits
from pytest_quotebench.core.task import Task
from pytest_quotebench.core.text import to_bytes
from pytest_quotebench.core.tree import File, FileTree
from pytest_quotebench.core.verdict import Verdict, VerdictClass
from pytest_quotebench.sandboxes.local import LocalSandbox
from pytest_quotebench.transports import SessionTransport
from pytest_quotebench.transports.nested import TRANSPORT as NESTED
from quotebench_tasks import load_tasks

Play = Callable[..., Execution | TransportError]
Done = Callable[..., Execution]
Find = Callable[[str], SessionTransport]

PIPES = ("langchain", "anthropic-quickstart", "anthropic-sdk")
TERMINALS = ("swe-agent", "terminal-bench", "openhands")
SSH = ("ssh", "ssh-argv")
SESSIONS = (*PIPES, *TERMINALS, *SSH)

HARD = ["", "'", '"', "\\", "a\\", "$HOME", "`id`", "$(id)", "!!", "a!b", "-n", "*", "{a,b}", "\n", "\t", "~"]
HARD += ["\\;", ";", "Enter", "C-c", "#", "%", "\r", "\x01", "\x1b", "\x7f", "ä😀", "\udcff", "^a^b", "'\\''"]

MOST_HOSTILE = [task for task in load_tasks() if task.tier == 3]


def failures(play: Play, name: str, commands: dict[str, str]) -> dict[str, Verdict]:
    """Return the verdicts that are no pass, by task."""
    tasks: dict[str, Task] = {task.id: task for task in MOST_HOSTILE}
    verdicts = {
        task: judge(tasks[task], play(name, command, tasks[task].fixture.tree))
        for task, command in commands.items()
    }
    return {task: verdict for task, verdict in verdicts.items() if verdict.kind is not VerdictClass.PASS}


@pytest.mark.parametrize("name", SESSIONS)
def test_a_matched_command_has_the_effect_of_the_command(name: str, transport: Find, done: Done) -> None:
    command = f"printf '%s\\0' {' '.join(map(shell_word, HARD))} >f; cat >g; echo \"$0\" >h"
    matched = transport(name).matched(command)

    assert dict(done(name, matched).tree) == {
        "f": File(to_bytes("".join(f"{text}\0" for text in HARD))),
        "g": File(b""),
        "h": File(b"bash\n"),
    }
    assert transport(name).layers(matched)[-1].text == command


@pytest.mark.parametrize("name", SESSIONS)
def test_hostile_oracles_pass_in_their_matched_form(name: str, transport: Find, play: Play) -> None:
    commands = {task.id: transport(name).matched(task.oracle) for task in MOST_HOSTILE}

    assert failures(play, name, commands) == {}


@pytest.mark.parametrize("name", [*PIPES, *TERMINALS, "ssh-argv"])
def test_hostile_oracles_that_every_carrier_takes_pass_as_they_are(name: str, play: Play) -> None:
    commands = {task.id: task.oracle for task in MOST_HOSTILE if task.family in {"git-commit", "json-edit"}}

    assert failures(play, name, commands or {task.id: task.oracle for task in MOST_HOSTILE[:4]}) == {}


@pytest.mark.parametrize(
    "command",
    [
        'x=1; echo "$x" >f',
        "printf '%s' $0 >f",
        "echo 'a' \\\\ \\$x `echo sub` >f",
        'echo "a"; echo b >f',
        "cat >f <<'EOF'\n\"q\" $x\nEOF",
        'echo "unclosed',
        "echo *.txt '*' >f",
    ],
)
def test_what_breaks_out_of_the_quotes_of_ssh_breaks_as_in_nested(
    command: str, sandbox: LocalSandbox, transport: Find
) -> None:
    tree = FileTree.of({"a.txt": "a", "b.txt": "b"})
    through_ssh = sandbox.run(tree, transport("ssh").plan(command), Limits())
    nested = sandbox.run(tree, NESTED.plan(command), Limits())

    assert dict(through_ssh.tree) == dict(nested.tree)
    assert (through_ssh.stdout, through_ssh.exit_status) == (nested.stdout, nested.exit_status)
    assert transport("ssh").layers(command)[-1].text == NESTED.layers(command)[-1].text


@pytest.mark.parametrize("name", SSH)
def test_ssh_has_the_environment_of_the_raw_path_beside_its_own(name: str, done: Done) -> None:
    place, *lines = done(name, "pwd; env").stdout.decode().splitlines()
    variables = dict(line.split("=", 1) for line in lines)

    assert variables["HOME"] == variables["PWD"] == place
    assert variables["PATH"] == "/usr/local/bin:/usr/bin:/bin"
    assert variables["LC_ALL"] == "C"
    assert variables["GIT_CONFIG_VALUE_0"] == "*"


@pytest.mark.parametrize("name", SESSIONS)
def test_what_is_too_long_or_stands_for_no_bytes_is_refused_before(name: str, transport: Find) -> None:
    with pytest.raises(TransportError, match="surrogate"):
        transport(name).plan("\ud83d")
    if name not in PIPES:
        with pytest.raises(TransportError, match="argument"):
            transport(name).plan("x" * 131_072)


def test_ssh_joins_with_spaces_what_nested_hands_on_as_arguments(sandbox: LocalSandbox, transport: Find) -> None:
    command = 'echo "two  words" >f'

    assert sandbox.run(FileTree(), transport("ssh").plan(command), Limits()).tree["f"] == File(b"two words\n")
    assert sandbox.run(FileTree(), NESTED.plan(command), Limits()).stdout == b"two\n"


def test_ssh_reads_a_leading_dash_as_its_own_option_and_ssh_argv_does_not(done: Done) -> None:
    assert b"usage: ssh" in done("ssh", "-h").stderr
    assert b"bash: -h" not in done("ssh-argv", "-h").stderr
    assert b"usage: ssh" not in done("ssh-argv", "-h").stderr

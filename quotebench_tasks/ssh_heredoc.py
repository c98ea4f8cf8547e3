"""ssh-heredoc: create an exact file of several lines through an ssh-like program (SC2029, SC2087)."""

from __future__ import annotations

from pytest_quotebench.core.escaping import shell_word, two_layers
from pytest_quotebench.core.goals import FilesGoal
from pytest_quotebench.core.task import Task
from quotebench_tasks._remote import INTRODUCTION, remote_fixture
from quotebench_tasks._tier import Tier, marked


def _task(tier: Tier, text: str, token: str) -> Task:
    before, after = "printf '%s\\n' ", ' "$REMOTE_TOKEN" > notes.txt'
    return tier.task(
        "ssh-heredoc",
        payloads=(text,),
        instruction=(
            f"{INTRODUCTION}Through ./remote, write notes.txt on the remote side (it then appears as "
            f"remote_root/notes.txt): exactly these lines: {marked(text)} then one last line with the value that "
            "REMOTE_TOKEN has on the remote side, ended by a newline."
        ),
        fixture=remote_fixture(token),
        goal=FilesGoal({"remote_root/notes.txt": f"{text}\n{token}\n"}),
        allowed_new_files=("remote_root/notes.txt",),
        oracle=f"./remote {shell_word(before)}{two_layers(text)}{shell_word(after)}",
        naive=f"./remote 'cat > notes.txt <<EOF\n{text}\n$REMOTE_TOKEN\nEOF'",
    )


TASKS = (
    _task(
        Tier(0, "plain", ("control", "multiline", "multi-layer")),
        "hello world\nsecond line",
        "qbtok954e1942",
    ),
    _task(
        Tier(1, "apostrophe-code", ("apostrophe", "multiline", "multi-layer", "SC2029")),
        "print('it works')\nvalue = 'test'",
        "qbtokd4eadac3",
    ),
    _task(
        Tier(2, "mixed-quotes", ("apostrophe", "double-quote", "multiline", "multi-layer")),
        'msg = "it\'s done"\nprint(msg)',
        "qbtokcdac0c6e",
    ),
    _task(
        Tier(3, "template-literal", ("backtick", "dollar-brace", "dollar", "multiline", "multi-layer", "SC2087")),
        "const s = `${func()} costs $5`;\nrun(s)",
        "qbtok44e805ac",
    ),
)

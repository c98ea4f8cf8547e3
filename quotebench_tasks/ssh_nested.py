"""ssh-nested: write a file through an ssh-like program. Two shells read the text, one expands (SC2029)."""

from __future__ import annotations

from pytest_quotebench.core.escaping import shell_word, two_layers
from pytest_quotebench.core.goals import FilesGoal
from pytest_quotebench.core.task import Task
from quotebench_tasks._remote import INTRODUCTION, remote_fixture
from quotebench_tasks._tier import Tier, marked


def _task(tier: Tier, text: str, token: str) -> Task:
    before, after = "printf '%s|%s\\n' ", ' "$REMOTE_TOKEN" > greeting.txt'
    return tier.task(
        "ssh-nested",
        payloads=(text,),
        instruction=(
            f"{INTRODUCTION}Through ./remote, write greeting.txt on the remote side (it then appears as "
            f"remote_root/greeting.txt): exactly {marked(text)}, then one | character, then the value that "
            "REMOTE_TOKEN has on the remote side, then a newline."
        ),
        fixture=remote_fixture(token),
        goal=FilesGoal({"remote_root/greeting.txt": f"{text}|{token}\n"}),
        allowed_new_files=("remote_root/greeting.txt",),
        oracle=f"./remote {shell_word(before)}{two_layers(text)}{shell_word(after)}",
        naive=f"./remote 'echo \"{text}|$REMOTE_TOKEN\" > greeting.txt'",
    )


TASKS = (
    _task(Tier(0, "plain", ("control", "multi-layer")), "hello remote", "qbtokbd82214d"),
    _task(
        Tier(1, "apostrophe", ("apostrophe", "multi-layer", "SC2029")),
        "it's alive out here",
        "qbtok8dcbad17",
    ),
    _task(
        Tier(2, "double-quotes", ("apostrophe", "double-quote", "multi-layer", "SC2029")),
        'she said "don\'t stop"',
        "qbtokc67d0c3f",
    ),
    _task(
        Tier(3, "gnarly", ("command-substitution", "backslash", "mixed-quotes", "multi-layer", "SC2029")),
        "mix: '$(pwd)' & \\slash \"end\"",
        "qbtokd7c8025d",
    ),
)

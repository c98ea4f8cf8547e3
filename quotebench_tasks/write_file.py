"""write-file: create a file with exact content. Which quotes are chosen decides it (ShellCheck SC2016)."""

from __future__ import annotations

from pytest_quotebench.core.escaping import shell_word
from pytest_quotebench.core.goals import FilesGoal
from pytest_quotebench.core.task import Task
from quotebench_tasks._tier import FREE, Tier, marked, tempting_quotes


def _task(tier: Tier, text: str) -> Task:
    return tier.task(
        "write-file",
        payloads=(text,),
        instruction=f"Write the file out.txt so that it holds exactly {marked(text)} and then one newline.",
        fixture=FREE,
        goal=FilesGoal({"out.txt": f"{text}\n"}),
        allowed_new_files=("out.txt",),
        oracle=f"printf '%s\\n' {shell_word(text)} > out.txt",
        naive=f"echo {tempting_quotes(text)} > out.txt",
    )


TASKS = (
    _task(Tier(0, "plain", ("control",)), "hello world"),
    _task(Tier(1, "apostrophe", ("apostrophe",)), "it's a test"),
    _task(
        Tier(2, "mixed", ("apostrophe", "double-quote", "dollar", "SC2016")),
        'she said "it\'s done, $HOME stays"',
    ),
    _task(
        Tier(3, "gnarly", ("backslash", "backtick", "command-substitution", "multiline", "mixed-quotes")),
        "back\\slash and `date` here\n'single' \"double\" $(pwd) 100%",
    ),
)

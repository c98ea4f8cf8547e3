"""git-commit: commit with an exact message: apostrophes, several lines, command substitution by backticks."""

from __future__ import annotations

from pytest_quotebench.core.escaping import shell_word
from pytest_quotebench.core.git_goal import GitGoal
from pytest_quotebench.core.task import Fixture, Task
from quotebench_tasks._tier import Tier, marked, tempting_quotes

_FILE = "newfile.txt"


def _task(tier: Tier, message: str) -> Task:
    return tier.task(
        "git-commit",
        payloads=(message,),
        instruction=(
            f"This directory is a git repository; {_FILE} in it is not committed yet. "
            f"Add {_FILE} and make one commit whose whole message is exactly {marked(message)}."
        ),
        fixture=Fixture({_FILE: "payload data\n"}, git_repository=True),
        goal=GitGoal(message, tracked=(_FILE,), commits=1),
        allowed_new_files=(),
        oracle=f"git add {_FILE} && git commit -q -m {shell_word(message)}",
        naive=f"git add {_FILE} && git commit -q -m {tempting_quotes(message)}",
    )


TASKS = (
    _task(Tier(0, "plain", ("control",)), "add feature"),
    _task(Tier(1, "apostrophe", ("apostrophe",)), "fix: don't crash on empty input"),
    _task(
        Tier(2, "multiline", ("multiline", "apostrophe", "double-quote")),
        "release notes\n\nincludes 'quoted' and \"double\" bits",
    ),
    _task(Tier(3, "backtick", ("backtick", "dollar", "SC2016")), "sync `hostname` output & $PATH tweaks"),
)

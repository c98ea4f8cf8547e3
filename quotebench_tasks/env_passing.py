"""env-passing: run a program with an exact environment variable: assignment quoting, `$`, several lines."""

from __future__ import annotations

from pytest_quotebench.core import programs
from pytest_quotebench.core.escaping import shell_word
from pytest_quotebench.core.goals import FilesGoal
from pytest_quotebench.core.task import Fixture, Task
from quotebench_tasks._tier import Tier, marked, tempting_quotes


def _task(tier: Tier, value: str) -> Task:
    return tier.task(
        "env-passing",
        payloads=(value,),
        instruction=(
            f"Run the program ./check_env with the environment variable MSG set to exactly {marked(value)}. "
            "The program stores the value that reaches it in got.txt."
        ),
        fixture=Fixture(programs={"check_env": programs.check_env()}),
        goal=FilesGoal({"got.txt": value}),
        allowed_new_files=("got.txt",),
        oracle=f"MSG={shell_word(value)} ./check_env",
        naive=f"MSG={tempting_quotes(value)} ./check_env",
    )


TASKS = (
    _task(Tier(0, "plain", ("control",)), "plainvalue"),
    _task(Tier(1, "spaces", ("space", "apostrophe", "ampersand")), "two words & it's fine"),
    _task(Tier(2, "dollar", ("dollar", "SC2016")), "$HOME is not expanded here"),
    _task(
        Tier(3, "multiline", ("multiline", "apostrophe", "double-quote")),
        "first line\nsecond 'line' \"here\"",
    ),
)

"""argv-passing: pass three exact arguments: word splitting (SC2086), globs, a leading dash."""

from __future__ import annotations

from pytest_quotebench.core import programs
from pytest_quotebench.core.escaping import shell_word
from pytest_quotebench.core.goals import FilesGoal
from pytest_quotebench.core.task import Fixture, Task
from quotebench_tasks._tier import Tier, marked, tempting_quotes

_REQUEST = "Run the program ./record with these three arguments, in this order:"


def _task(tier: Tier, *arguments: str) -> Task:
    return tier.task(
        "argv-passing",
        payloads=arguments,
        instruction="\n".join([_REQUEST, *map(marked, arguments)]),
        fixture=Fixture({"seed1.txt": "seed\n", "seed2.txt": "seed\n"}, {"record": programs.record()}),
        goal=FilesGoal({"got.bin": "".join(f"{argument}\0" for argument in arguments)}),
        allowed_new_files=("got.bin",),
        oracle=" ".join(["./record", *map(shell_word, arguments)]),
        naive=" ".join(["./record", *map(tempting_quotes, arguments)]),
    )


TASKS = (
    _task(Tier(0, "plain", ("control",)), "alpha", "beta", "gamma"),
    _task(Tier(1, "spaces", ("space", "apostrophe", "SC2086")), "two words", "it's", "fine"),
    _task(
        Tier(2, "glob-dollar", ("glob-expansion", "dollar", "whitespace-collapse")),
        "*.txt",
        "$USER",
        "a  b",
    ),
    _task(
        Tier(3, "gnarly", ("leading-dash", "backslash", "mixed-quotes", "dollar")),
        "-n",
        "back\\slash",
        "mix 'sq' \"dq\" $x",
    ),
)

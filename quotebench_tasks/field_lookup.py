"""field-lookup: look a key up in a column with awk. `$1` is the shell's or awk's, and `-v` reads escapes."""

from __future__ import annotations

from pytest_quotebench.core.escaping import awk_literal, shell_word
from pytest_quotebench.core.goals import FilesGoal
from pytest_quotebench.core.task import Fixture, Task
from quotebench_tasks._tier import Tier, marked, tempting_quotes


def _task(tier: Tier, key: str, rows: tuple[tuple[str, str], ...]) -> Task:
    values = "".join(f"{value}\n" for name, value in rows if name == key)
    program = f"$1 == {awk_literal(key)} {{ print $2 }}"
    return tier.task(
        "field-lookup",
        payloads=(key,),
        instruction=(
            "data.tsv has two columns separated by a tab. Take the rows whose first column is exactly "
            f"{marked(key)} and write their second column to out.txt, one value per line."
        ),
        fixture=Fixture({"data.tsv": "".join(f"{name}\t{value}\n" for name, value in rows)}),
        goal=FilesGoal({"out.txt": values}),
        allowed_new_files=("out.txt",),
        oracle=f"awk -F '\\t' {shell_word(program)} data.tsv > out.txt",
        naive=f"awk -F '\\t' -v key={tempting_quotes(key)} '$1 == key {{ print $2 }}' data.tsv > out.txt",
    )


TASKS = (
    _task(
        Tier(0, "plain", ("control",)),
        "alpha",
        (("alpha", "vf24021"), ("beta", "7"), ("gamma", "9")),
    ),
    _task(
        Tier(1, "apostrophe", ("apostrophe",)),
        "o'brien",
        (("obrien", "13"), ("o'brien", "va00bb4"), ("beta", "7")),
    ),
    _task(
        Tier(2, "dollar", ("dollar", "positional-expansion")),
        "$5 fee",
        ((" fee", "13"), ("5 fee", "21"), ("$5 fee", "v0ad502")),
    ),
    _task(
        Tier(3, "backslash", ("backslash", "double-quote", "awk-escape-processing")),
        'back\\slash "q"',
        (('back\\slash "q"', "v06bb67"), ('backslash "q"', "13"), ("beta", "7")),
    ),
)

"""sed-replace: replace a literal text. Two layers: shell quoting around sed's pattern and replacement."""

from __future__ import annotations

from pytest_quotebench.core.escaping import sed_pattern, sed_replacement, shell_word
from pytest_quotebench.core.goals import FilesGoal
from pytest_quotebench.core.task import Fixture, Task
from quotebench_tasks._tier import Tier, marked, tempting_quotes

_LINES = "header line\nvalue: {0} (primary)\nuntouched middle\n{1}value: {0} (secondary)\nfooter line\n"


def _task(tier: Tier, old: str, new: str, decoy: str | None = None) -> Task:
    decoy_line = f"value: {decoy} (decoy)\n" if decoy else ""
    return tier.task(
        "sed-replace",
        payloads=(old, new),
        instruction=(
            f"In data.txt, change every occurrence of the literal text {marked(old)} to {marked(new)}. "
            "Leave every other byte of the file as it is."
        ),
        fixture=Fixture({"data.txt": _LINES.format(old, decoy_line)}),
        goal=FilesGoal({"data.txt": _LINES.format(new, decoy_line)}),
        allowed_new_files=(),
        oracle=_in_place(f"s/{sed_pattern(old)}/{sed_replacement(new)}/g"),
        naive=f"sed -i.bak {tempting_quotes(f's/{old}/{new}/g')} data.txt && rm data.txt.bak",
    )


def _in_place(script: str) -> str:
    # POSIX sed has no -i. A command substitution drops the last newlines, so a dot stands guard after them.
    return f'text=$(sed {shell_word(script)} data.txt && echo .) && printf %s "${{text%.}}" > data.txt'


TASKS = (
    _task(Tier(0, "plain", ("control",)), "alpha", "omega"),
    _task(Tier(1, "apostrophe", ("apostrophe",)), "user's data", "admin's data"),
    _task(
        Tier(2, "slashes", ("sed-delimiter", "slash", "backslash", "regex-vs-literal")),
        "src/main.c",
        "build/out\\main.o",
        decoy="src/mainXc",
    ),
    _task(
        Tier(3, "gnarly", ("apostrophe", "double-quote", "dollar", "sed-ampersand")),
        'price = "$4" & up',
        "price = '$5' & down",
        decoy='price X "$4" & up',
    ),
)

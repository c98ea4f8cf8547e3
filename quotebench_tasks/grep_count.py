"""grep-count: count the lines that contain an exact text. A pattern is not a text (`-F`), and `$` expands."""

from __future__ import annotations

from pytest_quotebench.core.escaping import grep_pattern, shell_word
from pytest_quotebench.core.goals import FilesGoal
from pytest_quotebench.core.task import Fixture, Task
from quotebench_tasks._tier import Tier, marked, tempting_quotes


def _task(tier: Tier, text: str, lines: tuple[str, ...]) -> Task:
    count = sum(text in line for line in lines)
    return tier.task(
        "grep-count",
        payloads=(text,),
        instruction=(
            f"Some lines of lines.txt contain the literal text {marked(text)}: plain text, not a pattern. "
            "Write the number of such lines, in decimal and followed by a newline, to count.txt."
        ),
        fixture=Fixture({"lines.txt": "".join(f"{line}\n" for line in lines)}),
        goal=FilesGoal({"count.txt": f"{count}\n"}),
        allowed_new_files=("count.txt",),
        oracle=f"grep -c -e {shell_word(grep_pattern(text))} lines.txt > count.txt",
        naive=f"grep -c {tempting_quotes(text)} lines.txt > count.txt",
    )


TASKS = (
    _task(
        Tier(0, "plain", ("control",)),
        "TODO",
        ("x TODO one", "clean line", "y TODO two", "z TODO three", "done"),
    ),
    _task(
        Tier(1, "apostrophe", ("apostrophe",)),
        "don't panic",
        ("a don't panic b", "dont panic (decoy)", "c don't panic d", "calm"),
    ),
    _task(
        Tier(2, "regex-trap", ("regex-vs-literal", "glob-chars")),
        "a.b*c",
        ("lit a.b*c one", "axbc regex decoy", "lit a.b*c two", "lit a.b*c three", "lit a.b*c four"),
    ),
    _task(
        Tier(3, "bracket-dollar", ("regex-vs-literal", "dollar", "bracket-expression")),
        "[status] $ok",
        ("x [status] $ok here", "s $ok decoy", "t $ok decoy", "unrelated"),
    ),
)

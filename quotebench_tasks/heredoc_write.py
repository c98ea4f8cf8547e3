"""heredoc-write: create an exact file of several lines: expansion (SC2087) and a delimiter in the content."""

from __future__ import annotations

from pytest_quotebench.core.escaping import shell_word
from pytest_quotebench.core.goals import FilesGoal
from pytest_quotebench.core.task import Task
from quotebench_tasks._tier import FREE, Tier, marked


def _task(tier: Tier, text: str) -> Task:
    return tier.task(
        "heredoc-write",
        payloads=(text,),
        instruction=f"Write doc.txt so that it holds exactly these lines: {marked(text)} and then one newline.",
        fixture=FREE,
        goal=FilesGoal({"doc.txt": f"{text}\n"}),
        allowed_new_files=("doc.txt",),
        oracle=f"printf '%s\\n' {shell_word(text)} > doc.txt",
        naive=f"cat > doc.txt <<EOF\n{text}\nEOF",
    )


TASKS = (
    _task(Tier(0, "plain", ("control", "multiline")), "first line\nsecond line\nthird line"),
    _task(
        Tier(1, "expansion", ("dollar", "backtick", "SC2087", "multiline")),
        "balance: $HOME and `whoami`\nsecond line here",
    ),
    _task(
        Tier(2, "delimiter-collision", ("heredoc-delimiter-collision", "multiline")),
        "first part\nEOF\nlast part",
    ),
    _task(
        Tier(3, "gnarly", ("dollar", "backtick", "heredoc-delimiter-collision", "mixed-quotes", "multiline")),
        "a $X line\nEOF\nb `date` 'end'\nsay \"done\"",
    ),
)

"""bulk-rename: put a prefix before every matching name. An unquoted `$f` splits, globs and is an option."""

from __future__ import annotations

from pytest_quotebench.core.goals import AllFilesGoal
from pytest_quotebench.core.task import Fixture, Task
from pytest_quotebench.core.text import to_bytes
from quotebench_tasks._tier import Tier

_INSTRUCTION = (
    "Put done_ in front of the name of every file in this directory whose name ends in .txt, so that a file "
    "x.txt is then named done_x.txt. Leave every other file alone."
)
_OTHERS = {"notes.md": "keep me\n"}


def _task(tier: Tier, *names: str) -> Task:
    bodies = {name: f"content of {name}\n" for name in names}
    renamed = {f"done_{name}": body for name, body in bodies.items()}
    return tier.task(
        "bulk-rename",
        payloads=(),
        instruction=_INSTRUCTION,
        fixture=Fixture({**bodies, **_OTHERS}),
        goal=AllFilesGoal({**renamed, **_OTHERS}),
        allowed_new_files=tuple(sorted(renamed, key=to_bytes)),
        oracle='for f in ./*.txt; do mv "$f" "./done_${f#./}"; done',
        naive="for f in *.txt; do mv $f done_$f; done",
    )


TASKS = (
    _task(Tier(0, "plain", ("control",)), "a.txt", "b.txt", "c.txt"),
    _task(Tier(1, "spaces", ("space", "SC2086")), "alpha one.txt", "beta two.txt", "plain.txt"),
    _task(
        Tier(2, "dash-apostrophe", ("leading-dash", "apostrophe", "option-injection")),
        "-dash.txt",
        "it's.txt",
        "plain.txt",
    ),
    _task(
        Tier(3, "gnarly", ("space", "glob-name", "leading-dash", "apostrophe", "whitespace-collapse")),
        "sp  ace.txt",
        "star*.txt",
        "-it's mix.txt",
        "plain.txt",
    ),
)

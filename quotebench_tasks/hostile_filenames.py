"""hostile-filenames: rename or delete one file whose name looks like words, a glob or an option (SC2086)."""

from __future__ import annotations

from collections.abc import Mapping

from pytest_quotebench.core.escaping import shell_word
from pytest_quotebench.core.goals import AllFilesGoal
from pytest_quotebench.core.task import Fixture, Task
from quotebench_tasks._tier import Tier, marked


def _rename(tier: Tier, old: str, new: str, body: str, others: Mapping[str, str]) -> Task:
    return tier.task(
        "hostile-filenames",
        payloads=(old, new),
        instruction=f"Rename the file {marked(old)} to {marked(new)}. Leave every other file alone.",
        fixture=Fixture({old: body, **others}),
        goal=AllFilesGoal({new: body, **others}),
        allowed_new_files=(new,),
        oracle=f"mv -- {shell_word(old)} {shell_word(new)}",
        naive=f"mv {old} {new}",
    )


def _delete(tier: Tier, name: str, body: str, others: Mapping[str, str]) -> Task:
    return tier.task(
        "hostile-filenames",
        payloads=(name,),
        instruction=(
            f"One file here is named exactly {marked(name)}: an asterisk, then .txt. "
            "Delete that one file and no other."
        ),
        fixture=Fixture({name: body, **others}),
        goal=AllFilesGoal(others),
        allowed_new_files=(),
        oracle=f"rm -- {shell_word(name)}",
        naive=f"rm {name}",
    )


TASKS = (
    _rename(
        Tier(0, "plain", ("control",)),
        "notes.txt",
        "archive.txt",
        "notes body\n",
        {"readme.md": "readme body\n"},
    ),
    _rename(
        Tier(1, "space", ("space", "SC2086")),
        "data 1.txt",
        "data_1.txt",
        "one\n",
        {"data 2.txt": "two\n", "readme.md": "readme\n"},
    ),
    _delete(
        Tier(2, "glob-name", ("glob-name", "collateral-damage")),
        "*.txt",
        "the glob file\n",
        {"a.txt": "keep a\n", "b.txt": "keep b\n"},
    ),
    _rename(
        Tier(3, "dash-apostrophe", ("leading-dash", "apostrophe", "option-injection")),
        "-alpha's file.txt",
        "fixed.txt",
        "dash body\n",
        {"alpha.txt": "keep\n"},
    ),
)

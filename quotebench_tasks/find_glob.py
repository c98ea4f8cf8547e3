"""find-glob: list matching files. An unquoted pattern is expanded by the shell before find sees it (SC2061)."""

from __future__ import annotations

from pytest_quotebench.core.escaping import shell_word
from pytest_quotebench.core.goals import LinesGoal
from pytest_quotebench.core.task import Fixture, Task
from pytest_quotebench.core.text import to_bytes
from quotebench_tasks._tier import Tier

_INSTRUCTION = (
    "Find every regular file under tree/ whose name ends in .log and write their paths to list.txt: relative "
    "paths that start with tree/, one per line, sorted by byte value (the C locale)."
)


def _task(tier: Tier, *paths: str) -> Task:
    wanted = (path for path in paths if path.startswith("tree/") and path.endswith(".log"))
    return tier.task(
        "find-glob",
        payloads=(),
        instruction=_INSTRUCTION,
        fixture=Fixture({path: f"log data for {path}\n" for path in paths}),
        goal=LinesGoal({"list.txt": tuple(sorted(wanted, key=to_bytes))}),
        allowed_new_files=("list.txt",),
        oracle=f"find tree -type f -name {shell_word('*.log')} | LC_ALL=C sort > list.txt",
        naive="find tree -type f -name *.log | sort > list.txt",
    )


TASKS = (
    _task(Tier(0, "plain", ("control",)), "tree/alpha.log", "tree/sub/beta.log", "tree/notes.md"),
    _task(
        Tier(1, "cwd-trap", ("glob-expansion", "SC2061")),
        "tree/alpha.log",
        "tree/sub/beta.log",
        "tree/gamma.log",
        "tree/notes.md",
        "local.log",
    ),
    _task(
        Tier(2, "spaces", ("glob-expansion", "space")),
        "tree/app server.log",
        "tree/deep dir/query.log",
        "tree/runner.log",
        "tree/notes.md",
        "local.log",
    ),
    _task(
        Tier(3, "multi-trap", ("glob-expansion", "apostrophe", "dollar", "space")),
        "tree/app server.log",
        "tree/deep dir/it's.log",
        "tree/$cache.log",
        "tree/runner.log",
        "tree/notes.md",
        "local.log",
        "extra.log",
    ),
)

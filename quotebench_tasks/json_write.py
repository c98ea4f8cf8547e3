"""json-write: write JSON with an exact value. JSON escaping within shell quoting."""

from __future__ import annotations

from pytest_quotebench.core.escaping import json_string, shell_word
from pytest_quotebench.core.goals import JsonGoal
from pytest_quotebench.core.task import Task
from quotebench_tasks._tier import FREE, Tier, marked


def _task(tier: Tier, text: str) -> Task:
    document = f'{{"message": {json_string(text)}}}'
    return tier.task(
        "json-write",
        payloads=(text,),
        instruction=(
            'Write config.json: valid JSON, one object with the single key "message", '
            f"whose value is exactly the text {marked(text)}."
        ),
        fixture=FREE,
        goal=JsonGoal({"config.json": {"message": text}}),
        allowed_new_files=("config.json",),
        oracle=f"printf '%s\\n' {shell_word(document)} > config.json",
        naive=f'echo \'{{"message": "{text}"}}\' > config.json',
    )


TASKS = (
    _task(Tier(0, "plain", ("control",)), "hello"),
    _task(Tier(1, "quotes", ("apostrophe", "double-quote", "json-escaping")), 'it\'s a "test"'),
    _task(Tier(2, "backslash", ("backslash", "json-escaping")), "C:\\temp\\new folder"),
    _task(
        Tier(3, "gnarly", ("backslash", "double-quote", "dollar", "json-escaping")),
        'He said: "mix $HOME & C:\\new" (100%)',
    ),
)

"""Each format is known by its keys, and a record that is wrong says which field."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pytest_quotebench.core.reply import Reply
from pytest_quotebench.core.task import Task, prompt_digest
from pytest_quotebench.store.replies import read_replies

Tasks = dict[str, Task]
Record = Callable[..., dict[str, Any]]
Write = Callable[..., Path]

NEWER = "is newer than this version of pytest-quotebench reads"


def only_reply(path: Path, tasks: Tasks) -> Reply:
    store = read_replies(path, tasks)
    assert store.problems == ()
    (reply,) = store.replies
    return reply


def only_message(path: Path, tasks: Tasks) -> str:
    store = read_replies(path, tasks)
    assert store.replies == ()
    (problem,) = store.problems
    assert problem.severity == "error"
    return problem.message


def rollout(**changes: Any) -> dict[str, Any]:
    sampling = {"contract": "nested", "effort": "default", "trial": 0}
    return {
        "schema_version": "quotebench-rollout-v1",
        "campaign": "raw-vs-nested",
        "model": {"model_id": "gpt-5.5"},
        "task": {"task_id": "write-file/t0-plain"},
        "sampling": {**sampling, **changes.pop("sampling", {})},
        "messages": [{"role": "system", "content": "S"}, {"role": "user", "content": "I"}],
        "response": {"reply": "true", "finish_reason": "stop"},
        "usage": {
            "prompt_tokens": 5,
            "completion_tokens": 3,
            "completion_tokens_details": {"reasoning_tokens": 2},
            "total_tokens": 8,
        },
        **changes,
    }


@pytest.mark.parametrize("name", ["schema", "task", "model", "effort", "contract", "trial", "reply"])
def test_a_required_field_that_is_missing_is_named(name: str, tasks: Tasks, record: Record, write: Write) -> None:
    assert only_message(write(record(**{name: ...})), tasks) == f"field '{name}' is missing"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"trial": "0"}, "field 'trial' must be a whole number from 0, not \"0\""),
        ({"trial": True}, "field 'trial' must be a whole number from 0, not true"),
        ({"trial": -1}, "field 'trial' must be a whole number from 0, not -1"),
        ({"trial": 0.0}, "field 'trial' must be a whole number from 0, not 0.0"),
        ({"trial": None}, "field 'trial' must be a whole number from 0, not null"),
        ({"reply": None}, "field 'reply' must be text, not null"),
        ({"reply": ["ls"]}, "field 'reply' must be text, not a list"),
        ({"model": ""}, "field 'model' must be text that is not empty, not \"\""),
        ({"model": {}}, "field 'model' must be text, not an object"),
        ({"effort": 3}, "field 'effort' must be text, not 3"),
        ({"usage": 7}, "field 'usage' must be an object or null, not 7"),
        ({"usage": {"prompt": "7"}}, "field 'prompt' must be a whole number from 0, not \"7\""),
        ({"prompt_sha256": 1}, "field 'prompt_sha256' must be text, not 1"),
        ({"schema": 1}, "field 'schema' must be text, not 1"),
        ({"schema": "qb-result/1"}, "schema 'qb-result/1' is not qb-reply/1"),
        (
            {"schema": "qb-reply/2"},
            f"schema 'qb-reply/2' {NEWER} (qb-reply/1): update it",
        ),
    ],
)
def test_a_wrong_field_is_named_with_its_value(
    changes: dict[str, Any], message: str, tasks: Tasks, record: Record, write: Write
) -> None:
    assert only_message(write(record(**changes)), tasks) == message


def test_an_older_schema_and_unknown_fields_are_taken(tasks: Tasks, record: Record, write: Write) -> None:
    """ST08 for replies."""
    reply = only_reply(write(record(schema="qb-reply/0", latency_s=1.5, colour="red")), tasks)

    assert dict(reply.extra) == {"latency_s": 1.5, "colour": "red"}


def test_usage_holds_every_kind_or_is_none(tasks: Tasks, record: Record, write: Write) -> None:
    told = only_reply(write(record(usage={"prompt": 5, "total": 8, "odd": 1}), name="a.jsonl"), tasks)
    untold = only_reply(write(record(usage={"prompt": None}), name="b.jsonl"), tasks)

    assert told.usage == {"prompt": 5, "completion": None, "reasoning": None, "cached": None, "total": 8}
    assert untold.usage is None


def test_a_published_rollout_is_read(tasks: Tasks, write: Write) -> None:
    reply = only_reply(write(rollout()), tasks)

    assert (reply.task, reply.contract, reply.text) == ("write-file-t0", "disclosed", "true")
    assert reply.prompt_sha256 == prompt_digest("S", "I")
    assert reply.usage == {"prompt": 5, "completion": 3, "reasoning": 2, "cached": None, "total": 8}
    assert (reply.extra["campaign"], reply.extra["finish_reason"]) == ("raw-vs-nested", "stop")


@pytest.mark.parametrize(("effort", "expected"), [(None, None), ("default", None), ("high", "high")])
def test_a_rollout_without_effort_says_null_or_default(
    effort: str | None, expected: str | None, tasks: Tasks, write: Write
) -> None:
    assert only_reply(write(rollout(sampling={"effort": effort})), tasks).configuration.effort == expected


@pytest.mark.parametrize("name", ["nested", "nested-shell", "nested-shell-v2", "wrapped", "disclosed"])
def test_all_names_of_the_disclosed_contract_are_one(
    name: str, tasks: Tasks, record: Record, write: Write
) -> None:
    published = only_reply(write(rollout(sampling={"contract": name}), name="a.jsonl"), tasks)
    own = only_reply(write(record(contract=name), name="b.jsonl"), tasks)

    assert (published.contract, own.contract) == ("disclosed", "disclosed")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"response": {}}, "field 'response.reply' is missing"),
        ({"response": "ls"}, "field 'response.reply' is missing"),
        ({"response": {"reply": None}}, "field 'response.reply' must be text, not null"),
        ({"model": "gpt"}, "field 'model.model_id' is missing"),
        (
            {"schema_version": "quotebench-rollout-v2"},
            f"schema_version 'quotebench-rollout-v2' {NEWER} (quotebench-rollout-v1): update it",
        ),
    ],
)
def test_a_wrong_rollout_says_where(changes: dict[str, Any], message: str, tasks: Tasks, write: Write) -> None:
    assert only_message(write(rollout(**changes)), tasks) == message


@pytest.mark.parametrize("messages", [None, "text", [], [{"role": "user", "content": "I"}], [1, 2]])
def test_a_rollout_whose_prompt_cannot_be_told_has_no_digest(messages: Any, tasks: Tasks, write: Write) -> None:
    assert only_reply(write(rollout(messages=messages)), tasks).prompt_sha256 is None


def test_scoring_lines_name_task_contract_and_reply(tasks: Tasks, write: Write) -> None:
    path = write({"task_id": "write-file/t0-plain", "contract": "nested", "reply": "ls"}, name="my-model.jsonl")

    reply = only_reply(path, tasks)

    assert (reply.configuration, reply.contract, reply.trial, reply.text) == (
        ("my-model", None),
        "disclosed",
        0,
        "ls",
    )


def test_command_lines_are_raw_replies_of_the_model_that_the_file_is_called(tasks: Tasks, write: Write) -> None:
    reply = only_reply(write({"task_id": "write-file-t0", "command": "ls"}, name="my-model.jsonl"), tasks)

    assert (reply.configuration, reply.contract, reply.trial, reply.text) == (("my-model", None), "raw", 0, "ls")


def test_what_a_plain_line_says_goes_before_its_file_name(tasks: Tasks, write: Write) -> None:
    told = {"task_id": "write-file-t0", "command": "ls", "model": "m", "effort": "low", "trial": 4, "note": "n"}

    reply = only_reply(write(told), tasks)

    assert (reply.configuration, reply.trial, dict(reply.extra)) == (("m", "low"), 4, {"note": "n"})


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ({"task_id": "write-file-t0"}, "field 'contract' is missing"),
        ({"task_id": "write-file-t0", "contract": "raw"}, "field 'reply' is missing"),
        ({"task_id": "write-file-t0", "reply": "ls"}, "field 'contract' is missing"),
        ({"task_id": 3, "command": "ls"}, "field 'task_id' must be text, not 3"),
        ({"task_id": "write-file-t0", "command": 3}, "field 'command' must be text, not 3"),
    ],
)
def test_a_wrong_plain_line_says_which_field(
    line: dict[str, Any], message: str, tasks: Tasks, write: Write
) -> None:
    assert only_message(write(line), tasks) == message

"""`quotebench-rollout-v1`: the records that the paper's authors publish."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from pytest_quotebench.core.reply import Configuration, Reply
from pytest_quotebench.core.task import prompt_digest
from pytest_quotebench.store import fields
from pytest_quotebench.store.fields import Record
from pytest_quotebench.store.formats import Source

_READ = frozenset(("schema_version", "model", "sampling", "response"))
_NO_EFFORT = "default"
"""How the release spells that a request set no effort, where it does not say null."""


def recognises(record: Record) -> bool:
    """Tell whether the record claims a schema version."""
    return "schema_version" in record


def read(record: Record, source: Source) -> Reply:
    """Return the reply; what the release says about executions and verdicts goes to `extra`."""
    fields.check_schema(record, "schema_version", "quotebench-rollout-v", 1)
    effort = fields.optional_word(record, "sampling.effort")
    return Reply(
        task=fields.word(record, "task.task_id"),
        configuration=Configuration(
            fields.word(record, "model.model_id"), None if effort == _NO_EFFORT else effort
        ),
        contract=fields.contract(record, "sampling.contract"),
        trial=fields.number(record, "sampling.trial"),
        text=fields.text(record, "response.reply"),
        prompt_sha256=_prompt(record.get("messages")),
        origin=source.origin,
        usage=_usage(fields.optional_object(record, "usage")),
        extra=MappingProxyType(_rest(record)),
    )


def _rest(record: Record) -> dict[str, Any]:
    rest = {name: value for name, value in record.items() if name not in _READ}
    return {**rest, "finish_reason": record["response"].get("finish_reason")}


def _prompt(messages: Any) -> str | None:
    match messages:
        case [{"role": "system", "content": str(system)}, {"role": "user", "content": str(instruction)}]:
            return prompt_digest(system, instruction)
        case _:
            return None


def _usage(counts: Record) -> Mapping[str, int | None] | None:
    completion = fields.optional_object(counts, "completion_tokens_details")
    prompt = fields.optional_object(counts, "prompt_tokens_details")
    return fields.usage(
        {
            "prompt": counts.get("prompt_tokens"),
            "completion": counts.get("completion_tokens"),
            "reasoning": completion.get("reasoning_tokens"),
            "cached": prompt.get("cached_tokens"),
            "total": counts.get("total_tokens"),
        }
    )

"""Shared by the two formats without a schema: a task, a text, and defaults for all the rest."""

from __future__ import annotations

from types import MappingProxyType

from pytest_quotebench.core.reply import Configuration, Reply
from pytest_quotebench.store import fields
from pytest_quotebench.store.fields import Record
from pytest_quotebench.store.formats import Source

_READ = frozenset(("task_id", "model", "effort", "contract", "trial"))


def plain_reply(record: Record, source: Source, text_field: str) -> Reply:
    """Return the reply: what the record says counts, else file name, no effort, contract raw, trial 0."""
    told = {"model": source.stem, "effort": None, "contract": "raw", "trial": 0, **record}
    return Reply(
        task=fields.word(told, "task_id"),
        configuration=Configuration(fields.word(told, "model"), fields.optional_word(told, "effort")),
        contract=fields.contract(told, "contract"),
        trial=fields.number(told, "trial"),
        text=fields.text(told, text_field),
        origin=source.origin,
        extra=MappingProxyType({k: v for k, v in record.items() if k not in _READ and k != text_field}),
    )

"""`qb-reply/1`: this project's own records."""

from __future__ import annotations

from types import MappingProxyType

from pytest_quotebench.core.reply import Configuration, Reply
from pytest_quotebench.store import fields
from pytest_quotebench.store.fields import Record
from pytest_quotebench.store.formats import Source

_READ = frozenset(
    ("schema", "task", "model", "effort", "contract", "trial", "reply", "prompt_sha256", "usage")
)  # fmt: skip


def recognises(record: Record) -> bool:
    """Tell whether the record claims a schema, or has the keys of one that forgot to."""
    return "schema" in record or ("task" in record and "reply" in record)


def read(record: Record, source: Source) -> Reply:
    """Return the reply; the fields from `schema` to `reply` are required, all others optional."""
    fields.check_schema(record, "schema", "qb-reply/", 1)
    usage = fields.optional_object(record, "usage")
    return Reply(
        task=fields.word(record, "task"),
        configuration=Configuration(fields.word(record, "model"), fields.optional_word(record, "effort")),
        contract=fields.contract(record, "contract"),
        trial=fields.number(record, "trial"),
        text=fields.text(record, "reply"),
        prompt_sha256=fields.optional_word({"prompt_sha256": None, **record}, "prompt_sha256"),
        origin=source.origin,
        usage=fields.usage(usage),
        extra=MappingProxyType({name: value for name, value in record.items() if name not in _READ}),
    )

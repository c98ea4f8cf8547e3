"""`{"task_id", "contract", "reply"}`: the plain scoring input of the authors' tool."""

from __future__ import annotations

from pytest_quotebench.core.reply import Reply
from pytest_quotebench.store import fields
from pytest_quotebench.store.fields import Record
from pytest_quotebench.store.formats import Source
from pytest_quotebench.store.formats._plain import plain_reply


def recognises(record: Record) -> bool:
    """Tell whether the record has a task_id and is no line of commands."""
    return "task_id" in record and ("reply" in record or "command" not in record)


def read(record: Record, source: Source) -> Reply:
    """Return the reply; the model is the file's name where the record names none."""
    fields.word(record, "contract")
    return plain_reply(record, source, "reply")

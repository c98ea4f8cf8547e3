"""`{"task_id", "command"}`: commands to be run as they are, contract raw."""

from __future__ import annotations

from pytest_quotebench.core.reply import Reply
from pytest_quotebench.store.fields import Record
from pytest_quotebench.store.formats import Source
from pytest_quotebench.store.formats._plain import plain_reply


def recognises(record: Record) -> bool:
    """Tell whether the record has a task_id, a command and no reply."""
    return "task_id" in record and "command" in record and "reply" not in record


def read(record: Record, source: Source) -> Reply:
    """Return the command as a reply; model, contract and trial are the usual ones where it names none."""
    return plain_reply(record, source, "command")

"""Stored replies are read tolerantly: what is wrong is told with its line, and everything else counts."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_quotebench.core.errors import BadInput
from pytest_quotebench.core.task import Task
from pytest_quotebench.store.jsonl import JsonLines
from pytest_quotebench.store.replies import ReplyStore, read_replies

Tasks = dict[str, Task]
Record = Callable[..., dict[str, Any]]
Write = Callable[..., Path]


def messages(store: ReplyStore, path: Path) -> list[str]:
    """The problems without the directory of the test in them."""
    return [str(problem).replace(f"{path.parent}{os.sep}", "") for problem in store.problems]


def test_a_reply_is_kept_to_the_letter(tasks: Tasks, record: Record, write: Write) -> None:
    text = "printf '%s' \u2028\x7f\r\n\t \\x00 'é⟪' \ud83d"
    path = write(record(reply=text, effort="high", trial=2))

    store = read_replies(path, tasks)

    (reply,) = store.replies
    assert (reply.text, str(reply.configuration), reply.trial) == (text, "gpt-5.5@high", 2)
    assert (reply.origin, reply.made_by_machine, store.problems) == (f"{path}:1", False, ())


def test_u2028_that_stands_unescaped_in_a_line_does_not_end_it(tasks: Tasks, record: Record, write: Write) -> None:
    raw = json.dumps(record(reply="a\u2028b\u2029c\x85d"), ensure_ascii=False).encode() + b"\n"

    store = read_replies(write(raw), tasks)

    assert [reply.text for reply in store.replies] == ["a\u2028b\u2029c\x85d"]
    assert store.problems == ()


def test_a_byte_order_mark_crlf_and_blank_lines_do_no_harm(tasks: Tasks, record: Record, write: Write) -> None:
    lines = [json.dumps(record(trial=trial)).encode() for trial in range(2)]

    store = read_replies(write(b"\xef\xbb\xbf" + lines[0] + b"\r\n\r\n  \n" + lines[1] + b"\r\n"), tasks)

    assert [reply.trial for reply in store.replies] == [0, 1]
    assert store.problems == ()


def test_a_reply_of_200_kb_is_read(tasks: Tasks, record: Record, write: Write) -> None:
    store = read_replies(write(record(reply="x" * 200_000)), tasks)

    assert len(store.replies[0].text) == 200_000


def test_a_directory_is_searched_and_what_a_record_says_counts(tasks: Tasks, record: Record, write: Write) -> None:
    write(record(trial=1), name="b/other-model/nested.jsonl")
    path = write(record(trial=0), name="a.jsonl")
    write(b"not a reply file\n", name="notes.txt")

    store = read_replies(path.parent, tasks)

    assert [(reply.configuration.model, reply.trial) for reply in store.replies] == [
        ("gpt-5.5", 0),
        ("gpt-5.5", 1),
    ]
    assert store.problems == ()


def test_published_ids_map_to_ids(tasks: Tasks, record: Record, write: Write) -> None:
    store = read_replies(write(record(task="write-file/t3-gnarly")), tasks)

    assert store.replies[0].task == "write-file-t3"


def test_an_unknown_task_is_an_error_that_names_it_and_the_nearest(
    tasks: Tasks, record: Record, write: Write
) -> None:
    path = write(record(task="write-file-t9"), record())

    store = read_replies(path, tasks)

    assert messages(store, path) == [
        "replies.jsonl:1: error: unknown task 'write-file-t9'; the nearest known one is 'write-file-t3'"
    ]
    assert len(store.replies) == 1


def test_two_replies_for_one_cell_name_both_lines_and_neither_counts(
    tasks: Tasks, record: Record, write: Write
) -> None:
    path = write(record(), record(contract="disclosed"), record(task="write-file/t0-plain"))

    store = read_replies(path, tasks)

    assert [reply.contract for reply in store.replies] == ["disclosed"]
    assert messages(store, path) == [
        "replies.jsonl:1: error: more than one reply for write-file-t0, gpt-5.5, raw, trial 0: also at "
        f"{path}:3; none of them counts".replace(f"{path.parent}{os.sep}", "")
    ]
    assert {key.task for key in store.conflicts} == {"write-file-t0"}


def test_a_torn_last_line_is_a_warning_and_the_rest_counts(tasks: Tasks, record: Record, write: Write) -> None:
    path = write(record(), b'{"schema": "qb-reply/1", "ta')

    store = read_replies(path, tasks)

    assert len(store.replies) == 1
    assert messages(store, path) == [
        "replies.jsonl:2: warning: the last line is torn (it has no line break and does not parse); skipped"
    ]


def test_a_last_line_that_lacks_only_its_line_break_counts(tasks: Tasks, record: Record, write: Write) -> None:
    store = read_replies(write(json.dumps(record()).encode()), tasks)

    assert (len(store.replies), store.problems) == (1, ())


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b'{"schema": ', "not one JSON value: Expecting value at character 12"),
        (b"\x00\x00\x00", "not one JSON value: Expecting value at character 1"),
        (b'{"a": "\xff"}', "not one JSON value: byte 8 of the line is not UTF-8"),
        (b"[" * 100_000, "not one JSON value: nested too deeply"),
        (b'{"a": 1, "a": 2}', "not one JSON value: a key stands twice in one object"),
        (b'{"trial": NaN}', "not one JSON value: NaN is not JSON"),
        (b"[1]", "not a JSON object"),
        (b'"text"', "not a JSON object"),
        (b"null", "not a JSON object"),
        (b"{}", "not a reply: it has neither 'schema' nor 'schema_version' nor 'task_id'"),
    ],
)
def test_a_bad_line_in_the_middle_costs_only_itself(
    line: bytes, message: str, tasks: Tasks, record: Record, write: Write
) -> None:
    path = write(record(), line + b"\n", record(trial=1))

    store = read_replies(path, tasks)

    assert [reply.trial for reply in store.replies] == [0, 1]
    assert messages(store, path) == [f"replies.jsonl:2: error: {message}"]


def test_an_empty_file_and_an_empty_directory_are_warnings(tasks: Tasks, write: Write) -> None:
    path = write(b"")

    assert messages(read_replies(path, tasks), path) == ["replies.jsonl: warning: the file holds no record"]
    path.unlink()
    (problem,) = read_replies(path.parent, tasks).problems
    assert (problem.severity, problem.message) == ("warning", "no *.jsonl file in it")


def test_a_path_where_there_is_nothing_is_bad_input(tasks: Tasks, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"there is no .*nowhere: name a"):
        read_replies(tmp_path / "nowhere", tasks)


def test_what_is_no_regular_file_is_never_opened(tasks: Tasks, record: Record, write: Write) -> None:
    path = write(record())
    os.mkfifo(path.with_name("pipe.jsonl"))
    path.with_name("dangling.jsonl").symlink_to("nowhere")

    store = read_replies(path.parent, tasks)

    assert len(store.replies) == 1
    assert messages(store, path) == [
        "dangling.jsonl: warning: not a regular file; skipped",
        "pipe.jsonl: warning: not a regular file; skipped",
    ]
    with pytest.raises(BadInput, match="neither a file nor a directory"):
        read_replies(path.with_name("pipe.jsonl"), tasks)


def test_a_file_that_cannot_be_read_is_told(tasks: Tasks, record: Record, write: Write) -> None:
    path = write(record())
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("this user reads files of mode 000")

    assert messages(read_replies(path, tasks), path) == ["replies.jsonl: error: cannot be read: Permission denied"]


def test_names_that_are_paths_create_and_open_nothing(tasks: Tasks, record: Record, write: Write) -> None:
    """ST10: the store makes no file from a name in a record."""
    names = ["../../x", "/etc/passwd", "a/b", "CON", "x" * 300, "🦊", "a\nb", "\x1b[31m", "\ud83d"]
    path = write(*(record(model=name) for name in names), *(record(task=name, trial=9) for name in names))

    store = read_replies(path, tasks)

    assert [reply.configuration.model for reply in store.replies] == names
    assert len({reply.configuration.slug for reply in store.replies}) == len(names)
    assert len(store.problems) == len(names)
    assert all(problem.message.isprintable() for problem in store.problems)
    assert [entry.name for entry in path.parent.iterdir()] == ["replies.jsonl"]


def test_a_file_cut_at_every_byte_of_its_last_record_goes_on(tasks: Tasks, record: Record, tmp_path: Path) -> None:
    """ST02: whole records are kept, the torn one is told, and the next record starts on its own line."""
    path = tmp_path / "replies.jsonl"
    first, last, resumed = (json.dumps(record(trial=trial)) for trial in range(3))
    complete = len(first) + 1 + len(last)
    for size in range(len(first) + 1, complete + 2):
        path.write_bytes(f"{first}\n{last}\n".encode()[:size])
        cut = read_replies(path, tasks)
        with JsonLines(path, fsync=False) as file:
            file.append(resumed)
        after = read_replies(path, tasks)

        torn = len(first) + 1 < size < complete
        assert [reply.trial for reply in cut.replies] == ([0, 1] if size >= complete else [0])
        assert [problem.severity for problem in cut.problems] == (["warning"] if torn else [])
        assert [reply.trial for reply in after.replies] == ([0, 1, 2] if size >= complete else [0, 2])
        assert [problem.severity for problem in after.problems] == (["error"] if torn else [])


def test_4480_replies_take_well_under_a_second(tasks: Tasks, record: Record, write: Write) -> None:
    path = write(*(record(trial=trial) for trial in range(4480)))

    started = time.perf_counter()
    store = read_replies(path, tasks)

    assert time.perf_counter() - started < 1
    assert len(store.replies) == 4480


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)
_NAMES = ["schema", "task", "model", "effort", "contract", "trial", "reply", "prompt_sha256", "schema_version"]
_MORE = ["task_id", "command", "usage", "sampling", "response", "messages"]
_names = st.sampled_from([*_NAMES, *_MORE])
_known = st.sampled_from(["qb-reply/1", "quotebench-rollout-v1", "write-file-t0", {"task_id": "write-file-t0"}])


@settings(max_examples=150, deadline=None)
@given(st.dictionaries(_names, _json | _known), st.binary(max_size=40))
def test_no_line_whatever_it_holds_raises(
    tasks: Tasks, tmp_path_factory: pytest.TempPathFactory, fields: dict[str, Any], raw: bytes
) -> None:
    path = tmp_path_factory.getbasetemp() / "hostile.jsonl"
    path.write_bytes(json.dumps(fields).encode() + b"\n" + raw)

    store = read_replies(path, tasks)

    assert len(store.replies) + len(store.problems) <= 2 + raw.count(b"\n")

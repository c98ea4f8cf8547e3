"""Changes of what has a structure: JSON, NUL-terminated arguments, lists of paths, a remote side's token."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from pytest_quotebench.audit._change import Mutation, content, targets, with_content
from pytest_quotebench.audit._texts import changes
from pytest_quotebench.core.goals import JsonGoal, LinesGoal
from pytest_quotebench.core.task import Task
from pytest_quotebench.core.text import to_bytes, to_text
from pytest_quotebench.core.tree import FileTree

_Texts = Iterator[tuple[str, bytes]]


def mutations(task: Task, reached: FileTree) -> Iterator[Mutation]:
    """Change the first file that the goal decides, in ways that only its structure knows."""
    for path in targets(task, reached)[:1]:
        data = content(reached, path)
        for kind, changed in _wrong(task, data):
            if changed != data:
                yield Mutation(kind, with_content(reached, path, changed))


def equivalents(task: Task, reached: FileTree) -> Iterator[Mutation]:
    """Write the same value another way."""
    for path in targets(task, reached)[:1]:
        for kind, changed in _right(task, content(reached, path)):
            yield Mutation(kind, with_content(reached, path, changed))


def _wrong(task: Task, data: bytes) -> _Texts:
    if isinstance(task.goal, JsonGoal):
        yield from _wrong_json(next(iter(task.goal.files.values())))
    elif isinstance(task.goal, LinesGoal):
        yield from _wrong_lines(task, data.splitlines(keepends=True))
    elif data.endswith(b"\0"):
        yield from _wrong_arguments(data.split(b"\0")[:-1])
    elif "remote" in task.fixture.programs:
        yield from _wrong_remote(task, data)


def _right(task: Task, data: bytes) -> _Texts:
    if isinstance(task.goal, JsonGoal):
        yield from _right_json(next(iter(task.goal.files.values())))
    elif isinstance(task.goal, LinesGoal):
        lines = data.splitlines(keepends=True)
        yield "dot-slash-on-every-line", b"".join(b"./" + line for line in lines)
        yield "dot-slash-on-one-line", b"./" + data


def _wrong_json(value: dict[str, Any]) -> _Texts:
    (key, text), *_ = value.items()
    for kind, changed in changes(to_bytes(text)):
        yield f"json-value-{kind}", _dump({key: to_text(changed)})
    for kind, other in _other_values(key, text):
        yield kind, _dump(other)
    yield from _no_json(key, text)


def _other_values(key: str, text: str) -> Iterator[tuple[str, Any]]:
    yield "json-value-a-number", {key: 1}
    yield "json-value-true", {key: True}
    yield "json-value-null", {key: None}
    yield "json-value-in-a-list", {key: [text]}
    yield "json-value-in-an-object", {key: {key: text}}
    yield "json-value-encoded-twice", {key: json.dumps(text)}
    yield "json-key-more", {key: text, "more": text}
    yield "json-key-missing", {}
    yield "json-key-case", {key.upper(): text}
    yield "json-key-with-space", {f"{key} ": text}
    yield "json-in-a-list", [{key: text}]
    yield "json-text-alone", text
    yield "json-encoded-twice", json.dumps({key: text})


def _no_json(key: str, text: str) -> _Texts:
    right = _dump({key: text})
    name, member = json.dumps(key), json.dumps(text)
    yield "json-key-twice", f"{{{name}: {member}, {name}: {member}}}\n".encode()
    yield "json-key-twice-other-value-first", f"{{{name}: 1, {name}: {member}}}\n".encode()
    yield "json-twice", right + right
    yield "json-text-after", right + b"x\n"
    yield "json-trailing-comma", f"{{{name}: {member},}}\n".encode()
    yield "json-comment", b"// message\n" + right
    yield "json-single-quotes", f"{{'{key}': {member}}}\n".encode()
    yield "json-bare-key", f"{{{key}: {member}}}\n".encode()
    yield "json-not-closed", right.rstrip(b"}\n") + b"\n"
    yield "json-nan", f"{{{name}: NaN}}\n".encode()
    yield "json-bom", b"\xef\xbb\xbf" + right
    yield "json-utf-16", right.decode().encode("utf-16-le")
    yield "json-nul-after", right + b"\0"
    yield "json-raw-text", to_bytes(f"{text}\n")
    yield "json-emptied", b""


def _right_json(value: dict[str, Any]) -> _Texts:
    (key, text), *_ = value.items()
    yield "json-compact", json.dumps(value, separators=(",", ":")).encode()
    yield "json-indented", json.dumps(value, indent=4).encode()
    yield "json-spaced", f"\n\t {json.dumps(value)} \r\n\n".encode()
    yield "json-key-escapes", f"{{{_escaped(key)}: {json.dumps(text)}}}".encode()
    yield "json-value-escapes", f"{{{json.dumps(key)}: {_escaped(text)}}}\n".encode()


def _escaped(text: str) -> str:
    return '"' + "".join(f"\\u{ord(character):04x}" for character in text) + '"'


def _dump(value: Any) -> bytes:
    return json.dumps(value).encode() + b"\n"


def _wrong_arguments(arguments: list[bytes]) -> _Texts:
    first, *rest = arguments
    yield "argument-more", _joined([*arguments, b"more"])
    yield "empty-argument-more", _joined([*arguments, b""])
    yield "argument-missing", _joined(arguments[:-1])
    yield "first-argument-missing", _joined(rest)
    yield "arguments-merged", _joined([b" ".join(arguments[:2]), *arguments[2:]])
    yield "all-arguments-merged", _joined([b" ".join(arguments)])
    yield "argument-split", _joined([first[:1], first[1:], *rest])
    yield "arguments-reversed", _joined(arguments[::-1])
    yield "argument-doubled", _joined([first, *arguments])
    yield "argument-emptied", _joined([b"", *rest])
    yield "argument-in-quotes", _joined([b"'" + first + b"'", *rest])
    yield "arguments-by-newline", b"".join(argument + b"\n" for argument in arguments)
    yield "last-nul-lost", _joined(arguments)[:-1]
    yield "words-split", _joined(b" ".join(arguments).split())
    yield "glob-expanded", _joined([b"seed1.txt", b"seed2.txt", *rest])


def _joined(arguments: list[bytes]) -> bytes:
    return b"".join(argument + b"\0" for argument in arguments)


def _wrong_lines(task: Task, lines: list[bytes]) -> _Texts:
    others = [to_bytes(path) + b"\n" for path in task.fixture.files if to_bytes(path) + b"\n" not in lines]
    yield "path-missing", b"".join(lines[:-1])
    yield "path-more", b"".join(sorted([*lines, others[0]]))
    yield "paths-reversed", b"".join(lines[::-1])
    yield "path-twice", b"".join([lines[0], *lines])
    yield "paths-without-directory", b"".join(line.rpartition(b"/")[2] for line in lines)
    yield "paths-absolute", b"".join(b"/" + line for line in lines)
    yield "paths-from-parent", b"".join(b"../" + line for line in lines)
    yield "paths-in-quotes", b"".join(b"'" + line.rstrip(b"\n") + b"'\n" for line in lines)
    yield "paths-by-space", b" ".join(line.rstrip(b"\n") for line in lines) + b"\n"
    yield "paths-by-nul", b"".join(line.rstrip(b"\n") + b"\0" for line in lines)
    yield "empty-line-more", b"".join([*lines, b"\n"])
    yield "only-the-directory", b"tree/\n"


def _wrong_remote(task: Task, data: bytes) -> _Texts:
    body, separator, token = data.removesuffix(b"\n").rpartition(b"|" if b"|" in data else b"\n")
    yield "token-empty", body + separator + b"\n"
    yield "token-not-expanded", body + separator + b"$REMOTE_TOKEN\n"
    yield "token-escaped", body + separator + b"\\$REMOTE_TOKEN\n"
    yield "token-of-another", body + separator + token[::-1] + b"\n"
    yield "token-in-quotes", body + separator + b'"' + token + b'"\n'
    yield "token-missing", body + b"\n"
    yield "token-first", token + separator + body + b"\n"
    yield "token-spaced", body + separator + b" " + token + b"\n"
    yield "payload-missing", separator + token + b"\n"
    yield "payload-quoted", b"'" + to_bytes(task.payloads[0]) + b"'" + separator + token + b"\n"

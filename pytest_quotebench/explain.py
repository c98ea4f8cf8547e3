"""A failing verdict in words: what is wrong, where the first byte differs, what each parser received."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile
from types import MappingProxyType
from unicodedata import category, east_asian_width

from pytest_quotebench.core.layers import Layer, first_loss
from pytest_quotebench.core.mismatch import STILL_THERE, Mismatch
from pytest_quotebench.core.result import Result
from pytest_quotebench.core.text import (
    ELLIPSIS,
    to_text,
    visible,
    visible_block,
    visible_characters,
    visible_command,
)
from pytest_quotebench.core.verdict import Verdict

MAX_LINES = 10
_WIDTH = 100
_CONTEXT = 40
_LABEL = 10
_SPECIAL = MappingProxyType({"fifo": "FIFO", "char-device": "character device", "block-device": "block device"})
"""Kinds of special files (`core.tree.Special`) in words."""


def explain(result: Result, verbosity: int = 0) -> str:
    """Return why a case did not pass: at most ten lines, or everything there is where `verbosity` is above 0.

    Safe to print anywhere: all outside text has passed `core.text.visible`.
    """
    lines = [headline(result.verdict), *_mismatch_lines(result.verdict.mismatch)]
    if verbosity > 0:
        layers = [*loss_line(result.command, result.layers), *layer_lines(result.layers, limit=4000)]
        return "\n".join([*lines, *layers, *_full_lines(result)])
    lines += [*loss_line(result.command, result.layers), *layer_lines(result.layers, limit=_WIDTH)]
    return "\n".join([*lines[: MAX_LINES - 1], *_stderr_line(result)])


def headline(verdict: Verdict) -> str:
    """Return the verdict in one line: class, detail, and the path or reason."""
    detail = f" ({visible(verdict.detail, 60)})" if verdict.detail else ""
    return f"{verdict.kind}{detail}{_because(verdict)}"


def _because(verdict: Verdict) -> str:
    mismatch = verdict.mismatch
    if mismatch is None:
        return f": {visible(verdict.reason, 300)}" if verdict.reason else ""
    path, note = visible(mismatch.path, 80), visible(mismatch.note, 80)
    in_full = _in_full(mismatch)
    if in_full is not None:
        return f": {path}{in_full}"
    if mismatch.got is None:
        return f": {path} is missing"
    if mismatch.expected is None:
        return f": {path} should not be there{_with_more(note)}"
    return f": {path} differs at byte {mismatch.offset}" + (f" ({note})" if note else "")


def _in_full(mismatch: Mismatch) -> str | None:
    """Return what the first line says after the path where that tells everything; else None."""
    if mismatch.expected is None or mismatch.got is None:
        return " is still there" if mismatch.got == STILL_THERE else None
    expected, got = visible(mismatch.expected, 300), visible(mismatch.got, 300)
    match mismatch.note:
        case "permissions" | "committed mode" | "staged mode":
            return f" has {mismatch.note} {got}, not {expected}"
        case "entry":
            return f" is {_entry(got)}, not {_entry(expected)}"
        case "commits":
            return f": {got} commit{'' if got == '1' else 's'}, not {expected}"
        case "repository":
            return f": {got}"
        case _:
            return None


def _with_more(note: str) -> str:
    if note.startswith("extra entry"):
        return note.removeprefix("extra entry")
    return f" ({note})" if note not in ("", "entry") else ""


def _entry(kind: str) -> str:
    return f"a {_SPECIAL.get(kind, kind)}"


def _mismatch_lines(mismatch: Mismatch | None) -> list[str]:
    if mismatch is None or _in_full(mismatch) is not None:
        return []
    expected, got, offset = mismatch.expected, mismatch.got, mismatch.offset
    if expected is None or got is None or offset is None:
        shown = (("expected", expected), ("got", got))
        return [_labelled(name, visible(value, _WIDTH)) for name, value in shown if value is not None]
    shown_expected, shown_got = _window(expected, offset), _window(got, offset)
    marker = _marker(shown_expected, shown_got)
    return [
        _labelled("expected", "".join(shown_expected)),
        _labelled("got", "".join(shown_got)),
        _labelled("", " " * marker + "^"),
    ]


def _window(value: bytes, offset: int) -> list[str]:
    """Return the characters around `offset` as they are shown, with a mark where something is cut off."""
    start, end = max(0, offset - _CONTEXT), offset + _CONTEXT
    before = [ELLIPSIS] if start else []
    after = [ELLIPSIS] if end < len(value) else []
    return before + visible_characters(value[start:end]) + after


def _marker(expected: list[str], got: list[str]) -> int:
    """Return the column of the first character in which the two differ, as a terminal draws them."""
    pairs = takewhile(lambda pair: pair[0] == pair[1], zip(expected, got, strict=False))
    common = [one for one, _ in pairs]
    column = sum(_columns(character) for one in common for character in one)
    over_the_last = len(common) < len(got) and _columns(got[len(common)][0]) == 0
    return max(0, column - over_the_last)


def _columns(character: str) -> int:
    """Return how many columns a shown character takes (Unicode Standard Annex 11); a combining mark takes none."""
    if category(character) in ("Mn", "Me"):
        return 0
    return 2 if east_asian_width(character) in ("W", "F") else 1


def loss_line(command: str, layers: tuple[Layer, ...]) -> Iterator[str]:
    """Yield one line that names the parser which first handed on something else, and from which byte on."""
    loss = first_loss(command, layers)
    if loss is not None:
        rest = visible_command(loss.rest, _CONTEXT)
        yield _labelled("changed", f"first by {visible(loss.layer, 60)}, from byte {loss.offset} on: {rest}")


def layer_lines(layers: tuple[Layer, ...], *, limit: int) -> Iterator[str]:
    """Yield one line for each parser along the way: what it received."""
    for layer in layers:
        text = "not observable" if layer.text is None else visible_command(layer.text, limit)
        yield f"  {visible(layer.name, 60)} ← {text}"


def _stderr_line(result: Result) -> list[str]:
    if result.execution is None or not result.execution.stderr.strip():
        return []
    first = result.execution.stderr.strip().split(b"\n")[0]
    return [_labelled("stderr", visible(first, _WIDTH))]


def _full_lines(result: Result) -> Iterator[str]:
    yield _labelled("reply", visible_command(result.case.reply.text, 4000))
    if result.case.reply.origin:
        yield _labelled("from", visible(result.case.reply.origin, 300))
    if result.cleanup:
        yield _labelled("cleanup", ", ".join(result.cleanup))
    execution = result.execution
    if execution is None:
        return
    ended = f"signal {execution.signal}" if execution.signal else f"exit {execution.exit_status}"
    yield _labelled("ended", f"{ended} after {execution.duration_s * 1000:.1f} ms in {result.sandbox}")
    for name, stream, length in (
        ("stdout", execution.stdout, execution.stdout_length),
        ("stderr", execution.stderr, execution.stderr_length),
    ):
        if length:
            yield _labelled(name, f"{length} bytes")
            yield from (f"    {line}" for line in visible_block(to_text(stream), 4000).rstrip("\n").split("\n"))


def _labelled(name: str, text: str) -> str:
    return f"  {name:<{_LABEL}}{text}"

"""Reply cleanup: a named policy, every step of it recorded. The verbatim reply is kept beside it."""

from __future__ import annotations

import re
from typing import NamedTuple

_THINKING_END = "</think>"
_FENCE = re.compile(r"\A```[^\n`]*\n(?P<body>.*?)\n?```\Z", re.DOTALL)
_PROMPT = "$ "


class Cleaned(NamedTuple):
    """The text that is left and the names of the steps that changed it, in order."""

    text: str
    steps: tuple[str, ...]


def clean(reply: str) -> Cleaned:
    """Remove what wraps a reply: white space, thinking, one Markdown fence, one leading prompt.

    Steps: `whitespace` (outer), `think` (everything up to the last `</think>`), `fence` (one fence around the
    whole; two blocks are not one, and which was meant is not ours to guess), `prompt` (one leading `$ `). Outer
    white space is trimmed again after each of them.
    """
    steps = []
    text = reply
    for name, step in (("think", _without_thinking), ("fence", _without_fence), ("prompt", _without_prompt)):
        trimmed = text.strip()
        if trimmed != text and "whitespace" not in steps:
            steps.append("whitespace")
        text = step(trimmed)
        if text != trimmed:
            steps.append(name)
    return Cleaned(text.strip(), tuple(steps))


def _without_thinking(text: str) -> str:
    return text.rpartition(_THINKING_END)[2]


def _without_fence(text: str) -> str:
    match = _FENCE.match(text)
    return match["body"] if match and "\n```" not in f"\n{match['body']}" else text


def _without_prompt(text: str) -> str:
    return text.removeprefix(_PROMPT)

"""Reply cleanup is a named policy: each step is recorded, and nothing else is touched."""

from __future__ import annotations

import pytest

from pytest_quotebench.core.cleanup import clean


@pytest.mark.parametrize(
    ("reply", "text", "steps"),
    [
        ("echo hi", "echo hi", ()),
        (" echo hi\n", "echo hi", ("whitespace",)),
        ("<think>a $ b</think>\necho hi", "echo hi", ("think", "whitespace")),
        ("<think>a</think>b</think>echo hi", "echo hi", ("think",)),
        ("```\necho hi\n```", "echo hi", ("fence",)),
        ("```bash\necho hi\necho ho\n```", "echo hi\necho ho", ("fence",)),
        ("```bash\n$ echo hi\n```\n", "echo hi", ("whitespace", "fence", "prompt")),
        ("$ echo hi", "echo hi", ("prompt",)),
        ("$HOME/run", "$HOME/run", ()),
        ("$ $ x", "$ x", ("prompt",)),
        ("echo '```'", "echo '```'", ()),
        ("```\n```", "", ("fence",)),
        ("", "", ()),
        ("  \n", "", ("whitespace",)),
        ("</think>", "", ("think",)),
    ],
)
def test_what_wraps_a_reply_is_removed_and_recorded(reply: str, text: str, steps: tuple[str, ...]) -> None:
    """Outer white space, thinking, one fence, one prompt."""
    assert clean(reply) == (text, steps)


def test_two_fences_are_not_one() -> None:
    """A reply that holds two blocks is left as it is: which one was meant is not ours to guess."""
    reply = "```\na\n```\nor\n```\nb\n```"

    assert clean(reply) == (reply, ())

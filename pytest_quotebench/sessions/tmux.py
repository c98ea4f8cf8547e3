"""Carriers that type into tmux: the settings of their driver, and what tmux makes of the keys they send."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pytest_quotebench.sessions.handing_on import is_harmless, typed

PROMPT, BEGIN = "<qb-prompt>", "<qb-begin>"
"""What the driver has printed before a line is typed and before a command begins: PS1 and PS0 of bash."""

LONGEST_COMMAND = 16_000
"""Bytes that tmux takes as one command, about: a message of imsg (16,384) less its header and the other words."""

_OTHER_WORDS = 100


def tmux_settings(  # noqa: PLR0913 -- by name, and each has one place in the settings
    *,
    size: tuple[int, int],
    keys: Sequence[Sequence[str | None]],
    env: dict[str, str],
    options: Sequence[str] = (),
    channel: str = "",
    prompt: tuple[str, str] = (PROMPT, ""),
    status: tuple[str, str] = ("", ""),
) -> dict[str, Any]:
    """Return the settings of the driver `tmux`.

    Args:
        size: columns and rows of the pane.
        keys: the arguments of each `tmux send-keys` in turn; None stands for the text.
        env: the shell's environment, beside the driver's own.
        options: of the interactive bash.
        channel: what `tmux wait` waits for; empty where the prompt is the end.
        prompt: how a prompt begins and ends.
        status: what stands before and after the exit status in the prompt.

    """
    return {
        "columns": size[0],
        "rows": size[1],
        "shell": ["/bin/bash", "--noprofile", "--norc", *options],
        "env": {"HISTFILE": "/dev/null", "PS1": PROMPT, "PS0": BEGIN, **env},
        "keeps": None,
        "first_prompt": prompt[1] or PROMPT,
        "keys": [list(words) for words in keys],
        "channel": channel,
        "output_begins": BEGIN,
        "prompt_begins": prompt[0],
        "prompt_ends": prompt[1],
        "status_begins": status[0],
        "status_ends": status[1],
    }


def typed_in_tmux(command: str) -> str:
    """Return what has the effect of `command` in a pane. Raises ValueError like `typed`, and if it is too long."""
    if is_harmless(command):
        return command
    line = typed(command)
    if len(line) > LONGEST_COMMAND - _OTHER_WORDS:
        raise ValueError("tmux takes no command as long as the escaped form of this one")
    return line


def sent_keys(keys: Sequence[str], *, literal: bool) -> str | None:
    r"""Return the text that `tmux send-keys KEYS` types, without the names of keys; None where tmux refuses it.

    tmux 3.3a: an argument that ends in `;` ends tmux's own command there, one that ends in `\;` keeps the `;`
    alone; the first that begins with `-` is read as options; so it is with `-l` too.
    """
    words: list[str] = []
    for index, key in enumerate(keys):
        if key.endswith("\\;"):
            words.append(key[:-2] + ";")
        elif key.endswith(";"):
            words.append(key[:-1])
            return None if index < len(keys) - 1 else "".join(words)
        else:
            words.append(key)
    if words and words[0].startswith("-") and len(words[0]) > 1:
        return None
    if sum(len(word.encode("utf-8", "surrogatepass")) + 1 for word in words) > LONGEST_COMMAND:
        return None
    return "".join(words if literal else words[:-1])

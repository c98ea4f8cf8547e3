"""Signals as a command expects them: ignored by nobody before it.

A program that is started with a signal ignored cannot change that in bash (`trap`, bash(1)), so `kill -HUP $$`
would do nothing under nohup, and a background job of a shell without job control starts with SIGINT ignored.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Sequence
from functools import partial

_RESTORED = frozenset(
    number for name in ("SIGPIPE", "SIGXFZ", "SIGXFSZ") if (number := getattr(signal, name, None)) is not None
)
"""What Python ignores, and subprocess sets back by itself."""


def restoring_defaults() -> Callable[[], None] | None:
    """Return the `preexec_fn` that sets back what this process was started with ignoring; None for nothing.

    A `preexec_fn` makes subprocess fork rather than vfork: the price is paid only where it must be.
    """
    ignored = [
        number for number in signal.valid_signals() - _RESTORED if signal.getsignal(number) is signal.SIG_IGN
    ]
    return partial(_set_back, ignored) if ignored else None


def _set_back(ignored: Sequence[int]) -> None:
    for number in ignored:
        signal.signal(number, signal.SIG_DFL)

"""A watch waits for nothing but the end and the deadline."""

from __future__ import annotations

import os

from pytest_quotebench.core.limits import Limits
from pytest_quotebench.processes.pipes import connected


def test_a_stream_that_the_command_itself_has_emptied_is_not_waited_for() -> None:
    """Between the word that there is something to read and the reading, the command may read its own pipe."""
    with connected(b"", Limits()) as pipes:
        os.write(pipes.theirs[0], b"x")
        assert os.read(pipes.watch.stdout, 1) == b"x"
        pipes.watch._read(pipes.watch.stdout)
        os.write(pipes.theirs[0], b"y")
        pipes.watch.drain()
        assert pipes.watch.kept[pipes.watch.stdout].value() == b"y"

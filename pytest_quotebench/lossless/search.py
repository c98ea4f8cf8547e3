"""The search: hypothesis draws seeds, `making` makes commands of them, until one is harmed or time is up.

A seed instead of a strategy for each part: drawing those took longer than running the command.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from random import Random

from pytest_quotebench.lossless.making import made_command
from pytest_quotebench.lossless.probes import is_harmless

_MANY = 10**6
_SEEDS = 2**64 - 1


class _StopError(Exception):
    """The search is at its end."""


def search(is_harmed: Callable[[bytes], bool], goes_on: Callable[[], bool], *, tried: list[int]) -> bytes | None:
    """Return the first command of the search that is harmed, or None where time was up before.

    The same commands in the same order every time; nothing is stored. `tried[0]` counts them.
    """
    from hypothesis import HealthCheck, Phase, given, settings, strategies

    found: list[bytes] = []

    @settings(
        derandomize=True,
        database=None,
        max_examples=_MANY,
        deadline=None,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
        print_blob=False,
        report_multiple_bugs=False,
    )
    @given(seed=strategies.integers(0, _SEEDS))
    def attempt(seed: int) -> None:
        if found or not goes_on():
            raise _StopError
        command = made_command(Random(seed))  # noqa: S311 -- made up, not secret
        if not is_harmless(command):
            return
        tried[0] += 1
        if is_harmed(command):
            found.append(command)
            raise _StopError

    with _nothing_stored(), suppress(_StopError):
        attempt()
    return found[0] if found else None


@contextmanager
def _nothing_stored() -> Iterator[None]:
    """Let hypothesis keep its caches elsewhere for a while: the project is somebody else's."""
    from hypothesis import configuration

    before = vars(configuration).get("__hypothesis_home_directory")
    with tempfile.TemporaryDirectory(prefix="hypothesis-") as directory:
        configuration.set_hypothesis_home_dir(directory)
        try:
            yield
        finally:
            configuration.set_hypothesis_home_dir(before)

"""The real replies that the project has and is given are read without a problem."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from pytest_quotebench.core.task import tasks_by_id
from pytest_quotebench.store.replies import read_replies
from quotebench_tasks import load_tasks

ROOT = Path(__file__).resolve().parents[2]
PUBLISHED = ROOT.parent / "shared" / "replies" / "published"


def test_the_stored_replies_of_this_repository_are_448() -> None:
    store = read_replies(ROOT / "replies" / "unnamed-frontier", tasks_by_id(load_tasks()))

    assert store.problems == ()
    assert Counter((reply.contract, reply.trial) for reply in store.replies) == {
        ("raw", 0): 56, ("raw", 1): 56, ("disclosed", 0): 56, ("disclosed", 1): 56,
        ("disclosed-single", 0): 56, ("disclosed-advice", 0): 56, ("json", 0): 56, ("script", 0): 56,
    }  # fmt: skip


@pytest.mark.skipif(not PUBLISHED.is_dir(), reason="the published arm is not beside this checkout")
def test_the_published_arm_has_56_raw_and_56_disclosed_replies() -> None:
    store = read_replies(PUBLISHED, tasks_by_id(load_tasks()))

    assert store.problems == ()
    assert Counter(reply.contract for reply in store.replies) == {"raw": 56, "disclosed": 56}
    assert {str(reply.configuration) for reply in store.replies} == {"gpt-5.5"}
    assert all(reply.usage is not None and reply.prompt_sha256 is not None for reply in store.replies)

"""The core is 14 families of four tiers, each task whole, and loaded no further than asked for."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from dataclasses import replace

import pytest

from pytest_quotebench.core.dialect import leaks_markers
from pytest_quotebench.core.errors import BadInput
from pytest_quotebench.core.judge import check_state
from pytest_quotebench.core.task import TIERS, Task
from quotebench_tasks import families, in_order, load_tasks
from quotebench_tasks._tier import marked, tempting_quotes

every_task = pytest.mark.parametrize("task", load_tasks(), ids=lambda task: task.id)


def test_there_are_14_families_of_four_tiers() -> None:
    tasks = load_tasks()

    assert len(families()) == 14
    assert len({task.id for task in tasks}) == len({task.published_id for task in tasks}) == len(tasks) == 56
    assert Counter((task.family, task.tier) for task in tasks) == Counter(
        (family, tier) for family in families() for tier in TIERS
    )


def test_tasks_come_sorted_by_id() -> None:
    ids = [task.id for task in load_tasks()]

    assert ids == sorted(ids)


def test_a_loaded_family_is_the_only_one_imported() -> None:
    code = (
        "import sys, quotebench_tasks as q; before = set(sys.modules); q.families();"
        "assert not [m for m in sys.modules if m.startswith('quotebench_tasks.')];"
        "assert len(q.load_tasks(['find-glob'])) == 4;"
        "print(*sorted(m for m in sys.modules if m.startswith('quotebench_tasks.')));"
        "print(*[m for m in ('dulwich', 'pytest', 'hypothesis') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout == "quotebench_tasks._tier quotebench_tasks.find_glob\n\n"


def test_an_unknown_family_is_an_error_that_names_the_nearest() -> None:
    with pytest.raises(BadInput, match=r"unknown task family 'find-globs'.*Did you mean 'find-glob'"):
        load_tasks(["find-globs"])


def test_an_id_that_comes_twice_is_an_error() -> None:
    task = load_tasks(["find-glob"])[0]

    with pytest.raises(BadInput, match="two tasks have the id 'find-glob-t0'"):
        in_order([task, replace(task, instruction="another")])


@every_task
def test_a_control_and_no_other_task_has_the_hazard_control(task: Task) -> None:
    assert ("control" in task.hazards) == task.is_control
    assert len(set(task.hazards)) == len(task.hazards) > 0


@every_task
def test_every_payload_stands_between_markers_in_the_instruction(task: Task) -> None:
    positions = [task.instruction.index(marked(payload)) for payload in task.payloads]

    assert positions == sorted(positions)
    assert task.instruction.count("⟪") == task.instruction.count("⟫") == len(task.payloads)


@every_task
def test_the_ids_say_family_and_tier(task: Task) -> None:
    assert task.id == f"{task.family}-t{task.tier}"
    assert task.published_id.startswith(f"{task.family}/t{task.tier}-")


@every_task
def test_the_goal_is_not_reached_before_anything_ran(task: Task) -> None:
    assert check_state(task, task.fixture.tree) is not None


@every_task
def test_no_command_holds_a_marker(task: Task) -> None:
    assert not leaks_markers(task.oracle)
    assert not leaks_markers(task.naive)


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("plain", '"plain"'),
        ("it's", "'it's'"),
        ("it's $5", '"it\'s $5"'),
        ('say "it\'s"', '"say "it\'s""'),
        ("a\nb's", '"a\nb\'s"'),
    ],
)
def test_only_an_apostrophe_alone_tempts_to_single_quotes(text: str, quoted: str) -> None:
    assert tempting_quotes(text) == quoted

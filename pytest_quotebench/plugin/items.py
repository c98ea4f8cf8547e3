"""From a run to parametrized items: names and parameters, the same in every process."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from pytest_quotebench.core.case import Case
from pytest_quotebench.core.task import Task
from pytest_quotebench.plugin.run import Run
from pytest_quotebench.selection import select_tasks

REPLAY = "test_replay"


class Parameters(NamedTuple):
    """What one test function is parametrized with: the fixture's name, values and their ids."""

    fixture: str
    values: list[Any]
    ids: list[str]


def parameters(function: str, run: Run) -> Parameters:
    """Return the parameters of one of the suite's functions. Raises BadInput where the run has none."""
    if function == REPLAY:
        cases = run.selection.cases
        return Parameters("qb_case", list(cases), [case.id for case in cases])
    named = sorted(_GATE[function](run), key=lambda pair: pair[0])
    return Parameters("qb_gate", [value for _, value in named], [name for name, _ in named])


Named = Iterable[tuple[str, Any]]


def _oracle_items(run: Run) -> Named:
    for contract in run.contracts:
        transport = run.contracts[contract].matched_transport
        for task in select_tasks(run.tasks, run.wanted):
            yield f"{task.id}-{contract}", _case(run, task, "oracle", contract, transport)


def _escaping_items(run: Run) -> Named:
    for model in ("oracle", "naive"):
        for task in select_tasks(run.tasks, run.wanted):
            paths = (_case(run, task, model, "raw", transport) for transport in ("raw", "nested-escaped"))
            yield f"{task.id}-{model}", tuple(paths)


def _naive_items(run: Run) -> Named:
    for task in select_tasks(run.tasks, run.wanted):
        yield task.id, _case(run, task, "naive", "raw", "raw")


def _mutation_items(run: Run) -> Named:
    for task in select_tasks(run.tasks, run.wanted):
        yield task.id, task


_GATE: dict[str, Callable[[Run], Named]] = {
    "test_escaping": _escaping_items,
    "test_mutations": _mutation_items,
    "test_naive": _naive_items,
    "test_oracle": _oracle_items,
}

GATE_FUNCTIONS = frozenset(_GATE)
SUITE_FUNCTIONS = GATE_FUNCTIONS | {REPLAY}


def _case(run: Run, task: Task, model: str, contract: str, transport: str) -> Case:
    return Case(task=task, reply=run.made_reply(model, task, contract), transport=transport)

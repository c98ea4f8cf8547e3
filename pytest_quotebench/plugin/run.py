"""What one pytest process knows about its run: settings, variants, tasks, replies, cases."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from functools import cached_property
from itertools import chain, product
from typing import Any

import pytest

from pytest_quotebench.contracts import Contract
from pytest_quotebench.core.errors import BadInput
from pytest_quotebench.core.reply import Configuration, Reply
from pytest_quotebench.core.task import Task, prompt_digest, tasks_by_id
from pytest_quotebench.core.text import visible
from pytest_quotebench.models import Model
from pytest_quotebench.plugin.benches import make_bench
from pytest_quotebench.plugin.marks import wants_gate, wants_replays
from pytest_quotebench.plugin.settings import Settings, read_settings
from pytest_quotebench.plugin.userlands import found_userlands, userlands_of_cases
from pytest_quotebench.plugin.variants import BuiltInVariants, collect_registry, collect_tasks, collect_transports
from pytest_quotebench.registry import Registry
from pytest_quotebench.replay import Bench
from pytest_quotebench.sandbox_choice import choose_host_sandbox, choose_sandbox, holding_brokers
from pytest_quotebench.sandboxes import Provider, Sandbox
from pytest_quotebench.selection import Selection, Wanted, configuration_matches, select, select_tasks
from pytest_quotebench.store.private import regular_target
from pytest_quotebench.store.problem import Problem
from pytest_quotebench.store.replies import ReplyStore, read_replies
from pytest_quotebench.transports import BrokeredTransport, HostTransport, Transport
from pytest_quotebench.userland_choice import OWN, FoundUserland
from pytest_quotebench.userlands import Userland

HARMLESS_MODELS = frozenset({"oracle", "naive"})
"""The models that answer with a task's own commands; other registered models are treated like any model."""

_RUN = pytest.StashKey["Run"]()


class Run:
    """The run of one process. Everything is made at its first use and the same in every process."""

    def __init__(self, config: pytest.Config) -> None:
        """Read and check the settings. Raises BadInput."""
        self.settings: Settings = read_settings(config)
        marks: str = config.getoption("markexpr")
        self.has_gate = wants_gate(marks)
        self.gate_only = self.has_gate and not wants_replays(marks)
        self.contracts: Registry[Contract] = collect_registry(config, "contract")
        self.transports: Registry[Transport] = collect_transports(
            config, self.settings.commands, self.settings.source("transport-command"), self.settings.ssh_host
        )
        self.sandboxes: Registry[Provider] = collect_registry(config, "sandbox")
        self.userlands: Registry[Userland] = collect_registry(config, "userland")
        self.models: Registry[Model] = collect_registry(config, "model")
        self.tasks: tuple[Task, ...] = collect_tasks(config)
        self._benches: dict[tuple[int, str], tuple[Sandbox, Bench]] = {}
        self._check_names()

    @cached_property
    def wanted(self) -> Wanted:
        """The settings as a filter."""
        settings = self.settings
        return Wanted(
            contracts=settings.contracts,
            transports=settings.transports,
            userlands=userlands_of_cases(self),
            models=settings.models,
            efforts=settings.efforts,
            trials=settings.trials,
            families=settings.families,
            tiers=settings.tiers,
            tasks=settings.tasks,
        )

    @cached_property
    def stored(self) -> ReplyStore:
        """The stored replies; none where no directory was named and the default one is not there."""
        if "replies" not in self.settings.given and not self.settings.replies.exists():
            return ReplyStore(replies=(), problems=())
        return read_replies(self.settings.replies, tasks_by_id(self.tasks))

    @cached_property
    def problems(self) -> tuple[Problem, ...]:
        """What is wrong with the stored replies, and with their models' names."""
        taken = sorted({reply.configuration.model for reply in self.stored.replies} & set(self.models))
        where = str(self.settings.replies)
        clashes = (
            Problem(
                where, "error", f"replies of a model called {name!r}, the name of a built-in model, are left out"
            )
            for name in taken
        )
        unknown = (
            Problem(
                reply.origin, "error", f"unknown contract {visible(reply.contract, 60)!r}: the reply is left out"
            )
            for reply in self.stored.replies
            if reply.contract not in self.contracts
        )
        return (*self.stored.problems, *clashes, *unknown)

    @cached_property
    def selection(self) -> Selection:
        """The cases of the run. Raises BadInput where there are none."""
        self._check_models()
        stored = (reply for reply in self.stored.replies if reply.configuration.model not in self.models)
        found = select(self.tasks, chain(stored, self._made_replies()), self.wanted)
        if not found.cases:
            raise BadInput(self._nothing_selected())
        return found

    @cached_property
    def sandbox_name(self) -> str:
        """The sandbox of the run. Raises BadInput where none may run the selected replies."""
        harmless = self.gate_only or all(case.reply.made_by_machine for case in self.selection.cases)
        source = self.settings.source("sandbox")
        if self._host_paths:
            return choose_host_sandbox(self.settings.sandbox, source, self._host_paths, harmless=harmless)
        providers: Mapping[str, Provider] = self.sandboxes
        if self._brokered:
            providers = holding_brokers(self.settings.sandbox, source, tuple(self._brokered), providers)
        return choose_sandbox(self.settings.sandbox, source, providers, harmless=harmless)

    @cached_property
    def _host_paths(self) -> tuple[str, ...]:
        """The selected transports that lead through this machine."""
        if self.gate_only:
            return ()
        return tuple(name for name in self.settings.transports if isinstance(self.transports[name], HostTransport))

    @cached_property
    def _brokered(self) -> Mapping[str, BrokeredTransport]:
        """The selected transports that lead out of the sandbox through a broker, by name."""
        selected = {name: self.transports[name] for name in self.settings.transports if not self.gate_only}
        return {name: one for name, one in selected.items() if isinstance(one, BrokeredTransport)}

    def _check_far_ends(self) -> None:
        for name, transport in self._brokered.items():
            reason = transport.refusal()
            if reason is not None:
                source = self.settings.source("transport" if "transport" in self.settings.given else "boundary")
                raise BadInput(f"the transport {name!r} (from {source}) is refused here: {reason}")

    def check(self, *, executes: bool) -> None:
        """Raise BadInput now, rather than in the middle of the run, where there is nothing to run or nowhere."""
        _check_files(self.settings)
        if not self.gate_only:
            _ = self.selection
        if executes:
            _ = self.sandbox_name, self.found_userlands
            self._check_far_ends()

    @cached_property
    def found_userlands(self) -> Mapping[str, FoundUserland]:
        """Those that were named, by name. Raises BadInput where one is not there."""
        return found_userlands(self)

    def open_sandbox(self) -> AbstractContextManager[Sandbox]:
        """Return the context manager of the run's sandbox."""
        name = self.sandbox_name
        options = {"mode": self.settings.docker_mode} if name == "docker" else {}
        return self.sandboxes[name].open_sandbox(**options)

    def bench(self, sandbox: Sandbox, userland: str = OWN) -> Bench:
        """Return where cases are replayed, with the versions of what runs them; asked once of each sandbox.

        Raises Broken where the sandbox knows no userlands.
        """
        key = id(sandbox), userland
        if key not in self._benches or self._benches[key][0] is not sandbox:
            self._benches[key] = sandbox, make_bench(self, sandbox, userland)
        return self._benches[key][1]

    def prompts(self) -> Iterator[dict[str, str]]:
        """Yield every selected prompt with its digest."""
        for contract in self.settings.contracts:
            system = self.contracts[contract].system
            for task in select_tasks(self.tasks, self.wanted):
                yield {
                    "schema": "qb-prompt/1",
                    "task": task.id,
                    "contract": contract,
                    "system": system,
                    "instruction": task.instruction,
                    "prompt_sha256": prompt_digest(system, task.instruction),
                }

    def made_reply(self, model: str, task: Task, contract: str) -> Reply:
        """Return what a registered model replies to a task under a contract."""
        return Reply(
            task=task.id,
            configuration=Configuration(model),
            contract=contract,
            trial=0,
            text=self.models[model].reply(task, self._encoder(contract)),
            prompt_sha256=prompt_digest(self.contracts[contract].system, task.instruction),
            origin=f"the model {model!r}",
            made_by_machine=model in HARMLESS_MODELS,
        )

    def _made_replies(self) -> Iterator[Reply]:
        tasks = select_tasks(self.tasks, self.wanted)
        made = (name for name in self.settings.models if name in self.models)
        for name, contract, task in product(made, self.settings.contracts, tasks):
            yield self.made_reply(name, task, contract)

    def _encoder(self, contract: str) -> Callable[[str], str]:
        reading = self.contracts[contract]
        carrying = self.transports[reading.matched_transport]
        return lambda command: reading.encode(carrying.matched(command))

    def _check_names(self) -> None:
        settings = self.settings
        for name in settings.contracts:
            self.contracts.require(name, settings.source("contract"))
        for name in settings.transports:
            self.transports.require(
                name, settings.source("transport" if "transport" in settings.given else "boundary")
            )
        self.transports.require(settings.boundary, settings.source("boundary"))
        for name in settings.userlands:
            self.userlands.require(name, settings.source("userland"))
        _require_all("family", settings.families, {task.family for task in self.tasks}, settings)
        _require_all("task", settings.tasks, {task.id for task in self.tasks}, settings)
        _require_all("tier", map(str, settings.tiers), {str(task.tier) for task in self.tasks}, settings)

    def _check_models(self) -> None:
        configurations = {reply.configuration for reply in self.stored.replies}
        for value in self.settings.models:
            if value in self.models or any(configuration_matches(one, value) for one in configurations):
                continue
            raise BadInput.unknown(
                "model",
                value,
                source=self.settings.source("model"),
                allowed={*map(str, configurations), *self.models},
                next_step=f"Stored replies are read from {self.settings.replies}; name others with --qb-replies.",
            )

    def _nothing_selected(self) -> str:
        if not self.stored.replies and not self.settings.models:
            return (
                f"no stored replies in {self.settings.replies}. Name a file or directory of replies with "
                f"--qb-replies, or a built-in model: --qb-model=oracle.{self._problem_lines()}"
            )
        stored = sorted({f"{reply.configuration} under {reply.contract}" for reply in self.stored.replies})
        stored += [f"{name} (trial 0 under every contract)" for name in self.models]
        return (
            f"nothing is selected: no reply matches all of the options. Stored: {', '.join(stored) or 'none'}."
            f"{self._problem_lines()}"
        )

    def _problem_lines(self) -> str:
        return "".join(f"\n  {problem.origin}: {problem.message}" for problem in self.problems[:_SHOWN_PROBLEMS])


_SHOWN_PROBLEMS = 20


def _require_all(kind: str, names: Any, allowed: set[str], settings: Settings) -> None:
    for name in names:
        if name not in allowed:
            raise BadInput.unknown(kind, name, source=settings.source(kind), allowed=allowed)


def _check_files(settings: Settings) -> None:
    """Each file to be written needs a path of its own, where there is a regular file or nothing."""
    paths = {name: path for name in ("results", "summary") if (path := getattr(settings, name)) is not None}
    for path in paths.values():
        regular_target(path)
    if len({path.resolve() for path in paths.values()}) < len(paths):
        sources = " and ".join(settings.source(name) for name in paths)
        raise BadInput(
            f"results and summary would be the same file, {paths['results']} (from {sources}). Name two."
        )


def leave_far_ends(config: pytest.Config) -> None:
    """Leave nothing in containers and on hosts, if this process has used any."""
    if _RUN in config.stash:
        config.stash[_RUN].transports.close()


def current_run(config: pytest.Config) -> Run:
    """Return the run of this process; made, and its variants registered, at the first call. Raises BadInput."""
    if _RUN not in config.stash:
        if not config.pluginmanager.has_plugin("quotebench-built-ins"):
            config.pluginmanager.register(BuiltInVariants(), "quotebench-built-ins")
        config.stash[_RUN] = Run(config)
    return config.stash[_RUN]

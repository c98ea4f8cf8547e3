"""The settings of a run: read once from command line and ini file, checked, and frozen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, TypeVar

import pytest

from pytest_quotebench.contracts import ALIASES
from pytest_quotebench.core.errors import BadInput
from pytest_quotebench.core.limits import Limits, parse_seconds, with_limits
from pytest_quotebench.plugin.options import OPTIONS, Option
from pytest_quotebench.sandbox_choice import AUTO
from pytest_quotebench.sessions.far_ssh import host_name

DEFAULT_BOUNDARY = "nested"
DEFAULT_CONTRACTS = ("raw", "disclosed")
DOCKER_MODES = ("shared", "fresh")
_LONGEST_RANGE = 10_000

Parsed = TypeVar("Parsed")


class Given(NamedTuple):
    """The texts of one setting and where they came from."""

    texts: tuple[str, ...]
    source: str


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What was asked for. Empty tuples mean no restriction; names are checked against what is registered."""

    given: dict[str, Given]
    models: tuple[str, ...]
    efforts: tuple[str, ...]
    contracts: tuple[str, ...]
    transports: tuple[str, ...]
    boundary: str
    commands: tuple[str, ...]
    """Command paths as they were typed: `NAME=LINE`."""
    ssh_host: str
    """Where the paths over ssh lead; empty for the server in the sandbox."""
    trials: tuple[int, ...]
    families: tuple[str, ...]
    tiers: tuple[int, ...]
    tasks: tuple[str, ...]
    replies: Path
    sandbox: str
    docker_mode: str
    userlands: tuple[str, ...]
    limits: Limits
    strict_replies: bool
    results: Path | None
    summary: Path | None
    prompts: Path | None

    def source(self, name: str) -> str:
        """Say where a setting's value came from, for messages."""
        return self.given[name].source if name in self.given else "the default"


def read_settings(config: pytest.Config) -> Settings:
    """Read the settings. Raises BadInput that names the source of a bad value."""
    given = {option.name: found for option in OPTIONS if (found := _find(config, option)) is not None}
    names = {
        name: _names(given.get(name))
        for name in ("model", "effort", "contract", "transport", "userland", "family", "task")
    }
    commands = _lines(given.get("transport-command"))
    own = tuple(command.partition("=")[0].strip() for command in commands)
    boundary = _single(given, "boundary", str, own[0] if own else DEFAULT_BOUNDARY)
    return Settings(
        given=given,
        models=names["model"],
        efforts=names["effort"],
        contracts=tuple(ALIASES.get(name, name) for name in names["contract"]) or DEFAULT_CONTRACTS,
        transports=names["transport"] or _unique(("raw", *own, boundary)),
        boundary=boundary,
        commands=commands,
        ssh_host=_single(given, "ssh-host", host_name, ""),
        trials=_numbers(given, "trials"),
        families=names["family"],
        tiers=_numbers(given, "tier"),
        tasks=names["task"],
        replies=_path(config, given, "replies") or config.rootpath / "replies",
        sandbox=_single(given, "sandbox", str, AUTO),
        docker_mode=_single(given, "docker", _docker_mode, DOCKER_MODES[0]),
        userlands=names["userland"],
        limits=_limits(given),
        strict_replies=_single(given, "strict-replies", _truth, default=False),
        results=_path(config, given, "results"),
        summary=_path(config, given, "summary"),
        prompts=_path(config, given, "prompts"),
    )


def _find(config: pytest.Config, option: Option) -> Given | None:
    value = config.getoption(option.dest)
    if value is not None:
        texts = value if isinstance(value, list) else [str(value)]
        return Given(tuple(texts), f"{option.flag} on the command line")
    ini = config.getini(option.dest)
    if ini is None:
        return None
    texts = ini if isinstance(ini, list) else [str(ini)]
    return Given(tuple(str(text) for text in texts), f"{option.dest} in {_ini_name(config)}")


def _ini_name(config: pytest.Config) -> str:
    return config.inipath.name if config.inipath else "an override"


def _names(given: Given | None) -> tuple[str, ...]:
    if given is None:
        return ()
    parts = (part.strip() for text in given.texts for line in text.splitlines() for part in line.split(","))
    names = _unique(tuple(part for part in parts if part))
    if not names:
        raise BadInput(f"no name is given (from {given.source}). Write at least one, or leave it out.")
    return names


def _lines(given: Given | None) -> tuple[str, ...]:
    """Return the lines that are not blank: a line of shell holds commas."""
    lines = (line.strip() for text in (given.texts if given else ()) for line in text.splitlines())
    return tuple(line for line in lines if line)


def _numbers(given: dict[str, Given], name: str) -> tuple[int, ...]:
    found: set[int] = set()
    for part in _names(given.get(name)):
        first, dash, last = part.partition("-")
        if not (first.isascii() and first.isdigit()) or (dash and not (last.isascii() and last.isdigit())):
            raise _bad(given[name], name, part, "whole numbers and ranges such as 0,2 or 0-2")
        if dash and not 0 <= int(last) - int(first) <= _LONGEST_RANGE:
            raise _bad(
                given[name], name, part, f"ranges that go upwards, such as 0-2, by {_LONGEST_RANGE} at most"
            )
        found.update(range(int(first), int(last or first) + 1))
    return tuple(sorted(found))


def _single(given: dict[str, Given], name: str, parse: Callable[[str], Parsed], default: Parsed) -> Parsed:
    found = given.get(name)
    if found is None:
        return default
    text = found.texts[-1].strip()
    try:
        return parse(text)
    except ValueError as error:
        raise _bad(found, name, text, str(error)) from None


def _bad(given: Given, name: str, value: str, allowed: str) -> BadInput:
    return BadInput(f"bad value {value!r} for {name} (from {given.source}). Allowed: {allowed}.")


def _docker_mode(text: str) -> str:
    if text not in DOCKER_MODES:
        raise ValueError(", ".join(DOCKER_MODES))
    return text


def _limits(given: dict[str, Given]) -> Limits:
    limits = Limits(wall_s=_single(given, "timeout", parse_seconds, Limits().wall_s))
    for text in _names(given.get("limit")):
        try:
            limits = with_limits(limits, [text])
        except ValueError as error:
            raise _bad(given["limit"], "limit", text, str(error)) from None
    return limits


def _truth(text: str) -> bool:
    words = {
        "true": True,
        "1": True,
        "yes": True,
        "on": True,
        "false": False,
        "0": False,
        "no": False,
        "off": False,
    }
    if text.lower() not in words:
        raise ValueError(", ".join(words))
    return words[text.lower()]


def _path(config: pytest.Config, given: dict[str, Given], name: str) -> Path | None:
    """Resolve against where the value was written: the working directory, or the ini file's directory."""
    found = given.get(name)
    if found is None:
        return None
    from_ini = "command line" not in found.source and config.inipath is not None
    base = config.inipath.parent if from_ini and config.inipath else config.invocation_params.dir
    return base / found.texts[-1]


def _unique(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))

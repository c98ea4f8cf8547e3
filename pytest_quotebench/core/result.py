"""The record of one executed case: the line of a results file, and what travels from worker to controller."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from pytest_quotebench.core.case import Case
from pytest_quotebench.core.dialect import dialect, leaks_markers
from pytest_quotebench.core.execution import Execution
from pytest_quotebench.core.layers import Layer
from pytest_quotebench.core.mismatch import Mismatch
from pytest_quotebench.core.reply import Configuration
from pytest_quotebench.core.text import has_surrogate
from pytest_quotebench.core.verdict import Verdict

RESULT_SCHEMA = "qb-result/1"


@dataclass(frozen=True, kw_only=True)
class Result:
    """Everything about one executed case that a record holds."""

    case: Case
    verdict: Verdict
    execution: Execution | None
    """None where nothing ran."""
    command: str
    """The command text that the contract gave, or the verbatim reply where it gave none."""
    layers: tuple[Layer, ...] = ()
    cleanup: tuple[str, ...] = ()
    sandbox: str = ""
    userland: str = ""
    prompt_current: bool | None = None
    """Whether the reply answered today's prompt; None where the record does not say."""
    versions: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    def to_record(self) -> dict[str, Any]:
        """Return the object of the results file, schema `qb-result/1`."""
        return {
            "schema": RESULT_SCHEMA,
            **_case_fields(self.case),
            "sandbox": self.sandbox,
            "userland": self.userland,
            "verdict": self.verdict.kind.value,
            "detail": self.verdict.detail,
            "reason": text_value(self.verdict.reason) if self.verdict.reason else None,
            "mismatch": _mismatch_fields(self.verdict.mismatch),
            "layers": [{"layer": layer.name, "text": _layer_text(layer)} for layer in self.layers],
            **_execution_fields(self.execution),
            "cleanup": list(self.cleanup),
            "marker_leakage": leaks_markers(self.command),
            "dialect": dialect(self.command),
            "reply_sha256": self.case.reply.digest,
            "task_sha256": self.case.task.digest,
            "prompt_current": self.prompt_current,
            "usage": dict(self.case.reply.usage) if self.case.reply.usage else None,
            "versions": dict(self.versions),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """The part of a record that the summary counts; it carries nothing that a command printed."""

    task: str
    family: str
    tier: int
    hazards: tuple[str, ...]
    configuration: Configuration
    contract: str
    transport: str
    trial: int
    verdict: str
    detail: str | None
    cleanup: tuple[str, ...]
    marker_leakage: bool
    dialect: str | None
    prompt_current: bool | None
    sandbox: str
    usage: Mapping[str, Any] | None
    userland: str = ""
    """Whose programs the command found; empty where the record does not say."""

    @property
    def cell(self) -> str:
        """Contract and transport: `raw/nested`."""
        return f"{self.contract}/{self.transport}"

    @property
    def passed(self) -> bool:
        """Whether the case passed."""
        return self.verdict == "pass"

    @property
    def broken(self) -> bool:
        """Whether the harness failed; such a case is outside every rate."""
        return self.verdict == "broken"

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Tally:
        """Read a record of a results file. Raises KeyError where a field is missing."""
        return cls(
            **{name: record[name] for name in _COPIED},
            configuration=Configuration(record["model"], record["effort"]),
            hazards=tuple(record["hazards"]),
            cleanup=tuple(record["cleanup"]),
            usage=record.get("usage"),
            userland=record.get("userland") or "",
        )


_COPIED = (
    "task", "family", "tier", "contract", "transport", "trial", "verdict", "detail",
    "marker_leakage", "dialect", "prompt_current", "sandbox",
)  # fmt: skip


def to_line(record: Mapping[str, Any]) -> str:
    """Return a record as one line of ASCII JSON, without the line break."""
    return json.dumps(record, ensure_ascii=True, allow_nan=False, separators=(",", ":"))


def byte_value(data: bytes) -> str | dict[str, str]:
    """Return bytes as text where they are UTF-8, else as `{"base64": ...}`."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode("ascii")}


def text_value(text: str) -> str | dict[str, str]:
    """Return text as it is, or as the base64 of its bytes where it holds surrogates."""
    if not has_surrogate(text):
        return text
    try:
        return byte_value(text.encode("utf-8", "surrogateescape"))
    except UnicodeEncodeError:
        return byte_value(text.encode("utf-8", "surrogatepass"))


def _layer_text(layer: Layer) -> str | dict[str, str] | None:
    return None if layer.text is None else text_value(layer.text)


def _case_fields(case: Case) -> dict[str, Any]:
    task, reply = case.task, case.reply
    return {
        "task": task.id,
        "family": task.family,
        "tier": task.tier,
        "hazards": list(task.hazards),
        "model": reply.configuration.model,
        "effort": reply.configuration.effort,
        "contract": reply.contract,
        "transport": case.transport,
        "trial": reply.trial,
    }


def _mismatch_fields(mismatch: Mismatch | None) -> dict[str, Any] | None:
    if mismatch is None:
        return None
    return {
        "path": text_value(mismatch.path),
        "expected": None if mismatch.expected is None else byte_value(mismatch.expected),
        "got": None if mismatch.got is None else byte_value(mismatch.got[:_MISMATCH_BYTES]),
        "offset": mismatch.offset,
        "note": text_value(mismatch.note),
    }


_MISMATCH_BYTES = 2**16


def _execution_fields(execution: Execution | None) -> dict[str, Any]:
    if execution is None:
        return dict.fromkeys(
            (
                "exit_status",
                "signal",
                "timed_out",
                "duration_s",
                "stdout",
                "stderr",
                "stdout_length",
                "stderr_length",
            )
        )
    return {
        "exit_status": execution.exit_status,
        "signal": execution.signal,
        "timed_out": execution.timed_out,
        "duration_s": round(execution.duration_s, 6),
        "stdout": byte_value(execution.stdout),
        "stderr": byte_value(execution.stderr),
        "stdout_length": execution.stdout_length,
        "stderr_length": execution.stderr_length,
    }

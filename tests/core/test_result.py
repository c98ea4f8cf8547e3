"""The record of a case: ASCII JSON from which every byte can be had back."""

from __future__ import annotations

import base64
import json
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from pytest_quotebench.core.case import Case
from pytest_quotebench.core.execution import Execution
from pytest_quotebench.core.layers import Layer
from pytest_quotebench.core.mismatch import Mismatch
from pytest_quotebench.core.reply import Configuration, Reply
from pytest_quotebench.core.result import Result, Tally, byte_value, text_value, to_line
from pytest_quotebench.core.verdict import Verdict, VerdictClass
from quotebench_tasks import load_tasks

DESIGN = Path(__file__).resolve().parents[3] / "shared/DESIGN.md"
TASK = load_tasks(["write-file"])[0]
FIELDS = {
    "schema", "task", "family", "tier", "hazards", "model", "effort", "contract", "transport", "trial", "sandbox",
    "userland", "verdict", "detail", "mismatch", "layers", "exit_status", "signal", "timed_out", "duration_s",
    "stdout", "stderr", "cleanup", "marker_leakage", "dialect", "reply_sha256", "task_sha256", "prompt_current",
    "versions",
}  # fmt: skip
"""The keys of `qb-result/1` as the design's section 7 lists them."""


def result(text: str, output: bytes) -> Result:
    """Return a result in which outside text stands wherever it can."""
    reply = Reply(task=TASK.id, configuration=Configuration(text or "m"), contract="raw", trial=0, text=text)
    execution = Execution(
        exit_status=1, signal=None, stdout=output, stderr=output, stdout_length=9, stderr_length=9,
        duration_s=0.1, timed_out=False,
    )  # fmt: skip
    verdict = Verdict(VerdictClass.RUNTIME_ERROR, "exit:1", Mismatch("p", output, output + b"x"))
    case = Case(task=TASK, reply=reply, transport="raw")
    return Result(case=case, verdict=verdict, execution=execution, command=text, layers=(Layer("bash", text),))


@given(st.text(st.characters()), st.binary())
def test_a_record_is_one_ascii_line_whatever_it_holds(text: str, output: bytes) -> None:
    line = to_line(result(text, output).to_record())

    assert line.isascii()
    assert "\n" not in line
    assert json.loads(line)["stdout"] in (output.decode("utf-8", "replace"), byte_value(output))


@given(st.binary())
def test_bytes_come_back(data: bytes) -> None:
    value = byte_value(data)

    back = value.encode() if isinstance(value, str) else base64.b64decode(value["base64"])
    assert back == data


def test_text_with_surrogates_is_kept_as_bytes() -> None:
    assert text_value("plain ü") == "plain ü"
    assert text_value("\udcff") == {"base64": base64.b64encode(b"\xff").decode()}
    assert text_value("\ud800") == {"base64": base64.b64encode(b"\xed\xa0\x80").decode()}


def test_a_record_has_every_field_of_the_design() -> None:
    assert result("x", b"").to_record().keys() >= FIELDS


def test_a_tally_is_what_the_summary_counts() -> None:
    tally = Tally.from_record(json.loads(to_line(result("x⟪", b"secret output").to_record())))

    assert (tally.task, tally.cell, tally.verdict, tally.marker_leakage) == (
        TASK.id,
        "raw/raw",
        "runtime-error",
        True,
    )
    assert "secret" not in repr(tally)

"""What is typed decides what runs, and every item has the name that the design gives it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest

OPTIONS = ("--collect-only", "-q")


def collected(result: pytest.RunResult) -> list[str]:
    """Return the names of the collected items."""
    return [line.partition("::")[2] for line in result.outlines if "::" in line]


def test_names_say_task_contract_transport_configuration_and_trial(suite: pytest.Pytester) -> None:
    """The default cells of one task, sorted, in the character set that -k takes."""
    result = suite.runpytest(*OPTIONS, "--qb-model=oracle", "--qb-task=write-file-t3")

    assert collected(result) == [
        "test_replay[write-file-t3-disclosed-nested-oracle-0]",
        "test_replay[write-file-t3-disclosed-raw-oracle-0]",
        "test_replay[write-file-t3-raw-nested-oracle-0]",
        "test_replay[write-file-t3-raw-raw-oracle-0]",
    ]


def test_the_oracle_has_224_items_by_default(suite: pytest.Pytester) -> None:
    """56 tasks in four cells; all names differ and use letters, digits, dot, underscore and minus."""
    names = collected(suite.runpytest(*OPTIONS, "--qb-model=oracle"))

    assert len(set(names)) == len(names) == 224
    assert names == sorted(names)
    assert all(re.fullmatch(r"test_replay\[[A-Za-z0-9._-]+\]", name) for name in names)


def test_workers_and_one_process_collect_the_same(suite: pytest.Pytester) -> None:
    """Under xdist every worker names the items alike, or xdist would refuse to run."""
    options = ("-n2", "--qb-model=oracle", "--qb-tier=0", "--qb-contract=raw,json", "--qb-transport=raw")

    suite.runpytest_subprocess(*options).assert_outcomes(passed=28)


@pytest.mark.parametrize(
    ("options", "count"),
    [
        (("--qb-family=write-file,git-commit",), 2 * 4 * 4),
        (("--qb-family=write-file", "--qb-family=git-commit"), 2 * 4 * 4),
        (("--qb-tier=0",), 14 * 4),
        (("--qb-tier=1-3",), 42 * 4),
        (("--qb-tier=0,2",), 28 * 4),
        (("--qb-contract=raw",), 56 * 2),
        (("--qb-contract=wrapped", "--qb-transport=nested"), 56),
        (("--qb-boundary=nested-single",), 56 * 4),
        (("--qb-task=write-file-t0", "--qb-contract=raw,json,script", "--qb-transport=raw,stdin,script"), 9),
        (("-k", "write-file-t3 and raw-nested"), 1),
        (("-m", "not validate", "--qb-tier=0"), 14 * 4),
    ],
)
def test_options_select_a_part_of_the_grid(suite: pytest.Pytester, options: tuple[str, ...], count: int) -> None:
    """Families, tiers, tasks, contracts and transports restrict the grid; pytest's own options do too."""
    assert len(collected(suite.runpytest(*OPTIONS, "--qb-model=oracle", *options))) == count


def test_every_stored_configuration_is_the_default(suite: pytest.Pytester, store: Callable[..., object]) -> None:
    """Without --qb-model every configuration below replies/ is replayed, and no built-in model."""
    store("raw", {"write-file-t0": "echo hello world > out.txt"}, model="one")
    store("raw", {"write-file-t0": "echo hello world > out.txt"}, model="two")

    names = collected(suite.runpytest(*OPTIONS, "--qb-transport=raw"))

    assert names == [
        "test_replay[write-file-t0-raw-raw-one-0]",
        "test_replay[write-file-t0-raw-raw-two-0]",
    ]


def test_trials_are_those_that_are_stored_or_asked_for(
    suite: pytest.Pytester, store: Callable[..., object]
) -> None:
    """--qb-trials takes lists and ranges; the default is all that are stored."""
    for trial in range(3):
        store("raw", {"write-file-t0": "echo hello world > out.txt"}, trial=trial)

    def trials(*options: str) -> int:
        return len(collected(suite.runpytest(*OPTIONS, "--qb-transport=raw", *options)))

    assert (trials(), trials("--qb-trials=0-1"), trials("--qb-trials=2"), trials("--qb-trials=0,2")) == (
        3,
        2,
        1,
        2,
    )


def test_a_model_and_effort_name_one_configuration(suite: pytest.Pytester) -> None:
    """`m` names every effort of the model, `m@high` one, `--qb-effort` filters, and names stay valid."""
    record = {"schema": "qb-reply/1", "task": "write-file-t0", "model": "a/b:c", "contract": "raw", "trial": 0}
    lines = [json.dumps({**record, "effort": effort, "reply": "x"}) for effort in ("high", None)]
    suite.makefile(".jsonl", replies="\n".join(lines) + "\n")
    base = (*OPTIONS, "--qb-replies=replies.jsonl", "--qb-transport=raw")

    both = collected(suite.runpytest(*base, "--qb-model=a/b:c"))

    assert len(set(both)) == 2
    assert all(
        re.fullmatch(r"test_replay\[write-file-t0-raw-raw-a-b-c(-high)?-[0-9a-f]{6}-0\]", one) for one in both
    )
    assert len(collected(suite.runpytest(*base, "--qb-model=a/b:c@high"))) == 1
    assert len(collected(suite.runpytest(*base, "--qb-effort=default"))) == 1


def test_ini_keys_do_what_options_do_and_the_command_line_wins(suite: pytest.Pytester) -> None:
    """`qb_model` and the others in an ini file are read; an option overrides its key."""
    suite.makeini("[pytest]\nqb_model = oracle\nqb_tier = 0\nqb_transport =\n    raw\n    stdin\n")

    assert len(collected(suite.runpytest(*OPTIONS, "--qb-contract=raw"))) == 28
    assert len(collected(suite.runpytest(*OPTIONS, "--qb-contract=raw", "--qb-tier=1"))) == 28
    assert len(collected(suite.runpytest(*OPTIONS, "--qb-contract=raw", "--qb-transport=raw"))) == 14


def test_settings_in_pytests_own_toml_are_read(suite: pytest.Pytester) -> None:
    """Lists, booleans and strings of `[tool.pytest]`, which pytest 9 reads natively."""
    if int(pytest.__version__.split(".")[0]) < 9:
        pytest.skip("native TOML settings came with pytest 9")
    suite.makepyprojecttoml(
        '[tool.pytest]\nqb_model = ["oracle", "naive"]\nqb_tier = ["0"]\nqb_strict_replies = true\n'
    )

    assert len(collected(suite.runpytest(*OPTIONS, "--qb-contract=raw", "--qb-transport=raw"))) == 28


def test_prompts_can_be_asked_for_in_an_ini_file(suite: pytest.Pytester) -> None:
    """`qb_prompts` runs nothing either."""
    suite.makeini("[pytest]\nqb_prompts = prompts.jsonl\n")

    result = suite.runpytest_subprocess()

    assert result.ret == 0
    result.stdout.fnmatch_lines(["112 prompts written to *prompts.jsonl; nothing was run"])


def test_the_gate_is_collected_only_when_it_is_asked_for(suite: pytest.Pytester) -> None:
    """`-m validate` runs the gate and no replay; without it no item of the gate is there, not even deselected."""
    gate = collected(suite.runpytest(*OPTIONS, "-m", "validate", "--qb-family=write-file"))
    plain = suite.runpytest(*OPTIONS, "--qb-model=oracle", "--qb-family=write-file")

    assert {name.partition("[")[0] for name in gate} == {
        "test_escaping",
        "test_mutations",
        "test_naive",
        "test_oracle",
    }
    assert "deselected" not in plain.stdout.str()


def test_prompts_are_written_and_nothing_runs(suite: pytest.Pytester) -> None:
    """--qb-prompts writes each selected prompt with its digest and ends with status 0, also under xdist."""
    for workers in ("-n0", "-n2"):
        result = suite.runpytest_subprocess(
            workers, "--qb-prompts=prompts.jsonl", "--qb-tier=0", "--qb-contract=raw,json"
        )

        assert result.ret == 0
        assert "28 prompts written" in result.stderr.str() + result.stdout.str()
        lines = (suite.path / "prompts.jsonl").read_text().splitlines()
        assert len(lines) == 28
        (suite.path / "prompts.jsonl").unlink()

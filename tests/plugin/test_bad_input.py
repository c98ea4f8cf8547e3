"""Bad input gets an error that says what, from where, what is allowed and what to do next; the rest goes on."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

RIGHT = "echo hello world > out.txt"


@pytest.mark.parametrize(
    ("option", "message"),
    [
        (
            "--qb-model=oracel",
            "unknown model 'oracel' (from --qb-model on the command line). Did you mean 'oracle'? *",
        ),
        (
            "--qb-contract=row",
            "unknown contract 'row' (from --qb-contract on the command line). Did you mean 'raw'? Allowed: *",
        ),
        (
            "--qb-transport=nestled",
            "unknown transport 'nestled' (from --qb-transport on the command line). Did you mean 'nested'? *",
        ),
        ("--qb-boundary=zzz", "unknown transport 'zzz' (from --qb-boundary on the command line). Allowed: *"),
        (
            "--qb-family=zzz",
            "unknown family 'zzz' (from --qb-family on the command line). Allowed: argv-passing, *",
        ),
        ("--qb-task=zzz", "unknown task 'zzz' (from --qb-task on the command line). Allowed: argv-passing-t0, *"),
        ("--qb-tier=4", "unknown tier '4' (from --qb-tier on the command line). Allowed: 0, 1, 2, 3."),
        (
            "--qb-tier=a",
            "bad value 'a' for tier (from --qb-tier on the command line). Allowed: whole numbers and ranges *",
        ),
        (
            "--qb-trials=2-0",
            "bad value '2-0' for trials (from --qb-trials on the command line). Allowed: ranges *",
        ),
        (
            "--qb-timeout=never",
            "bad value 'never' for timeout (from --qb-timeout on the command line). Allowed: a number of sec*",
        ),
        (
            "--qb-limit=memory=lots",
            "bad value 'memory=lots' for limit (from --qb-limit on the command line). Allowed: a whole number *",
        ),
        (
            "--qb-docker=new",
            "bad value 'new' for docker (from --qb-docker on the command line). Allowed: shared, fresh.",
        ),
        ("--qb-sandbox=zoo", "unknown sandbox 'zoo' (from --qb-sandbox on the command line). Allowed: auto, *"),
        (
            "--qb-replies=nowhere",
            "there is no *nowhere: name a [*].jsonl file, or a directory that holds such files",
        ),
        (
            "--qb-model=",
            "no name is given (from --qb-model on the command line). Write at least one, or leave it out.",
        ),
        ("--qb-results=.", "* is not a regular file: name one, or a path where there is nothing"),
    ],
)
def test_a_bad_value_is_a_usage_error(suite: pytest.Pytester, option: str, message: str) -> None:
    """The whole message, printed once, and status 4."""
    model = () if "model" in option or "replies" in option else ("--qb-model=oracle",)

    result = suite.runpytest(option, *model)

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: {message}"])


def test_an_error_names_the_ini_file_it_came_from(suite: pytest.Pytester) -> None:
    """A bad ini value is told with its key and file."""
    suite.makeini("[pytest]\nqb_tier = 9\n")

    suite.runpytest("--qb-model=oracle").stderr.fnmatch_lines(
        ["ERROR: unknown tier '9' (from qb_tier in tox.ini)*"]
    )


def test_a_misspelt_key_in_the_ini_file_is_told_without_any_option(suite: pytest.Pytester) -> None:
    """Where only the suite's module wakes the plugin, a bad ini value is a collection error with one line."""
    suite.makeini("[pytest]\nqb_contract = row\n")

    result = suite.runpytest()

    result.stdout.fnmatch_lines(["quotebench: unknown contract 'row' (from qb_contract in tox.ini)*"])
    assert "Traceback" not in result.stdout.str()


def test_options_without_the_suite_are_a_usage_error(pytester: pytest.Pytester) -> None:
    """--qb-model in a project that has no suite says how to get one, with and without workers."""
    pytester.makepyfile("def test_mine(): pass")
    expected = "*nothing that was collected holds its suite. Add `--pyargs quotebench_tasks`, or a test module*"

    for workers in ("-n0", "-n2"):
        result = pytester.runpytest_subprocess("--qb-model=oracle", workers)

        assert result.ret == pytest.ExitCode.USAGE_ERROR
        assert any("quotebench_tasks" in line for line in result.errlines + result.outlines), expected


def test_no_stored_replies_is_told(suite: pytest.Pytester) -> None:
    """Without replies and without --qb-model the error says what to name."""
    suite.runpytest().stdout.fnmatch_lines(
        ["quotebench: no stored replies in *replies. Name a file or directory of replies*"]
    )


def test_an_empty_selection_says_what_is_stored(suite: pytest.Pytester, store: Callable[..., Path]) -> None:
    """A filter that leaves nothing is an error, not an empty success."""
    store("raw", {"write-file-t0": RIGHT})

    result = suite.runpytest("--qb-model=m", "--qb-contract=json")

    result.stderr.fnmatch_lines(
        ["ERROR: nothing is selected: no reply matches all of the options. Stored: m under raw, naive (trial 0 *"]
    )


def test_faulty_replies_are_told_and_everything_else_goes_on(
    suite: pytest.Pytester, store: Callable[..., Path]
) -> None:
    """An unknown task, two replies for one cell and a line that is no JSON: errors by file and line, status 3."""
    path = store("raw", {"write-file-t0": RIGHT, "write-fill-t1": "x", "write-file-t2": "x"})
    store("raw", {"write-file-t2": "y"})
    with path.open("a") as file:
        file.write("{not json}\n")
    store("raw", {"grep-count-t0": "grep -c TODO lines.txt > count.txt"})

    result = suite.runpytest_subprocess("--qb-sandbox=local", "--qb-transport=raw", "--qb-model=m")

    result.assert_outcomes(passed=2)
    assert result.ret == 3
    output = result.stdout.str()
    for line, word in ((2, "write-fill-t1"), (3, "raw.jsonl:4"), (5, "JSON")):
        assert f"raw.jsonl:{line}" in output
        assert word in output


def test_a_torn_last_line_is_a_warning(suite: pytest.Pytester, store: Callable[..., Path]) -> None:
    """What a killed writer left is skipped and told; the run can still succeed."""
    path = store("raw", {"write-file-t0": RIGHT})
    with path.open("a") as file:
        file.write('{"schema":"qb-reply/1","task":"write-fi')

    result = suite.runpytest_subprocess("--qb-sandbox=local", "--qb-transport=raw", "--qb-model=m")

    result.assert_outcomes(passed=1)
    assert result.ret == 0
    assert "raw.jsonl:2" in result.stdout.str()


def test_an_empty_reply_file_is_told(suite: pytest.Pytester) -> None:
    """A file without a single reply is named in the error."""
    suite.makefile(".jsonl", empty="")

    result = suite.runpytest("--qb-replies=empty.jsonl", "--qb-transport=raw", "--qb-contract=raw")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "empty.jsonl" in result.stderr.str()


def test_a_model_may_not_take_the_name_of_a_built_in_one(
    suite: pytest.Pytester, store: Callable[..., Path]
) -> None:
    """Stored replies that call themselves `oracle` never run as machine-made ones, which may run unprotected."""
    store("raw", {"write-file-t0": "touch escaped"}, model="oracle")
    store("raw", {"write-file-t0": RIGHT}, model="other")

    result = suite.runpytest_subprocess("--qb-sandbox=local", "--qb-transport=raw", "--qb-contract=raw")

    result.assert_outcomes(passed=1)
    assert result.ret == 3
    assert "'oracle', the name of a built-in model" in result.stdout.str()


def test_a_reply_under_an_unknown_contract_is_told(suite: pytest.Pytester, store: Callable[..., Path]) -> None:
    """A typo in a contract's name loses nothing silently."""
    store("rwa", {"write-file-t0": RIGHT})
    store("raw", {"write-file-t0": RIGHT})

    result = suite.runpytest_subprocess("--qb-sandbox=local", "--qb-transport=raw")

    assert result.ret == 3
    assert "rwa.jsonl:1: unknown contract 'rwa': the reply is left out" in " ".join(result.stdout.str().split())


def test_results_and_summary_need_two_files(suite: pytest.Pytester) -> None:
    """One would overwrite the other."""
    result = suite.runpytest("--qb-model=oracle", "--qb-results=same", "--qb-summary=./same")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: results and summary would be the same file, *Name two."])


@pytest.mark.parametrize(
    ("module", "words"),
    [("import nothing_of_that_name", "nothing_of_that_name"), ("def broken(:", "SyntaxError")],
)
def test_a_module_that_cannot_be_imported_is_not_taken_for_a_missing_suite(
    pytester: pytest.Pytester, module: str, words: str
) -> None:
    """The real error is shown, and no advice that does not fit."""
    pytester.makepyfile(test_broken=module)

    result = pytester.runpytest("--qb-model=oracle")

    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert words in result.stdout.str()
    assert "holds its suite" not in result.stdout.str() + result.stderr.str()


SURROGATES = {
    "skip": "pytest.skip('no \\ud800')",
    "failure": "raise ValueError('no \\ud800')",
    "warning": "warnings.warn('no \\ud800')",
    "property": "request.node.user_properties.extend([('a', '\\ud800'), ('b', Path('x'))])",
    "output": "print('no', end=''); request.node.add_report_section('setup', 'x', 'no \\ud800')",
}


@pytest.mark.parametrize("where", SURROGATES)
def test_a_lone_surrogate_anywhere_loses_no_item(suite: pytest.Pytester, where: str) -> None:
    """In a skip reason, an exception, a warning, a property or a section of an item under xdist."""
    suite.makeconftest(
        f"""
        import warnings
        from pathlib import Path
        import pytest

        @pytest.fixture
        def qb_case(request, qb_case):
            {SURROGATES[where]}
            return qb_case
        """
    )

    result = suite.runpytest_subprocess(
        *("--qb-model=oracle", "--qb-task=write-file-t0", "--qb-contract=raw", "--qb-transport=raw", "-n1"),
        *("--junitxml=report.xml", "-W", "default"),
    )

    outcome = {"skip": {"skipped": 1}, "failure": {"errors": 1}}.get(where, {"passed": 1})
    result.assert_outcomes(**outcome, warnings=1 if where == "warning" else 0)
    assert result.ret == (3 if where == "failure" else 0)
    assert 'tests="1"' in (suite.path / "report.xml").read_text()


HOSTILE = {
    "write-file-t0": ("echo \0 > out.txt", "transport-error", "nul"),
    "write-file-t1": ("echo \ud83d > out.txt", "contract-error", "lone-surrogate"),
    "write-file-t2": ("true " + "x" * 200_000, "transport-error", "too-long"),
    "write-file-t3": ("", "contract-error", "empty"),
    "sed-replace-t0": (
        "printf '\\033[31m\\0\\377\\ud800' > data.txt; printf '\\033]0;x\\7\\0' >&2",
        "silent-wrong",
        None,
    ),
    "grep-count-t0": ("printf x > \"$(printf 'a\\377\\nb')\"; echo 3 > count.txt", "environment-invalid", None),
}


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_hostile_replies_get_verdicts(suite: pytest.Pytester, store: Callable[..., Path], workers: str) -> None:
    """NUL, a lone surrogate, 200 kB, nothing at all, control characters: each a verdict, none a lost item."""
    store("raw", {task: reply for task, (reply, _, _) in HOSTILE.items()})
    store("json", {"write-file-t0": '{"command": "echo \\ud83d"}', "write-file-t1": "[" * 100_000})

    result = suite.runpytest_subprocess(
        "--qb-sandbox=local",
        "--qb-contract=raw,json",
        "--qb-transport=raw",
        "--qb-results=results.jsonl",
        "--junitxml=report.xml",
        workers,
    )

    assert result.ret == 1
    records = [json.loads(line) for line in (suite.path / "results.jsonl").read_text().splitlines()]
    found = {(one["contract"], one["task"]): (one["verdict"], one["detail"]) for one in records}
    assert found == {
        **{("raw", task): (verdict, detail) for task, (_, verdict, detail) in HOSTILE.items()},
        ("json", "write-file-t0"): ("contract-error", "lone-surrogate"),
        ("json", "write-file-t1"): ("contract-error", "not-json"),
    }
    assert "\x1b]0" not in result.stdout.str()
    assert (suite.path / "report.xml").read_text().count("<testcase") == 8

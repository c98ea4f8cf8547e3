"""Installed but unused, the plugin is silent, offline and cheap."""

from __future__ import annotations

import json

import pytest

ALLOWED = {
    "pytest_quotebench",
    "pytest_quotebench.core",
    "pytest_quotebench.core.errors",
    "pytest_quotebench.core.limits",
    "pytest_quotebench.plugin",
    "pytest_quotebench.plugin.fixtures",
    "pytest_quotebench.plugin.hookspecs",
    "pytest_quotebench.plugin.options",
    "pytest_quotebench.registry",
}
"""All of ours that an unused plugin may have imported."""

HEAVY = ("docker", "httpx", "hypothesis", "dulwich", "jinja2", "xdist", "asyncio", "requests", "anyio")
"""What must not be there. Some of them have plugins of their own, so that the test loads only ours."""

ONE_TEST = """
import json, sys

def test_modules():
    with open("modules.json", "w") as file:
        json.dump(sorted(sys.modules), file)
"""


def test_an_unused_plugin_imports_next_to_nothing(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only the entry point, its options, its fixtures and its hook specifications are imported."""
    pytester.makepyfile(ONE_TEST)
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")

    result = pytester.runpytest_subprocess("-q", "-p", "pytest_quotebench.plugin")

    result.assert_outcomes(passed=1)
    modules = json.loads((pytester.path / "modules.json").read_text())
    assert {name for name in modules if name.startswith(("pytest_quotebench", "quotebench_tasks"))} <= ALLOWED
    assert [name for name in modules if name in HEAVY] == []


def test_an_unused_plugin_prints_nothing(pytester: pytest.Pytester) -> None:
    """Without an option and without the suite, not a word of the output is ours."""
    pytester.makepyfile(ONE_TEST)

    result = pytester.runpytest_subprocess("-p", "no:cacheprovider")

    mentions = [line for line in result.outlines + result.errlines if "quotebench" in line.lower()]
    assert [line for line in mentions if not line.startswith("plugins:")] == []


def test_an_unused_plugin_leaves_another_test_replay_alone(pytester: pytest.Pytester) -> None:
    """A project's own `test_replay` and `test_oracle` are collected as ever, also under xdist."""
    pytester.makepyfile(
        """
        import pytest

        @pytest.mark.parametrize("value", ["a", "b"])
        def test_replay(value):
            pass

        @pytest.mark.parametrize("value", ["a", "b"])
        def test_oracle(value):
            pass
        """
    )

    for workers in ("-n0", "-n2"):
        pytester.runpytest_subprocess(workers).assert_outcomes(passed=4)

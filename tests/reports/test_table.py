"""Figures and tables as text."""

from __future__ import annotations

import pytest

from pytest_quotebench.core.reply import Configuration
from pytest_quotebench.reports._table import Group, configuration_name, count_text, effect_text, signed, table
from pytest_quotebench.stats.cells import Count, Effect, Missing


@pytest.mark.parametrize(
    ("pp", "text"),
    [(0.0, "+0.0"), (-0.0, "+0.0"), (-0.04, "+0.0"), (-0.06, "-0.1"), (60.714, "+60.7"), (100, "+100.0")],
)
def test_points_have_one_decimal_and_a_sign(pp: float, text: str) -> None:
    assert signed(pp) == text


def test_what_cannot_be_computed_is_a_dash() -> None:
    assert [count_text(Missing("no case")), effect_text(Missing("no case"))] == ["-", "-"]
    assert [count_text(Count(17, 56)), effect_text(Effect(-69.64, 56, partial=True))] == ["17/56 30.4", "-69.6~"]


def test_figures_stand_below_each_other_whatever_marks_they_bear() -> None:
    group = Group("heading", [("a", "+1.0~*", "1"), ("long", "-10.0", "22")])

    assert table(("", "gap", "n"), [group]) == [
        "          gap     n",
        "heading",
        "  a      +1.0~*   1",
        "  long  -10.0    22",
    ]


def test_a_long_name_keeps_both_its_ends() -> None:
    name = configuration_name(Configuration("begin-" + "x" * 60, "xhigh"))

    assert (len(name), name[:6], name[-6:]) == (35, "begin-", "@xhigh")

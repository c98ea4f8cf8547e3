"""`auto` takes the strongest sandbox that is granted; nothing protects nobody by accident."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

import pytest

from pytest_quotebench.core.errors import BadInput
from pytest_quotebench.sandbox_choice import choose_sandbox, holding_brokers


class Provider:
    """A provider that is granted or refuses."""

    def __init__(self, strength: int, refusal: str | None = None) -> None:
        self.STRENGTH = strength
        self._refusal = refusal

    def refusal(self) -> str | None:
        return self._refusal

    def open_sandbox(self, **options: str) -> AbstractContextManager[Any]:
        raise AssertionError("choosing opens nothing")


ALL = {"local": Provider(0), "weak": Provider(10), "strong": Provider(30)}


def test_auto_takes_the_strongest() -> None:
    """Whatever the commands are."""
    assert choose_sandbox("auto", "the default", ALL, harmless=False) == "strong"
    assert choose_sandbox("auto", "the default", ALL, harmless=True) == "strong"


def test_auto_takes_the_next_where_one_is_refused() -> None:
    """A refusal is not the end."""
    providers = {**ALL, "strong": Provider(30, "the kernel says no")}

    assert choose_sandbox("auto", "the default", providers, harmless=False) == "weak"


def test_replies_never_fall_back_to_a_sandbox_that_holds_nothing() -> None:
    """Harmless commands may; for anything else the error says what refused and what to do."""
    providers = {"local": Provider(0), "strong": Provider(30, "the kernel says no")}

    assert choose_sandbox("auto", "the default", providers, harmless=True) == "local"
    with pytest.raises(BadInput) as caught:
        choose_sandbox("auto", "the default", providers, harmless=False)

    assert str(caught.value) == (
        "no sandbox is granted here that may run a model's replies: a reply is hostile code.\n"
        "  strong: the kernel says no\n"
        "Make one of them work, or name --qb-sandbox=local to run the replies unprotected, with your own rights "
        "(only on a machine that you can throw away)."
    )


def test_a_named_sandbox_is_taken_or_refused_never_replaced() -> None:
    """Also the one that holds nothing, because it was named."""
    assert choose_sandbox("local", "--qb-sandbox", ALL, harmless=False) == "local"
    with pytest.raises(BadInput, match=r"the sandbox 'weak' \(from --qb-sandbox\) is refused here: no"):
        choose_sandbox("weak", "--qb-sandbox", {"weak": Provider(10, "no")}, harmless=False)
    with pytest.raises(BadInput, match=r"unknown sandbox 'storng' .*Did you mean 'strong'\? Allowed: auto, local"):
        choose_sandbox("storng", "--qb-sandbox", ALL, harmless=False)


def test_only_some_sandboxes_hold_a_broker() -> None:
    """Another one that was named is an error; `auto` chooses among those that do."""
    able = Provider(10)
    able.BROKERS = True  # type: ignore[attr-defined]
    providers = {**ALL, "able": able}

    assert dict(holding_brokers("auto", "the default", ["far"], providers)) == {"able": able}
    assert dict(holding_brokers("able", "--qb-sandbox", ["far"], providers)) == {"able": able}
    with pytest.raises(BadInput, match=r"far cannot run in the sandbox 'strong' \(from --qb-sandbox\).*Name able"):
        holding_brokers("strong", "--qb-sandbox", ["far"], providers)

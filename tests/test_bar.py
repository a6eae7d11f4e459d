"""What people dismissed before moves the bar of a kind."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from improve.bar import Tally, tally


@pytest.mark.parametrize(
    ("accepted", "dismissed", "bar"),
    [(0, 0, 0.0), (0, 1, 0.125), (0, 5, 0.312), (0, 20, 0.435), (5, 5, 0.0), (10, 20, 0.0), (1, 20, 0.375)],
)
def test_the_bar_follows_the_formula(accepted: int, dismissed: int, bar: float) -> None:
    """A third accepted keeps it at 0; the more is dismissed, the nearer it comes to a half."""
    assert Tally(accepted, dismissed).bar == bar


@given(st.integers(0, 10_000), st.integers(0, 10_000))
def test_a_dismissal_never_lowers_it_and_an_acceptance_never_raises_it(accepted: int, dismissed: int) -> None:
    """It moves the way people do, and stays below a half."""
    here = Tally(accepted, dismissed).bar
    assert 0 <= here <= 0.5
    assert Tally(accepted, dismissed + 1).bar >= here >= Tally(accepted + 1, dismissed).bar


def test_what_said_a_rule_again_counts_as_accepted() -> None:
    """Each state has its place; each kind its own tally."""
    states = [("denial", state) for state in ("accepted", "matched", "dismissed", "open", "open")]
    assert tally([*states, ("waste", "dismissed")]) == {"denial": Tally(2, 1, 2), "waste": Tally(0, 1, 0)}

"""The verdict: single cases, what must hold for all of them, and simulated histories whose truth is known."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from improve.proof import HELD, LEAST_DAYS, LEAST_SESSIONS, RECURRING, UNKNOWN, Tally, interval, judge


def simulation() -> ModuleType:
    """Load the benchmark, which no package holds."""
    if "verdicts" not in sys.modules:
        path = Path(__file__).parent.parent / "benchmarks" / "verdicts.py"
        spec = importlib.util.spec_from_file_location("verdicts", path)
        assert spec and spec.loader
        sys.modules["verdicts"] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules["verdicts"])
    return sys.modules["verdicts"]


VERDICTS = simulation()
TALLIES = st.integers(0, 400).flatmap(lambda n: st.builds(Tally, st.just(n), st.integers(0, n)))


@pytest.mark.parametrize(
    ("before", "after", "verdict"),
    [
        ((10, 6), (18, 0), HELD),
        ((40, 16), (30, 0), HELD),
        ((3, 2), (40, 0), HELD),
        ((60, 3), (100, 0), HELD),
        ((0, 0), (40, 0), HELD),
        ((60, 24), (100, 2), HELD),
        ((10, 6), (8, 4), RECURRING),
        ((0, 0), (8, 3), RECURRING),
        ((60, 3), (60, 30), RECURRING),
        ((60, 24), (40, 8), RECURRING),
        ((5, 5), (5, 5), RECURRING),
        ((10, 6), (5, 0), UNKNOWN),
        ((10, 6), (100, 9), UNKNOWN),
        ((0, 0), (5, 0), UNKNOWN),
        ((0, 0), (12, 0), UNKNOWN),
        ((0, 0), (5, 1), UNKNOWN),
        ((60, 3), (60, 3), UNKNOWN),
        ((3, 2), (10, 0), UNKNOWN),
        ((60, 3), (30, 0), UNKNOWN),
        ((0, 0), (0, 0), UNKNOWN),
    ],
)
def test_what_the_numbers_say(before: tuple[int, int], after: tuple[int, int], verdict: str) -> None:
    """Clear numbers give a verdict, numbers that chance may bring give none."""
    assert judge(Tally(*before), Tally(*after), 60).state == verdict


@pytest.mark.parametrize(("failed", "days"), [(0, 6.9), (100, 6.9), (0, 0), (100, -3)])
def test_no_verdict_in_the_first_week(failed: int, days: float) -> None:
    """However many sessions there were, seven days are the least."""
    assert judge(Tally(100, 60), Tally(100, failed), days).state == UNKNOWN


@given(TALLIES, st.integers(0, 4).flatmap(lambda n: st.builds(Tally, st.just(n), st.integers(0, n))))
def test_no_verdict_from_fewer_than_five_sessions(before: Tally, after: Tally) -> None:
    """However clear four sessions are."""
    assert judge(before, after, 365).state == UNKNOWN


@given(TALLIES, TALLIES, st.floats(0, 1000))
def test_a_verdict_and_its_bounds_are_sound(before: Tally, after: Tally, days: float) -> None:
    """The rate seen lies within its bounds; a mistake that was never made, or once, never makes a rule recurring."""
    found = judge(before, after, days)
    assert 0.0 <= found.low <= (after.failed / after.exposed if after.exposed else 0.5) <= found.high <= 1.0
    assert found.state != RECURRING or after.failed > 1
    assert found.state == UNKNOWN or (days >= LEAST_DAYS and after.exposed >= LEAST_SESSIONS)
    assert str(after.failed) in found.why and "\n" not in found.why


@given(TALLIES, TALLIES)
def test_a_rule_that_held_with_more_mistakes_held_with_fewer(before: Tally, after: Tally) -> None:
    """One mistake less in the same sessions never costs a rule its verdict."""
    if after.failed and judge(before, after, 30).state == HELD:
        assert judge(before, after._replace(failed=after.failed - 1), 30).state == HELD


@given(st.integers(-5, 20), st.integers(-5, 40))
def test_numbers_that_cannot_be_do_no_harm(exposed: int, failed: int) -> None:
    """More mistakes than sessions, or fewer than none, are taken for the nearest that can be."""
    found = judge(Tally(exposed, failed), Tally(exposed, failed), 30)
    assert 0 <= found.after.failed <= found.after.exposed


def test_bounds_narrow_with_more_sessions() -> None:
    """The same rate in more sessions is known better; nothing at all is known of no sessions."""
    widths = [high - low for low, high in (interval(Tally(10 * n, 3 * n)) for n in (1, 3, 10, 100))]
    assert widths == sorted(widths, reverse=True)
    assert interval(Tally(0, 0)) == (0.0, 1.0)


@pytest.mark.parametrize("scenario", VERDICTS.SCENARIOS, ids=lambda scenario: scenario.name)
def test_simulated_histories_are_judged_right(scenario: object) -> None:
    """At most one history of twenty gets a wrong verdict at any look, and none gets one where nothing can be known."""
    found = VERDICTS.run(scenario, 200, 11)
    assert found.wrong <= 10
    if found.scenario.right == UNKNOWN and not found.scenario.noise and found.scenario.wrong >= {HELD, RECURRING}:
        assert found.last[UNKNOWN] == 200

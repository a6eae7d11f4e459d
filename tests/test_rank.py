"""The rank of a rule: occasions that fade, in an order that no day changes."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from improve import escalate
from improve.document import Entry
from improve.index import Index
from improve.rank import rank, worth
from improve.rule import Folded, Observation, Rule
from improve.sync import of_entry
from improve.taxonomy import Taxonomy

_FIRST = date(2020, 1, 1)
_DAYS = st.lists(st.integers(0, 3000), min_size=1, max_size=12)


def rule_of(days: list[int], name: str = "r") -> Rule:
    """Make a rule with an occasion on each of some days."""
    seen = (Observation("p", str(_FIRST + timedelta(days=day)), session=f"s{n}") for n, day in enumerate(days))
    return Rule(name, name, observations=tuple(seen))


def plainly(rule: Rule, today: date, half_life: int) -> float:
    """Add up what each occasion is worth today, as the formula for people says."""
    return sum(2.0 ** (-(today - date.fromisoformat(o.date)).days / half_life) for o in rule.observations)


@given(_DAYS, st.integers(3000, 4000), st.sampled_from([30, 60, 365]))
def test_worth_is_the_sum_of_the_faded_occasions(days: list[int], today: int, half_life: int) -> None:
    """What a rule is worth on a day is the sum over its occasions of 2^(-age / half-life)."""
    rule, day = rule_of(days), _FIRST + timedelta(days=today)
    assert worth(rule, str(day), half_life) == pytest.approx(plainly(rule, day, half_life), abs=2e-4)


@given(_DAYS, _DAYS, st.integers(0, 40_000))
def test_the_order_is_the_same_on_every_day(one: list[int], other: list[int], later: int) -> None:
    """Two rules that are apart by worth on one day are in the same order by rank, whatever day it is."""
    today = _FIRST + timedelta(days=3000)
    a, b = rule_of(one), rule_of(other)
    first, second = plainly(a, today, 60), plainly(b, today, 60)
    if abs(first - second) > 1e-5 * max(first, second):
        assert (rank(a) > rank(b)) == (first > second)


@given(st.permutations([3, 3, 70, 500, 900, 900]))
def test_the_order_of_the_observations_changes_nothing(days: list[int]) -> None:
    """The same days in another order give the very same rank, so that ties stay ties."""
    assert rank(rule_of(list(days))) == rank(rule_of([3, 3, 70, 500, 900, 900]))


@given(_DAYS, st.integers(0, 3000))
def test_one_more_occasion_never_ranks_lower(days: list[int], more: int) -> None:
    """An occasion adds, however old it is."""
    assert rank(rule_of([*days, more])) >= rank(rule_of(days))


def test_a_session_counts_once_on_its_last_day() -> None:
    """Observations of one session are one occasion, of its last day."""
    twice = Rule("r", "R", observations=tuple(Observation("p", d, session="s") for d in ("2026-01-01", "2026-01-03")))
    assert rank(twice) == rank(Rule("r", "R", observations=(Observation("p", "2026-01-03", session="t"),)))


def test_folded_occasions_count_at_the_last_day_of_their_total() -> None:
    """A total of four that ended on a day ranks as four occasions of that day."""
    folded = Rule("r", "R", folded=(Folded("p", 4, "2025-01-01", "2026-01-01"),))
    alone = Rule("r", "R", observations=(Observation("p", "2026-01-01"),) * 4)
    assert rank(folded) == rank(alone)


@pytest.mark.parametrize("date_typed", ["", "soon", "2026", "2026-13-01", "0000-00-00", "2026-01-01T10:00:00Z"])
def test_any_date_a_hand_can_type_has_a_rank(date_typed: str) -> None:
    """A date that is none counts as of long ago; nothing fails."""
    rule = Rule("r", "R", observations=(Observation("p", date_typed),))
    assert rank(rule) <= rank(Rule("r", "R", observations=(Observation("p", "2026-01-02"),)))
    assert 0.0 <= worth(rule, "2026-02-01") <= 1.0


def test_a_rule_without_occasions_ranks_last() -> None:
    """A rule that only a hand typed has rank 0, and is worth nothing."""
    assert (rank(Rule("r", "R")), worth(Rule("r", "R"), "2026-01-01")) == (0.0, 0.0)


def test_the_index_lists_what_was_needed_lately_before_what_was_needed_often_once() -> None:
    """Two occasions of this week come before five of two years ago, and equal ranks go by severity, then id."""
    index = Index.in_memory()
    rules = [
        rule_of([1, 2, 3, 4, 5], "often"),
        rule_of([900, 903], "b-lately"),
        rule_of([903, 900], "a-lately"),
        rule_of([900, 903], "costly")._replace(severity=4),
    ]
    for number, rule in enumerate(rules, 1):
        index.insert([of_entry(Entry(rule), Taxonomy(), escalate.Thresholds(), place=(number, b"", 1))])
    assert [row.rule.id for row in index.active(None)] == ["costly", "a-lately", "b-lately", "often"]

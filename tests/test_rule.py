"""What counts as an occasion and as a project, and how old observations fold into totals."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from improve.rule import UNKNOWN, Folded, Observation, Rule, fold, occasions, projects


def seen(project: str = "p", session: str = "", host: str = "", date: str = "2026-01-01") -> Observation:
    """Make an observation."""
    return Observation(project, date, session=session, host=host)


@pytest.mark.parametrize(
    ("observations", "count"),
    [
        ((), 0),
        ((seen(),), 1),
        ((seen(), seen()), 2),
        ((seen(session="s"), seen(session="s")), 1),
        ((seen(session="s"), seen(session="t"), seen()), 3),
        ((seen(session="s", host="a"), seen(session="s", host="b")), 2),
        ((seen("p", "s"), seen("q", "s")), 1),
    ],
)
def test_a_session_is_one_occasion(observations: tuple[Observation, ...], count: int) -> None:
    """Observations of one session of one host count once; those without a session count each."""
    assert occasions(Rule("r", "R", observations=observations)) == count
    assert occasions(Rule("r", "R", observations=observations, folded=(Folded("p", 5, "", ""),))) == count + 5


@pytest.mark.parametrize(
    ("names", "found"),
    [
        ([], ()),
        (["b", "a", "b"], ("b", "a")),
        ([UNKNOWN, "", "a"], ("a",)),
        ([UNKNOWN], ()),
        (["shop", "github.com/acme/shop"], ("github.com/acme/shop",)),
        (["github.com/acme/api", "github.com/zen/api"], ("github.com/acme/api", "github.com/zen/api")),
    ],
)
def test_projects_are_real_and_named_once(names: list[str], found: tuple[str, ...]) -> None:
    """First seen comes first; `unknown` is none, and a bare name is not a second project beside its key."""
    assert projects(Rule("r", "R", observations=tuple(seen(name) for name in names))) == found


SEEN = st.builds(
    lambda project, session, host, date: seen(project, session, host, date),
    st.sampled_from(["p", "q", "github.com/acme/p", UNKNOWN]),
    st.sampled_from(["", "", "s", "t", "u"]),
    st.sampled_from(["", "h"]),
    st.sampled_from(["", "2026-01-01", "2025-05-05"]),
)


@given(
    st.lists(SEEN, max_size=20),
    st.integers(0, 12),
    st.lists(st.builds(Folded, st.sampled_from(["p", "q"]), st.integers(0, 9), st.just(""), st.just("")), max_size=1),
)
def test_folding_keeps_the_count(many: list[Observation], keep: int, before: list[Folded]) -> None:
    """However often old observations are folded, the occasions, the projects and the newest ones stay."""
    rule = Rule("r", "R", observations=tuple(many), folded=tuple(before))
    once = fold(rule, keep=keep)
    assert occasions(once) == occasions(rule)
    assert set(projects(once)) == set(projects(rule))
    assert once.observations == tuple(many[max(len(many) - keep, 0) :])
    assert occasions(fold(once, keep=0)) == occasions(rule)


def test_folding_remembers_the_first_and_last_day() -> None:
    """A total says from when to when."""
    rule = Rule("r", "R", observations=(seen(date="2026-02-02"), seen(date="2026-01-01"), seen(date=""), seen()))
    assert fold(rule, keep=1).folded == (Folded("p", 3, "2026-01-01", "2026-02-02"),)

"""The decision tree, row by row, and what follows from it for the files."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from improve import escalate
from improve.escalate import EACH_PROJECT, GLOBAL, IN_SESSION, NOBODY, NOTHING, PROJECT, Thresholds
from improve.rule import Observation, Rule, Written
from improve.taxonomy import Taxonomy
from improve.wording import as_bullet

TAXONOMY = Taxonomy()
TABLE = Path(__file__).parent / "data" / "decisions.txt"
ROWS = [
    tuple(cell.strip() for cell in line.split("|"))
    for line in TABLE.read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("#")
]


def make(count: int, projects: str, **values: object) -> Rule:
    """Make a rule seen so often, in these projects in turn."""
    names = [] if projects == "-" else projects.split()
    seen = tuple(
        Observation(names[n % len(names)] if names else "unknown", "2026-01-01", session=f"s{n}") for n in range(count)
    )
    return Rule("r", "Use tabs", observations=seen)._replace(**values)  # type: ignore[arg-type]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: " ".join(row[:5]))
def test_every_row_of_the_tree(row: tuple[str, ...]) -> None:
    """Each line of the table gives its decision, its targets and the words agents know."""
    scope, retired, count, projects, domain, decision, said = row
    scope = "" if scope == "-" else scope
    rule = make(int(count), projects, domain=domain, explicit_scope=scope, retired=retired == "yes")
    found = escalate.decide(rule, TAXONOMY)
    assert found.kind == decision
    assert escalate.message(rule, found, TAXONOMY) == said
    named = tuple(projects.replace("-", "").split())
    assert found.targets == {GLOBAL: (NOBODY,), PROJECT: named, EACH_PROJECT: named}.get(found.kind, ())
    assert found.reason


COUNTS = st.integers(0, 5)
PLACES = st.sampled_from(["-", "a", "a b", "a b c"])
DOMAINS = st.sampled_from(["testing", "api-design", "unknown", "data-mesh"])


@given(
    COUNTS,
    PLACES,
    DOMAINS,
    st.sampled_from(["", "global", "local"]),
    st.booleans(),
    st.integers(1, 4),
    st.integers(1, 4),
)
def test_what_holds_for_every_rule(
    count: int, places: str, domain: str, scope: str, retired: bool, one: int, several: int
) -> None:
    """A local or unplaced rule never goes global; a retired one nowhere; below the thresholds nothing is written."""
    rule = make(count, places, domain=domain, explicit_scope=scope, retired=retired)
    found = escalate.decide(rule, TAXONOMY, Thresholds(one, several))
    if retired:
        assert found.kind == NOTHING
    elif scope == "global":
        assert found.kind == GLOBAL
    else:
        assert found.kind != GLOBAL or (domain == "testing" and scope == "" and count >= several and " " in places)
        assert found.kind == IN_SESSION or count >= min(one, several)
        assert places != "-" or found.kind == IN_SESSION
    assert bool(found.targets) == (found.kind in (PROJECT, EACH_PROJECT, GLOBAL))
    assert escalate.decide(rule, TAXONOMY, Thresholds(one, several)) == found


def test_domains_of_a_store_count() -> None:
    """A domain that people added to their own lists decides like the ones that came with it."""
    mine = Taxonomy(("data-mesh",), ("testing",))
    assert escalate.decide(make(2, "a b", domain="data-mesh"), mine).kind == GLOBAL
    assert escalate.decide(make(2, "a b", domain="testing"), mine).kind == EACH_PROJECT


def line(path: str, scope: str = "project", project: str = "", **values: object) -> Written:
    """Make a line of ours in a file."""
    return Written(path, "2026-01-01", "S", as_bullet("Use tabs"), scope, project)._replace(**values)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("rule", "outstanding", "superfluous"),
    [
        (make(2, "a"), ("a",), []),
        (make(2, "a", written_to=(line("/a", project="a"),)), (), []),
        (make(2, "a b", domain="api-design", written_to=(line("/a", project="a"),)), ("b",), []),
        (make(2, "a b", domain="testing", written_to=(line("/a", project="a"),)), (NOBODY,), []),
        (make(2, "a b", domain="testing", written_to=(line("/a", project="a"), line("/g", "global"))), (), ["/a"]),
        (make(2, "a b", domain="testing", written_to=(line("/g", "global"),)), (), []),
        (
            make(2, "a b", domain="testing", written_to=(line("/g", "global"), line("/a", project="a", adopted=True))),
            (),
            [],
        ),
        (make(2, "a b", domain="api-design", written_to=(line("/g", "global"),)), ("a", "b"), []),
        (make(2, "a", retired=True, written_to=(line("/a", project="a"),)), (), ["/a"]),
        (make(1, "a", written_to=(line("/a", project="a"),)), (), []),
        (make(2, "a", written_to=(line("/a", project="a"), line("/a", project="a"))), (), ["/a"]),
        (make(2, "a", rejected_at=2), (), []),
        (make(3, "a", rejected_at=2), ("a",), []),
        (make(2, "a", escalation="local", written_to=(Written("/a", "2026-01-01"),)), (), []),
        (make(2, "a b", domain="testing", escalation="global", written_to=(Written("/g", "2026-01-01"),)), (), []),
        (
            make(2, "a b", domain="testing", escalation="local", written_to=(Written("/a", "2026-01-01"),)),
            (NOBODY,),
            [],
        ),
    ],
)
def test_what_is_outstanding_and_what_is_too_much(
    rule: Rule, outstanding: tuple[str, ...], superfluous: list[str]
) -> None:
    """A target without a line is outstanding; a line that no target wants, once all have theirs, is too much."""
    decision = escalate.decide(rule, TAXONOMY)
    assert escalate.outstanding(rule, decision) == outstanding
    assert [w.path for w in escalate.superfluous(rule, decision)] == superfluous
    assert escalate.is_due(rule, decision) == bool(outstanding or superfluous)


def test_lines_that_say_the_old_text_are_outdated() -> None:
    """After a change of the text our lines are due; a person's wording and a line of version 1 are not."""
    old = line("/a", project="a", text="Use spaces")
    rule = make(2, "a", written_to=(old,))
    assert escalate.outdated(rule) == (old,)
    assert escalate.is_due(rule, escalate.decide(rule, TAXONOMY))
    for quiet in (line("/a", project="a"), old._replace(adopted=True), old._replace(text="")):
        assert escalate.outdated(make(2, "a", written_to=(quiet,))) == ()

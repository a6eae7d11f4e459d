"""The index: however it came to hold some rules, it answers as one that was made of them at once."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from improve import escalate, seal
from improve.document import Entry
from improve.index import Fresh, Index, Unusable
from improve.rule import Observation, Rule, Written
from improve.sync import of_entry
from improve.taxonomy import Taxonomy

TABLES = {
    "entry": "id, ord, rule, problems, active, global, due, written, count, severity, last, found, twin",
    "place": "project, (SELECT ord FROM entry WHERE entry.key = place.key)",
    "seen": "oid, (SELECT ord FROM entry WHERE entry.key = seen.key)",
    "phrase": "norm, (SELECT ord FROM entry WHERE entry.key = phrase.key)",
    "posting": "term, weight, (SELECT ord FROM entry WHERE entry.key = posting.key)",
    "term": "term, df",
}
TEXTS = st.sampled_from(
    ["Use tabs", "Use pnpm, not npm", "Never use tabs", "Ask before a push", "日本語で答える", "Use \ud800"]
)
SEEN = st.builds(
    lambda project, oid: Observation(project, "2026-01-01", oid=oid),
    st.sampled_from(["p", "q", "unknown"]),
    st.sampled_from(["", "a", "b", "\udc80"]),
)
RULES = st.builds(
    lambda name, text, seen, aliases, domain, written: Rule(
        name, text, domain, observations=tuple(seen), aliases=tuple(aliases), written_to=written
    ),
    st.sampled_from(["r1", "r2", "r3", "x"]),
    TEXTS,
    st.lists(SEEN, max_size=3),
    st.lists(TEXTS, max_size=2),
    st.sampled_from(["testing", "unknown"]),
    st.sampled_from([(), (Written("/a", "2026-01-01", text="- Use tabs", scope="global"),)]),
)


def fresh(rule: Rule, order: int) -> Fresh:
    """Derive what the index keeps."""
    return of_entry(Entry(rule), Taxonomy(), escalate.Thresholds(), place=(order, b"", 10))


def content(index: Index) -> dict[str, list[tuple[object, ...]]]:
    """Give everything in the index, without the keys that it chose itself."""
    where = {"term": "WHERE df > 0"}
    return {
        table: sorted(index.db.execute(f"SELECT {columns} FROM {table} {where.get(table, '')}"), key=repr)
        for table, columns in TABLES.items()
    }


@given(st.lists(RULES, max_size=5), st.lists(st.tuples(st.integers(0, 9), RULES | st.none()), max_size=8))
def test_changes_one_by_one_are_as_good_as_a_new_index(
    first: list[Rule], changes: list[tuple[int, Rule | None]]
) -> None:
    """Inserting, updating and deleting in any order ends where building anew ends, counts of terms included."""
    index = Index.in_memory()
    keys = index.insert([fresh(rule, order) for order, rule in enumerate(first, 1)])
    held = dict(zip(keys, enumerate(first, 1), strict=True))
    for number, rule in changes:
        key = sorted(held)[number % len(held)] if held and number < 7 else None
        if key is None and rule:
            order = index.last_order() + 1
            [new] = index.insert([fresh(rule, order)])
            held[new] = (order, rule)
        elif key is not None and rule:
            held[key] = (held[key][0], rule)
            index.update(key, fresh(rule, held[key][0]))
        elif key is not None:
            index.delete(key)
            del held[key]
    index.mark_twins()
    anew = Index.in_memory()
    anew.insert([fresh(rule, order) for order, rule in sorted(held.values(), key=lambda pair: pair[0])])
    anew.mark_twins()
    assert content(index) == content(anew)


def test_what_is_asked(tmp_path: Path) -> None:
    """Each question of the commands finds its rules, in its order."""
    index = Index.open(str(tmp_path), "x")
    seen = tuple(Observation("p", "2026-01-01", oid=f"o{n}") for n in range(3))
    rules = [
        Rule("once", "Use tabs", observations=seen[:1], aliases=("Tabs, always",)),
        Rule("thrice", "Ask before a push", observations=seen),
        Rule("gone", "Use spaces", retired=True),
        Rule("everywhere", "Answer in English", explicit_scope="global"),
    ]
    with index.writing():
        index.insert([fresh(rule, order) for order, rule in enumerate(rules, 1)])
    assert [row.rule.id for row in index.all()] == ["once", "thrice", "gone", "everywhere"]
    assert [row.rule.id for row in index.due()] == ["thrice", "everywhere"]
    assert (index.due_count(), index.active_count(None), index.active_count("p"), index.active_count("q")) == (
        2,
        3,
        3,
        1,
    )
    assert [row.rule.id for row in index.active("p")] == ["thrice", "once", "everywhere"]
    assert [row.rule.id for row in index.active("q", 5)] == ["everywhere"]
    assert [row.rule.id for row in index.active(None, 1)] == ["thrice"]
    found = index.same_wording("tabs, always")
    assert found is not None
    assert found.rule == rules[0]
    assert index.same_wording("nothing like it") is None
    assert index.ids_like("on", 5) == ["once"]
    assert index.locate("gone") == (3, 3, 20, 10)
    assert index.locate("none") is None
    assert index.shortlist({}, 5) == []
    assert index.weigh(["no such term"]) == {}


def test_a_foreign_write_breaks_the_seal(tmp_path: Path) -> None:
    """An index that somebody else wrote to is not used, nor written, but made anew."""
    index = Index.open(str(tmp_path), "x")
    with index.writing():
        index.set_meta("sha", "1")
    again = Index.open(str(tmp_path), "x")
    assert again.meta("sha") == "1"
    assert Index.open(str(tmp_path), "other settings").meta("sha") == ""
    with pytest.raises(Unusable):
        again.begin()
    path = tmp_path / "index.sqlite"
    assert seal.intact(str(path), (tmp_path / "index.sqlite.seal").read_text().splitlines()[0])


def test_a_failed_write_leaves_no_trace(tmp_path: Path) -> None:
    """What is written inside a block that fails is gone, and the next writer can begin."""
    index = Index.open(str(tmp_path), "x")
    with pytest.raises(RuntimeError), index.writing():
        index.set_meta("sha", "half")
        raise RuntimeError
    assert Index.open(str(tmp_path), "x").meta("sha") == ""
    index.begin()
    index.set_meta("sha", "kept")
    index.mark()
    index.set_meta("sha", "forgotten")
    index.end(back_to_mark=True)
    assert Index.open(str(tmp_path), "x").meta("sha") == "kept"

"""The ledger as a file, whoever writes it: rows come back as they were put in, and copies are told once."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from improve.deed import without
from improve.ledger import Deed, Entry, Ledger, Loaded, Part
from improve.workflow.deeds import utc

texts = st.text(st.characters(), max_size=30) | st.just("\ud800 \0")
deeds = st.builds(Deed, texts, texts, texts, texts, st.booleans(), texts)
entries = st.builds(
    Entry, st.just("codex"), texts, st.text(st.characters(exclude_characters="\0")),
    st.just("p"), texts, st.just("2026-01-01"), st.just("2026-01-02"), st.booleans(), st.just(""),
    st.integers(0, 1 << 40), st.lists(st.tuples(texts, texts), max_size=4).map(tuple),
    st.lists(deeds, max_size=5).map(tuple),
    st.lists(st.builds(Loaded, texts, texts, texts), max_size=2).map(tuple), st.integers(0, 9),
)  # fmt: skip


@settings(max_examples=40)
@given(entry=entries)
def test_what_is_put_in_comes_out(tmp_path_factory: object, entry: Entry) -> None:
    """A row with any characters comes back; halves of surrogate pairs outside of the bulk become marks."""
    place = tmp_path_factory.mktemp("ledger")  # type: ignore[attr-defined]
    ledger = Ledger.open(str(place))
    ledger.keep(Part(entry, "name", "", ()))
    ledger.commit()
    ledger.close()
    ledger = Ledger.open(str(place))
    [found] = ledger.entries()
    assert (found.asked, found.deeds, found.loaded) == (entry.asked, entry.deeds, entry.loaded)
    assert found._replace(session="", cwd="") == entry._replace(session="", cwd="")
    ledger.close()


def test_what_was_not_committed_is_not_there(tmp_path: Path) -> None:
    """A row and a cursor that were put in together are there together or not at all."""
    ledger = Ledger.open(str(tmp_path))
    ledger.move("/a", "1:2:3", 7)
    ledger.commit()
    ledger.move("/b", "1:2:3", 7)
    ledger.close()
    assert Ledger.open(str(tmp_path)).cursors() == {"/a": ("1:2:3", 7)}


def test_an_attempt_that_fails_takes_back_its_own(tmp_path: Path) -> None:
    """What was put in before a failed attempt stays."""
    ledger = Ledger.open(str(tmp_path))
    ledger.move("/a", "s", 1)
    try:
        with ledger.attempt():
            ledger.move("/b", "s", 1)
            raise ValueError
    except ValueError:
        pass
    with ledger.attempt():
        ledger.move("/c", "s", 1)
    ledger.commit()
    assert set(ledger.cursors()) == {"/a", "/c"}


def test_a_text_is_kept_once(tmp_path: Path) -> None:
    """The same text has the same name; an unknown name gives nothing."""
    ledger = Ledger.open(str(tmp_path))
    one, two = ledger.keep_text(b"- Use uv."), ledger.keep_text(b"- Use uv.")
    assert one == two and ledger.text(one) == b"- Use uv."
    assert (ledger.text("no such"), ledger.text(""), ledger.keep_text(b"")) == (b"", b"", "")


@given(
    st.lists(st.sampled_from([Deed("1", "shell", "a"), Deed("1", "shell", "b"), Deed("2", "shell", "a")])), st.data()
)
def test_what_is_known_is_left_out_as_often_as_it_is_there(all_deeds: list[Deed], data: st.DataObject) -> None:
    """Without a part of themselves, calls are the rest."""
    known = data.draw(st.lists(st.sampled_from(all_deeds), unique_by=id) if all_deeds else st.just([]))
    rest = without(all_deeds, known)
    assert sorted(rest + known) == sorted(all_deeds)


@given(st.datetimes(timezones=st.timezones()))
def test_a_moment_in_utc_is_the_same_moment(at: object) -> None:
    """Any moment with a zone is given in UTC, and giving it twice changes nothing."""
    from datetime import datetime

    assert isinstance(at, datetime)
    told = utc(at.isoformat())
    if told:  # else it lies outside of the calendar
        assert abs((datetime.fromisoformat(told) - at).total_seconds()) < 0.002 and utc(told) == told

"""How far each transcript was read is remembered, and only that."""

from __future__ import annotations

import os
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from improve import cursors
from improve.cursors import Cursor

NAMES = st.text(st.characters(blacklist_characters="\0\n\t", blacklist_categories=["Cs"]), min_size=1).map(
    "/x/".__add__
)
CURSORS = st.builds(
    Cursor,
    st.tuples(st.integers(0), st.integers(0), st.integers(0)).map(lambda parts: ":".join(map(str, parts))),
    st.integers(0, 1 << 60),
    st.sampled_from(["", "2026-11-01T00:00:00+00:00"]),
)


@given(st.dictionaries(NAMES, CURSORS, max_size=8))
def test_what_is_saved_is_loaded(tmp_path_factory: object, known: dict[str, Cursor]) -> None:
    """Whatever the paths are called."""
    directory = str(tmp_path_factory.mktemp("cursors"))  # type: ignore[attr-defined]
    cursors.save(directory, known)
    assert cursors.load(directory) == known


def test_a_path_that_cannot_stand_on_a_line_has_no_cursor(tmp_path: Path) -> None:
    """It is read each time; the others are remembered."""
    known = {"/x/a\tb": Cursor("1:2:3", 4, ""), "/x/a\nb": Cursor("1:2:3", 4, ""), "/x/c": Cursor("1:2:3", 4, "")}
    cursors.save(str(tmp_path), known)
    assert list(cursors.load(str(tmp_path))) == ["/x/c"]


def test_a_broken_file_is_no_cursor_at_all(tmp_path: Path) -> None:
    """Derived data: what cannot be read is read anew."""
    (tmp_path / cursors.FILE).write_bytes(b"\xff\xfe something else\n1:2:3\t4\t\t\t/x\n")
    assert cursors.load(str(tmp_path)) == {}
    (tmp_path / cursors.FILE).write_bytes(b"improve cursors 2\n1:2:3\tmany\t\t/x\nshort\n1:2:3\t4\t\t/y\n")
    assert list(cursors.load(str(tmp_path))) == ["/y"]


def test_a_stamp_changes_with_the_file_and_with_the_log_of_a_database(tmp_path: Path) -> None:
    """SQLite keeps its latest in a file beside it."""
    database = tmp_path / "sessions.db"
    database.write_bytes(b"x")
    beside = (f"{database}-wal",)
    before = cursors.stamp(str(database), beside)
    (tmp_path / "sessions.db-wal").write_bytes(b"y")
    after = cursors.stamp(str(database), beside)
    assert before != after
    assert cursors.size(after) == 1
    os.utime(database, (1_000_000, 1_000_000))
    assert cursors.written(cursors.stamp(str(database))).year == 1970


def test_a_file_that_shrank_or_was_replaced_is_another(tmp_path: Path) -> None:
    """Only one that grew in its place goes on where it was read to."""
    one = tmp_path / "a.jsonl"
    one.write_bytes(b"first\n")
    before = cursors.stamp(str(one))
    with one.open("ab") as stream:
        stream.write(b"second\n")
    assert cursors.same_file(before, cursors.stamp(str(one)))
    assert not cursors.same_file(cursors.stamp(str(one)), before)
    other = tmp_path / "b.jsonl"
    other.write_bytes(b"first\nand more\n")
    Path(other).replace(one)
    assert not cursors.same_file(before, cursors.stamp(str(one)))

"""What commands ask the index; see `index` for how it is kept true."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from improve.rule import Check, Destination, Folded, Observation, Rule, Verdict, Written

_AT = {name: at for at, name in enumerate(Rule.__match_args__)}
_TEXTS = tuple(_AT[name] for name in ("aliases", "near", "distinct_from", "supersedes"))
_OBSERVED, _WROTE, _PLACED, _OLD = (_AT[n] for n in ("observations", "written_to", "destination", "folded"))
_CHECKED, _JUDGED = _AT["check"], _AT["verdict"]


def encode(rule: Rule) -> str:
    """Write a rule compactly for the index."""
    return json.dumps(rule, ensure_ascii=True, separators=(",", ":"))


def decode(text: str) -> Rule:
    """Read what `encode` wrote."""
    values = json.loads(text)
    values[_OBSERVED] = tuple(_observation(o) for o in values[_OBSERVED])
    values[_WROTE] = tuple(Written(*w) for w in values[_WROTE])
    values[_OLD] = tuple(Folded(*f) for f in values[_OLD])
    values[_PLACED] = _destination(*values[_PLACED]) if values[_PLACED] else None
    if checked := values[_CHECKED]:
        values[_CHECKED] = Check(checked[0], *map(tuple, checked[1:]))
    if judged := values[_JUDGED]:
        values[_JUDGED] = Verdict(*judged)
    for at in _TEXTS:
        values[at] = tuple(values[at])
    return Rule(*values)


def _destination(path: str, section: str, paths: list[str]) -> Destination:
    return Destination(path, section, tuple(paths))


def _observation(values: list[Any]) -> Observation:
    values[-1] = tuple((key, value) for key, value in values[-1])
    return Observation(*values)


def storable(text: str) -> str:
    """Make text that the database takes: half a character, which Python can hold, is written out."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


class Row(NamedTuple):
    """One entry with what was derived from it."""

    rule: Rule
    problems: tuple[str, ...]
    due: bool


class Lookup:
    """The questions; every one is answered from tables that hold just enough for it."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.db = connection

    def meta(self, name: str) -> str:
        """Return a remembered text, empty when there is none."""
        row = self.db.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
        return str(row[0]) if row else ""

    def count(self) -> int:
        """Count the entries."""
        return self._number("SELECT COUNT(*) FROM entry")

    def by_id(self, rule_id: str) -> Row | None:
        """Find a rule."""
        return next(self._rows("WHERE id = ? ORDER BY ord", (storable(rule_id),)), None)

    def ids_like(self, prefix: str, limit: int) -> list[str]:
        """List ids that begin with a text."""
        query = "SELECT id FROM entry WHERE id >= ? AND id < ? ORDER BY id LIMIT ?"
        low = storable(prefix)
        return [row[0] for row in self.db.execute(query, (low, low + "\U0010ffff", limit))]

    def has_id(self, rule_id: str) -> bool:
        """Say whether an id is taken."""
        return self._number("SELECT COUNT(*) FROM entry WHERE id = ?", storable(rule_id)) > 0

    def all(self) -> Iterator[Row]:
        """Yield every rule in the order of the file."""
        return self._rows("ORDER BY ord", ())

    def due(self, limit: int = -1) -> Iterator[Row]:
        """Yield the rules that wait to be written, most occasions first."""
        rank = "ORDER BY count DESC, severity DESC, last DESC, id LIMIT ?"
        return self._rows(f"WHERE due = 1 AND twin = 0 {rank}", (limit,))

    def due_count(self) -> int:
        """Count the rules that wait to be written."""
        return self._number("SELECT COUNT(*) FROM entry WHERE due = 1 AND twin = 0")

    def written(self) -> Iterator[Row]:
        """Yield the rules that stand in some file."""
        return self._rows("WHERE written = 1 OR active = 0 ORDER BY ord", ())

    def active(self, names: Sequence[str] | None, limit: int = -1) -> Iterator[Row]:
        """Yield active rules: those that keep recurring, then written ones, then by `rank`, severity and recency.

        Args:
            names: only rules seen in the project with one of these names, or meant for everywhere; None for all.
        """
        rank = "ORDER BY recurring DESC, written DESC, rank DESC, severity DESC, last DESC, id LIMIT ?"
        here, values = _within(names)
        return self._rows(f"WHERE active = 1 {here} {rank}", (*values, limit))

    def active_count(self, names: Sequence[str] | None) -> int:
        """Count what `active` would yield."""
        here, values = _within(names)
        return self._number(f"SELECT COUNT(*) FROM entry WHERE active = 1 {here}", *values)

    def guarded(self) -> Iterator[Row]:
        """Yield the active rules that a guard looks after."""
        return self._rows("WHERE guarded = 1 AND twin = 0 ORDER BY ord", ())

    def troubled(self) -> Iterator[Row]:
        """Yield the entries that are set aside because something in them is wrong."""
        return self._rows("WHERE problems <> '[]' OR twin = 1 ORDER BY ord", ())

    def troubles(self) -> list[tuple[int, str, list[str], bool]]:
        """List key, id, problems and whether the id is shared, of every entry that is set aside."""
        query = "SELECT key, id, problems, twin FROM entry WHERE problems <> '[]' OR twin = 1 ORDER BY ord"
        return [(key, name, json.loads(what), bool(twin)) for key, name, what, twin in self.db.execute(query)]

    def holder(self, oid: str) -> Row | None:
        """Find the rule that already has an observation."""
        where = "WHERE key = (SELECT key FROM seen WHERE oid = ? ORDER BY key LIMIT 1)"
        return next(self._rows(where, (storable(oid),)), None)

    def same_wording(self, norm: str) -> Row | None:
        """Find the rule with this normalized wording, or one of its aliases; active ones first."""
        where = "WHERE key IN (SELECT key FROM phrase WHERE norm = ?)"
        return next(self._rows(f"{where} ORDER BY active DESC, count DESC, ord LIMIT 1", (storable(norm),)), None)

    def weigh(self, terms: Iterable[str]) -> dict[str, int]:
        """Count in how many rules each term is."""
        wanted = [storable(term) for term in terms]
        marks = ",".join("?" * len(wanted))
        return dict(self.db.execute(f"SELECT term, df FROM term WHERE df > 0 AND term IN ({marks})", wanted))

    def shortlist(self, weights: dict[str, float], limit: int) -> list[tuple[Row, float]]:
        """Rank rules by the sum of weight × stored weight over shared terms; give that score too."""
        if not weights:
            return []
        values = ",".join("(?,?)" for _ in weights)
        flat = [part for term, weight in weights.items() for part in (storable(term), weight)]
        query = (
            f"WITH q(term, w) AS (VALUES {values}) SELECT p.key, SUM(q.w * p.weight) AS score "
            "FROM q JOIN posting p ON p.term = q.term GROUP BY p.key ORDER BY score DESC, p.key LIMIT ?"
        )
        scores = dict(self.db.execute(query, (*flat, limit)).fetchall())
        rows = {row[0]: row for row in self._raw(f"WHERE key IN ({','.join('?' * len(scores))})", tuple(scores))}
        return [(_row(rows[key][1:]), score) for key, score in scores.items()]

    def locate(self, rule_id: str) -> tuple[int, int, int, int] | None:
        """Return key, order, bytes of entries before it, and size of an entry."""
        return next(iter(self.places(rule_id)), None)

    def places(self, rule_id: str) -> list[tuple[int, int, int, int]]:
        """Return what `locate` does for every entry with an id."""
        query = "SELECT key, ord, size FROM entry WHERE id = ? ORDER BY ord"
        found = self.db.execute(query, (storable(rule_id),)).fetchall()
        before = "SELECT COALESCE(SUM(size), 0) FROM entry WHERE ord < ?"
        return [(key, order, self._number(before, order), size) for key, order, size in found]

    def problems_at(self, key: int) -> list[str]:
        """List what is wrong with an entry."""
        row = self.db.execute("SELECT problems FROM entry WHERE key = ?", (key,)).fetchone()
        return list(json.loads(row[0])) if row else []

    def order_of(self, key: int) -> int:
        """Return the place of an entry among the others."""
        return self._number("SELECT ord FROM entry WHERE key = ?", key)

    def id_before(self, order: int) -> str:
        """Return the id of the entry above a place; empty when there is none."""
        query = "SELECT id FROM entry WHERE ord < ? AND id <> '' ORDER BY ord DESC LIMIT 1"
        row = self.db.execute(query, (order,)).fetchone()
        return str(row[0]) if row else ""

    def total_size(self) -> int:
        """Return how many bytes all entries have."""
        return self._number("SELECT COALESCE(SUM(size), 0) FROM entry")

    def last_order(self) -> int:
        """Return the order of the last entry, 0 when there is none."""
        return self._number("SELECT COALESCE(MAX(ord), 0) FROM entry")

    def shas(self) -> list[tuple[int, int, bytes]]:
        """List key, order and hash of every entry."""
        return self.db.execute("SELECT key, ord, sha FROM entry ORDER BY ord").fetchall()

    def _number(self, query: str, *values: Any) -> int:
        return int(self.db.execute(query, values).fetchone()[0])

    def _raw(self, where: str, values: tuple[Any, ...]) -> sqlite3.Cursor:
        return self.db.execute(f"SELECT key, rule, problems, due FROM entry {where}", values)

    def _rows(self, where: str, values: tuple[Any, ...]) -> Iterator[Row]:
        return (_row(raw[1:]) for raw in self._raw(where, values))


def _within(names: Sequence[str] | None) -> tuple[str, tuple[str, ...]]:
    if names is None:
        return "", ()
    marks = ",".join("?" * len(names))
    # asked of each row: the first few of many rules are found without listing all of the project's
    seen_there = f"SELECT 1 FROM place WHERE project IN ({marks}) AND place.key = entry.key"
    return f"AND (global = 1 OR EXISTS ({seen_there}))", tuple(map(storable, names))


def _row(raw: tuple[Any, ...]) -> Row:
    return Row(decode(raw[0]), tuple(json.loads(raw[1])), bool(raw[2]))

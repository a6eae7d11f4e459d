"""A derived copy of rules.yaml in SQLite, so that a command reads only the rules it needs.

Never the truth: it answers for exactly one sha256 of rules.yaml and is brought up to date, entry by entry, when the
file is another one. Any doubt (damage, other version, other settings) and it is thrown away.
"""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import astuple, dataclass
from typing import Any

from improve import __version__, escalate
from improve.rule import Destination, Folded, Observation, Rule, Written, occasions, projects

LAYOUT = "1"
_SCHEMA = """
CREATE TABLE meta(name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE entry(
  key INTEGER PRIMARY KEY, ord INTEGER, sha BLOB, size INTEGER, id TEXT, rule TEXT, problems TEXT,
  active INTEGER, global INTEGER, due INTEGER, written INTEGER, count INTEGER, severity INTEGER, last TEXT,
  twin INTEGER DEFAULT 0, found TEXT);
CREATE INDEX entry_id ON entry(id);
CREATE INDEX entry_ord ON entry(ord, size);
CREATE INDEX entry_due ON entry(due) WHERE due = 1;
CREATE INDEX entry_rank ON entry(active, written DESC, count DESC, severity DESC, last DESC);
CREATE INDEX entry_problem ON entry(key) WHERE problems <> '[]' OR twin = 1;
CREATE TABLE place(project TEXT, key INTEGER, PRIMARY KEY(project, key)) WITHOUT ROWID;
CREATE TABLE seen(oid TEXT PRIMARY KEY, key INTEGER) WITHOUT ROWID;
CREATE TABLE phrase(norm TEXT, key INTEGER, PRIMARY KEY(norm, key)) WITHOUT ROWID;
CREATE TABLE posting(term TEXT, key INTEGER, weight REAL, PRIMARY KEY(term, key)) WITHOUT ROWID;
CREATE TABLE term(term TEXT PRIMARY KEY, df INTEGER) WITHOUT ROWID;
"""
_DERIVED = ("place", "seen", "phrase", "posting", "term", "entry")
_COLUMNS = "ord sha size id rule problems active global due written count severity last found".split()


@dataclass(frozen=True, slots=True)
class Row:
    """One entry with what was derived from it."""

    rule: Rule
    problems: tuple[str, ...]
    due: bool


@dataclass(frozen=True, slots=True)
class Fresh:
    """An entry to put into the index: its place, its bytes' hash and what was read."""

    ord: int
    sha: bytes
    size: int
    rule: Rule | None
    problems: tuple[str, ...]
    decision: escalate.Decision | None


def encode(rule: Rule) -> str:
    """Write a rule compactly for the index."""
    return json.dumps([*astuple(rule)[:-1], rule.extra], ensure_ascii=True)


def decode(text: str) -> Rule:
    """Read what `encode` wrote."""
    values = json.loads(text)
    values[5] = tuple(Observation(*o[:-1], tuple((k, v) for k, v in o[-1])) for o in values[5])  # extra is last
    values[8] = tuple(Written(*w) for w in values[8])
    for at in (12, 13, 14, 19):
        values[at] = tuple(values[at])
    values[15] = Destination(*values[15]) if values[15] else None
    values[17] = tuple(Folded(*f) for f in values[17])
    return Rule(*values)


class Index:
    """An open index; `sha` says for which bytes of rules.yaml it answers."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.db = connection

    @classmethod
    def open(cls, directory: str, settings: str) -> Index:
        """Open the index in *directory*, new when it is damaged, of another version or made for other settings."""
        path = os.path.join(directory, "index.sqlite")
        wanted = f"{LAYOUT} {__version__} {settings}"
        try:
            os.makedirs(directory, mode=0o700, exist_ok=True)
            with contextlib.suppress(sqlite3.DatabaseError):
                index = cls(_connect(path))
                if index.meta("made for") == wanted:
                    return index
                index.close()
            for suffix in ("", "-wal", "-shm", "-journal"):
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(path + suffix)
            return cls._create(path, wanted)
        except (OSError, sqlite3.Error):
            return cls.in_memory()

    @classmethod
    def in_memory(cls) -> Index:
        """Make an index that no other command sees."""
        return cls._create(":memory:", "")

    @classmethod
    def _create(cls, path: str, wanted: str) -> Index:
        index = cls(_connect(path))
        index.db.execute("PRAGMA journal_mode=WAL")
        with index.writing():
            for statement in _SCHEMA.split(";"):
                index.db.execute(statement)
            index.set_meta("made for", wanted)
        return index

    def close(self) -> None:
        """Close the database."""
        self.db.close()

    @contextlib.contextmanager
    def writing(self) -> Iterator[None]:
        """Make all changes inside visible at once or not at all."""
        self.db.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self.db.execute("ROLLBACK")
            raise
        self.db.execute("COMMIT")

    @contextlib.contextmanager
    def reading(self) -> Iterator[None]:
        """See one state of the index throughout."""
        self.db.execute("BEGIN")
        try:
            yield
        finally:
            self.db.execute("COMMIT")

    def meta(self, name: str) -> str:
        """Return a remembered text, empty when there is none."""
        row = self.db.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
        return row[0] if row else ""

    def set_meta(self, name: str, value: str) -> None:
        """Remember a text."""
        self.db.execute("INSERT OR REPLACE INTO meta VALUES(?, ?)", (name, value))

    # --- what commands ask ---

    def count(self) -> int:
        """Count the entries."""
        return int(self.db.execute("SELECT COUNT(*) FROM entry").fetchone()[0])

    def by_id(self, rule_id: str) -> Row | None:
        """Find a rule."""
        return next(self._rows("WHERE id = ? ORDER BY ord", (rule_id,)), None)

    def ids_like(self, prefix: str, limit: int) -> list[str]:
        """List ids that begin with a text."""
        query = "SELECT id FROM entry WHERE id >= ? AND id < ? ORDER BY id LIMIT ?"
        return [row[0] for row in self.db.execute(query, (prefix, prefix + "\U0010ffff", limit))]

    def has_id(self, rule_id: str) -> bool:
        """Say whether an id is taken."""
        return self.db.execute("SELECT 1 FROM entry WHERE id = ?", (rule_id,)).fetchone() is not None

    def all(self) -> Iterator[Row]:
        """Yield every rule in the order of the file."""
        return self._rows("ORDER BY ord", ())

    def due(self, limit: int = -1) -> Iterator[Row]:
        """Yield the rules that wait to be written, most occasions first."""
        return self._rows("WHERE due = 1 AND twin = 0 ORDER BY count DESC, severity DESC, last DESC, id LIMIT ?", (limit,))

    def due_count(self) -> int:
        """Count the rules that wait to be written."""
        return int(self.db.execute("SELECT COUNT(*) FROM entry WHERE due = 1 AND twin = 0").fetchone()[0])

    def written(self) -> Iterator[Row]:
        """Yield the rules that stand in some file."""
        return self._rows("WHERE written = 1 OR active = 0 ORDER BY ord", ())

    def active(self, project: str | None, limit: int = -1) -> Iterator[Row]:
        """Yield active rules, written ones first, then by occasions, severity and recency.

        Args:
            project: only rules seen there or meant for everywhere; None for all.
        """
        rank = "ORDER BY written DESC, count DESC, severity DESC, last DESC, id LIMIT ?"
        if project is None:
            return self._rows(f"WHERE active = 1 {rank}", (limit,))
        here = "(global = 1 OR key IN (SELECT key FROM place WHERE project = ?))"
        return self._rows(f"WHERE active = 1 AND {here} {rank}", (project, limit))

    def active_count(self, project: str | None) -> int:
        """Count what `active` would yield."""
        if project is None:
            return int(self.db.execute("SELECT COUNT(*) FROM entry WHERE active = 1").fetchone()[0])
        query = ("SELECT COUNT(*) FROM entry WHERE active = 1 AND (global = 1 OR key IN "
                 "(SELECT key FROM place WHERE project = ?))")
        return int(self.db.execute(query, (project,)).fetchone()[0])

    def troubled(self) -> Iterator[Row]:
        """Yield the entries that are set aside because something in them is wrong."""
        return self._rows("WHERE problems <> '[]' OR twin = 1 ORDER BY ord", ())

    def troubles(self) -> list[tuple[int, str, list[str], bool]]:
        """List key, id, problems and whether the id is shared, of every entry that is set aside."""
        query = "SELECT key, id, problems, twin FROM entry WHERE problems <> '[]' OR twin = 1 ORDER BY ord"
        return [(key, name, json.loads(problems), bool(twin)) for key, name, problems, twin in self.db.execute(query)]

    def holder(self, oid: str) -> Row | None:
        """Find the rule that already has an observation."""
        return next(self._rows("WHERE key = (SELECT key FROM seen WHERE oid = ?)", (oid,)), None)

    def same_wording(self, norm: str) -> Row | None:
        """Find the rule with this normalized wording, or one of its aliases; active ones first."""
        where = "WHERE key IN (SELECT key FROM phrase WHERE norm = ?) ORDER BY active DESC, count DESC LIMIT 1"
        return next(self._rows(where, (norm,)), None)

    def weigh(self, terms: Iterable[str]) -> dict[str, int]:
        """Count in how many rules each term is."""
        wanted = list(terms)
        marks = ",".join("?" * len(wanted))
        return dict(self.db.execute(f"SELECT term, df FROM term WHERE term IN ({marks})", wanted))

    def shortlist(self, weights: dict[str, float], limit: int) -> list[Row]:
        """Rank rules by the sum of weight × stored weight over shared terms."""
        if not weights:
            return []
        values = ",".join("(?,?)" for _ in weights)
        flat = [part for pair in weights.items() for part in pair]
        query = (f"WITH q(term, w) AS (VALUES {values}) SELECT p.key FROM q JOIN posting p ON p.term = q.term "
                 "GROUP BY p.key ORDER BY SUM(q.w * p.weight) DESC, p.key LIMIT ?")
        keys = [row[0] for row in self.db.execute(query, (*flat, limit))]
        rows = {row[0]: row for row in self._raw(f"WHERE key IN ({','.join('?' * len(keys))})", tuple(keys))}
        return [_row(rows[key][1:]) for key in keys]

    def locate(self, rule_id: str) -> tuple[int, int, int, int] | None:
        """Return key, order, bytes of entries before it, and size of an entry."""
        row = self.db.execute("SELECT key, ord, size FROM entry WHERE id = ? ORDER BY ord", (rule_id,)).fetchone()
        if row is None:
            return None
        before = self.db.execute("SELECT COALESCE(SUM(size), 0) FROM entry WHERE ord < ?", (row[1],)).fetchone()[0]
        return row[0], row[1], before, row[2]

    def total_size(self) -> int:
        """Return how many bytes all entries have."""
        return int(self.db.execute("SELECT COALESCE(SUM(size), 0) FROM entry").fetchone()[0])

    def last_order(self) -> int:
        """Return the order of the last entry, 0 when there is none."""
        return int(self.db.execute("SELECT COALESCE(MAX(ord), 0) FROM entry").fetchone()[0])

    def is_twin(self, rule_id: str) -> bool:
        """Say whether several entries have this id."""
        return self.db.execute("SELECT 1 FROM entry WHERE id = ? AND twin = 1", (rule_id,)).fetchone() is not None

    def shas(self) -> list[tuple[int, int, bytes]]:
        """List key, order and hash of every entry."""
        return self.db.execute("SELECT key, ord, sha FROM entry ORDER BY ord").fetchall()

    def _raw(self, where: str, values: tuple[Any, ...]) -> sqlite3.Cursor:
        return self.db.execute(f"SELECT key, rule, problems, due FROM entry {where}", values)

    def _rows(self, where: str, values: tuple[Any, ...]) -> Iterator[Row]:
        return (_row(raw[1:]) for raw in self._raw(where, values))

    # --- keeping it true ---

    def insert(self, fresh: Fresh, phrases: Iterable[str], terms: dict[str, float]) -> int:
        """Add an entry and what can be found by it; returns its key."""
        found = [[p for p in phrases if p], list(terms)]
        marks = ",".join("?" * len(_COLUMNS))
        values = _columns(fresh, json.dumps(found))
        cursor = self.db.execute(f"INSERT INTO entry({','.join(_COLUMNS)}) VALUES({marks})", values)
        key = int(cursor.lastrowid or 0)
        self._link(key, fresh.rule, found[0], terms)
        return key

    def update(self, key: int, fresh: Fresh, phrases: Iterable[str], terms: dict[str, float]) -> None:
        """Replace what is known of an entry; `ord`, `size` and `sha` too."""
        self._unlink(key, fresh.rule, set(terms))
        found = [[p for p in phrases if p], list(terms)]
        sets = ",".join(f"{column} = ?" for column in _COLUMNS)
        self.db.execute(f"UPDATE entry SET {sets} WHERE key = ?", (*_columns(fresh, json.dumps(found)), key))
        self._link(key, fresh.rule, found[0], terms)

    def _link(self, key: int, rule: Rule | None, phrases: list[str], terms: dict[str, float]) -> None:
        places = projects(rule) if rule else ()
        oids = [o.oid for o in rule.observations if o.oid] if rule else []
        known = {row[0] for row in self._terms_of(key, terms)}
        new = [term for term in terms if term not in known]
        self.db.executemany("INSERT OR IGNORE INTO place VALUES(?,?)", [(p, key) for p in places])
        self.db.executemany("INSERT OR IGNORE INTO seen VALUES(?,?)", [(oid, key) for oid in oids])
        self.db.executemany("INSERT OR IGNORE INTO phrase VALUES(?,?)", [(p, key) for p in phrases])
        self.db.executemany("INSERT INTO posting VALUES(?,?,?)", [(t, key, terms[t]) for t in new])
        counted = "INSERT INTO term VALUES(?,1) ON CONFLICT(term) DO UPDATE SET df = df + 1"
        self.db.executemany(counted, [(t,) for t in new])

    def _terms_of(self, key: int, terms: Iterable[str]) -> list[tuple[str]]:
        wanted = list(terms)
        query = f"SELECT term FROM posting WHERE key = ? AND term IN ({','.join('?' * len(wanted))})"
        return self.db.execute(query, (key, *wanted)).fetchall()

    def _unlink(self, key: int, rule: Rule | None, keep: set[str]) -> None:
        raw = self.db.execute("SELECT rule, found FROM entry WHERE key = ?", (key,)).fetchone()
        old, (phrases, terms) = decode(raw[0]), json.loads(raw[1])
        gone = [(t, key) for t in terms if t not in keep]
        self.db.executemany("DELETE FROM place WHERE project = ? AND key = ?", [(p, key) for p in projects(old)])
        self.db.executemany("DELETE FROM seen WHERE oid = ? AND key = ?", [(o.oid, key) for o in old.observations if o.oid])
        self.db.executemany("DELETE FROM phrase WHERE norm = ? AND key = ?", [(p, key) for p in phrases])
        self.db.executemany("DELETE FROM posting WHERE term = ? AND key = ?", gone)
        self.db.executemany("UPDATE term SET df = df - 1 WHERE term = ?", [(t,) for t, _ in gone])

    def delete(self, key: int) -> None:
        """Forget an entry."""
        self._unlink(key, None, set())
        self.db.execute("DELETE FROM entry WHERE key = ?", (key,))

    def clear(self) -> None:
        """Forget every entry."""
        for table in _DERIVED:
            self.db.execute(f"DELETE FROM {table}")

    def mark_twins(self) -> list[str]:
        """Mark entries that share an id, and return those ids."""
        twins = "SELECT id FROM entry WHERE id <> '' GROUP BY id HAVING COUNT(*) > 1"
        self.db.execute(f"UPDATE entry SET twin = 0 WHERE twin = 1 AND id NOT IN ({twins})")
        self.db.execute(f"UPDATE entry SET twin = 1 WHERE id IN ({twins})")
        return [row[0] for row in self.db.execute(twins)]

    def resize(self, key: int, ord_: int, sha: bytes, size: int) -> None:
        """Set where and how large an entry is."""
        self.db.execute("UPDATE entry SET ord = ?, sha = ?, size = ? WHERE key = ?", (ord_, sha, size, key))

    def reorder(self, orders: Iterable[tuple[int, int]]) -> None:
        """Set the place of entries: pairs of order and key."""
        self.db.executemany("UPDATE entry SET ord = ? WHERE key = ?", orders)


def _columns(fresh: Fresh, found: str) -> tuple[Any, ...]:
    rule, decision = fresh.rule or Rule("", ""), fresh.decision
    due = bool(decision and not fresh.problems and escalate.is_due(rule, decision))
    everywhere = bool(decision and decision.kind == escalate.GLOBAL)
    return (
        fresh.ord, fresh.sha, fresh.size, rule.id, encode(rule), json.dumps(fresh.problems),
        int(bool(rule.id) and not rule.retired), int(everywhere), int(due), int(bool(rule.written_to)),
        occasions(rule), rule.severity, rule.last_reinforced, found,
    )


def _row(raw: tuple[Any, ...]) -> Row:
    return Row(decode(raw[0]), tuple(json.loads(raw[1])), bool(raw[2]))


def _connect(path: str) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=2.0, isolation_level=None)
    connection.execute("PRAGMA synchronous=NORMAL")
    return connection

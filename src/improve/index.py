"""A derived copy of rules.yaml in SQLite, so that a command reads only the rules it needs.

Never the truth: it answers for exactly one sha256 of rules.yaml and is brought up to date, entry by entry, when the
file is another one. Any doubt (damage, other version, other settings) and it is thrown away. Its writes need
no rollback journal on the disk: a write that did not end leaves a broken seal.
"""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from improve import __version__, locks, rank, seal
from improve.errors import ImproveError
from improve.lookup import Lookup, Row, decode, encode, storable
from improve.rule import Rule, occasions, places

if TYPE_CHECKING:
    from improve import escalate

__all__ = ["Fresh", "Index", "Row", "Unusable", "decode", "encode"]

LAYOUT = "10"
_SCHEMA = """
CREATE TABLE meta(name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE entry(
  key INTEGER PRIMARY KEY, ord INTEGER, sha BLOB, size INTEGER, id TEXT, rule TEXT, problems TEXT,
  active INTEGER, global INTEGER, due INTEGER, written INTEGER, count INTEGER, rank REAL, severity INTEGER,
  last TEXT, found TEXT, recurring INTEGER, guarded INTEGER, twin INTEGER DEFAULT 0);
CREATE INDEX entry_id ON entry(id);
CREATE INDEX entry_ord ON entry(ord, size);
CREATE INDEX entry_due ON entry(due) WHERE due = 1;
CREATE INDEX entry_rank ON entry(
  active, recurring DESC, written DESC, rank DESC, severity DESC, last DESC, id, global);
CREATE INDEX entry_guarded ON entry(guarded) WHERE guarded = 1;
CREATE INDEX entry_problem ON entry(key) WHERE problems <> '[]' OR twin = 1;
CREATE TABLE place(project TEXT, key INTEGER, PRIMARY KEY(project, key)) WITHOUT ROWID;
CREATE TABLE seen(oid TEXT, key INTEGER, PRIMARY KEY(oid, key)) WITHOUT ROWID;
CREATE TABLE phrase(norm TEXT, key INTEGER, PRIMARY KEY(norm, key)) WITHOUT ROWID;
CREATE TABLE posting(term TEXT, key INTEGER, weight REAL, PRIMARY KEY(term, key)) WITHOUT ROWID;
CREATE TABLE term(term TEXT PRIMARY KEY, df INTEGER) WITHOUT ROWID;
"""
_DERIVED = ("place", "seen", "phrase", "posting", "term", "entry")
_COLUMNS = (
    *("ord", "sha", "size", "id", "rule", "problems", "active", "global", "due", "written"),
    *("count", "rank", "severity", "last", "recurring", "guarded", "found"),
)
_INSERT = f"INSERT INTO entry(key,{','.join(_COLUMNS)}) VALUES(?{',?' * len(_COLUMNS)})"
_UPDATE = f"UPDATE entry SET {','.join(f'{column} = ?' for column in _COLUMNS)} WHERE key = ?"


class Unusable(Exception):
    """The index cannot be written now, or was damaged; do without it."""


class Fresh(NamedTuple):
    """An entry to put into the index: its place, its bytes' hash and what was read."""

    ord: int
    sha: bytes
    size: int
    rule: Rule | None
    problems: tuple[str, ...]
    decision: escalate.Decision | None
    phrases: tuple[str, ...] = ()
    """Normalized wordings it is found by."""
    terms: tuple[tuple[str, float], ...] = ()
    """Terms it is found by, with their weights."""
    id: str = ""
    """The id, when there is no usable rule to take it from."""


class Index(Lookup):
    """An open index; its `sha` says for which bytes of rules.yaml it answers."""

    def __init__(
        self, connection: sqlite3.Connection, path: str = "", made_for: str = "", half_life: int = rank.HALF_LIFE
    ) -> None:
        super().__init__(connection)
        self.path = path
        self._made_for = made_for
        self._half_life = half_life
        self._guard = contextlib.ExitStack()

    @classmethod
    def open(cls, directory: str, settings: str, half_life: int = rank.HALF_LIFE) -> Index:
        """Open the index in *directory*, new when it is damaged, of another version or made for other settings."""
        path = os.path.join(directory, "index.sqlite")
        made_for = f"{LAYOUT} {__version__} {sqlite3.sqlite_version} {half_life} {settings}"
        try:
            if seal.intact(path, made_for):
                return cls(_connect(path), path, made_for, half_life)
            with _writer(path):
                if not seal.intact(path, made_for):
                    _create(path)
                    seal.put(path, made_for)
                return cls(_connect(path), path, made_for, half_life)
        except (OSError, ImproveError, sqlite3.Error):
            return cls.in_memory(half_life)

    @classmethod
    def in_memory(cls, half_life: int = rank.HALF_LIFE) -> Index:
        """Make an index that no other command sees."""
        connection = _connect(":memory:")
        _make_tables(connection)
        return cls(connection, half_life=half_life)

    def close(self) -> None:
        """Close the database; what was not committed is forgotten."""
        self.db.close()
        self._guard.close()

    def begin(self) -> None:
        """Start writing; nobody else writes until `end`.

        Raises:
            Unusable: somebody else does, or the index is not what it was.
        """
        try:
            if self.path:
                self._guard.enter_context(_writer(self.path))
            if self.path and not seal.intact(self.path, self._made_for):
                raise Unusable
            self.db.execute("BEGIN IMMEDIATE")
        except (ImproveError, OSError, sqlite3.Error) as exc:
            self._guard.close()
            raise Unusable from exc
        except BaseException:
            self._guard.close()
            raise

    def mark(self) -> None:
        """Set the point `end` goes back to when what follows is not to be kept."""
        self.db.execute("SAVEPOINT mark")

    def end(self, *, back_to_mark: bool = False) -> None:
        """Make what was written visible at once, or only what was written before the mark."""
        try:
            if back_to_mark:
                self.db.execute("ROLLBACK TO mark")
            self.db.execute("COMMIT")
            self._reseal()
        finally:
            self._guard.close()

    @contextlib.contextmanager
    def writing(self) -> Iterator[None]:
        """Make all changes inside visible at once or not at all."""
        self.begin()
        try:
            yield
        except BaseException:
            with contextlib.suppress(sqlite3.Error, OSError):
                self.db.execute("ROLLBACK")
                self._reseal()
            self._guard.close()
            raise
        self.end()

    def _reseal(self) -> None:
        if self.path:
            seal.put(self.path, self._made_for)

    def set_meta(self, name: str, value: str) -> None:
        """Remember a text."""
        self.db.execute("INSERT OR REPLACE INTO meta VALUES(?, ?)", (name, value))

    def insert(self, several: Sequence[Fresh]) -> list[int]:
        """Add entries and what they can be found by; returns their keys."""
        first = self._number("SELECT COALESCE(MAX(key), 0) + 1 FROM entry")
        keyed = list(enumerate(several, first))
        self.db.executemany(_INSERT, [(key, *_columns(fresh, self._half_life)) for key, fresh in keyed])
        self._link(keyed)
        self._link_words(keyed)
        return [key for key, _ in keyed]

    def update(self, key: int, fresh: Fresh, *, same_words: bool = False) -> None:
        """Replace what is known of an entry; `ord`, `size` and `sha` too, its words only when they changed."""
        columns = _columns(fresh, self._half_life)
        if same_words:
            found = self.db.execute("SELECT found FROM entry WHERE key = ?", (key,)).fetchone()[0]
            columns = (*columns[:-1], found)
        same = self._unlink(key, keep=columns[-1])
        self.db.execute(_UPDATE, (*columns, key))
        self._link([(key, fresh)])
        if not same:
            self._link_words([(key, fresh)])

    def _link(self, keyed: list[tuple[int, Fresh]]) -> None:
        at = [(storable(p), key) for key, fresh in keyed if fresh.rule for p in places(fresh.rule)]
        oids = [(storable(o.oid), k) for k, f in keyed if f.rule for o in f.rule.observations if o.oid]
        self.db.executemany("INSERT OR IGNORE INTO place VALUES(?,?)", sorted(at))
        self.db.executemany("INSERT OR IGNORE INTO seen VALUES(?,?)", sorted(oids))

    def _link_words(self, keyed: list[tuple[int, Fresh]]) -> None:
        phrases = [(storable(phrase), key) for key, fresh in keyed for phrase in fresh.phrases]
        postings = sorted((storable(t), key, w) for key, fresh in keyed for t, w in fresh.terms)
        counts: dict[str, int] = {}
        for term, _, _ in postings:
            counts[term] = counts.get(term, 0) + 1
        self.db.executemany("INSERT OR IGNORE INTO phrase VALUES(?,?)", sorted(phrases))
        self.db.executemany("INSERT INTO posting VALUES(?,?,?)", postings)
        counted = "INSERT INTO term VALUES(?,?) ON CONFLICT(term) DO UPDATE SET df = df + excluded.df"
        self.db.executemany(counted, counts.items())

    def _unlink(self, key: int, keep: str = "") -> bool:
        """Forget what an entry is found by; says whether its words stay because they are the same."""
        raw = self.db.execute("SELECT rule, found FROM entry WHERE key = ?", (key,)).fetchone()
        old = decode(raw[0])
        at = [(storable(p), key) for p in places(old)]
        oids = [(storable(o.oid), key) for o in old.observations if o.oid]
        self.db.executemany("DELETE FROM place WHERE project = ? AND key = ?", at)
        self.db.executemany("DELETE FROM seen WHERE oid = ? AND key = ?", oids)
        if raw[1] == keep:
            return True
        phrases, terms = json.loads(raw[1])
        self.db.executemany("DELETE FROM phrase WHERE norm = ? AND key = ?", [(storable(p), key) for p in phrases])
        names = [storable(term) for term, _ in terms]
        self.db.executemany("DELETE FROM posting WHERE term = ? AND key = ?", [(name, key) for name in names])
        self.db.executemany("UPDATE term SET df = df - 1 WHERE term = ?", [(name,) for name in names])
        return False

    def delete(self, key: int) -> None:
        """Forget an entry."""
        self._unlink(key)
        self.db.execute("DELETE FROM entry WHERE key = ?", (key,))

    def clear(self) -> None:
        """Forget every entry."""
        for table in _DERIVED:
            self.db.execute(f"DELETE FROM {table}")

    def mark_twins(self) -> list[str]:
        """Mark entries that share an id, and return those ids."""
        twins = [
            row[0] for row in self.db.execute("SELECT id FROM entry WHERE id <> '' GROUP BY id HAVING COUNT(*) > 1")
        ]
        self.db.execute("UPDATE entry SET twin = 0 WHERE twin = 1")
        self.db.executemany("UPDATE entry SET twin = 1 WHERE id = ?", [(twin,) for twin in twins])
        return twins

    def resize(self, key: int, sha: bytes, size: int) -> None:
        """Set how large an entry is."""
        self.db.execute("UPDATE entry SET sha = ?, size = ? WHERE key = ?", (sha, size, key))

    def reorder(self, orders: Iterable[tuple[int, int]]) -> None:
        """Set the place of entries: pairs of order and key."""
        self.db.executemany("UPDATE entry SET ord = ? WHERE key = ?", orders)


def _columns(fresh: Fresh, half_life: int) -> tuple[Any, ...]:
    from improve import escalate  # the start of a session reads only

    rule, decision = fresh.rule or Rule(fresh.id, ""), fresh.decision
    due = bool(decision and not fresh.problems and escalate.is_due(rule, decision))
    return (
        fresh.ord,
        fresh.sha,
        fresh.size,
        storable(rule.id),
        encode(rule),
        json.dumps(fresh.problems),
        int(fresh.rule is not None and not rule.retired),
        int(decision is not None and (decision.kind == escalate.GLOBAL or _stands_everywhere(rule))),
        int(due),
        int(bool(rule.written_to)),
        occasions(rule),
        rank.rank(rule, half_life),
        rule.severity,
        storable(rule.last_reinforced),
        int(bool(rule.written_to) and rule.verdict is not None and rule.verdict.state == "recurring"),
        int(bool(rule.guard and rule.check and not rule.retired and not fresh.problems)),
        json.dumps([fresh.phrases, fresh.terms]),
    )


def _stands_everywhere(rule: Rule) -> bool:
    """Say whether the global file has the rule, whatever the tree would say of it."""
    from improve import escalate

    return any(escalate.target_of(rule, written) == escalate.NOBODY for written in rule.written_to)


def _writer(path: str) -> contextlib.AbstractContextManager[None]:
    return locks.lock(path, directory=os.path.dirname(path), timeout=2.0)


def _create(path: str) -> None:
    for suffix in ("", ".seal", "-wal", "-shm", "-journal"):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path + suffix)
    connection = _connect(path)
    _make_tables(connection)
    connection.close()


def _make_tables(connection: sqlite3.Connection) -> None:
    connection.execute("BEGIN IMMEDIATE")
    for statement in _SCHEMA.split(";"):
        connection.execute(statement)
    connection.execute("COMMIT")


def _connect(path: str) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=0.5, isolation_level=None)
    connection.execute("PRAGMA journal_mode=MEMORY")
    connection.execute("PRAGMA synchronous=NORMAL")
    return connection

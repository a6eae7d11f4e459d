"""The ledger: what was asked and done in each session, kept so that rules can be judged after the transcript is gone.

Derived from transcripts, without credentials, in the state directory: a lost ledger costs one more reading of what the
hosts still keep, and with it only what the hosts have deleted too. One row a session and transcript, its bulk as one
compressed blob; a session that lies in two files is told once. Rows and how far each transcript was read are committed
together, so a kill loses what was not committed and repeats nothing.
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from improve.deed import Deed, Entry, Loaded, joined
from improve.errors import Busy, EnvironmentFailure

if TYPE_CHECKING:
    import sqlite3

__all__ = ["Damaged", "Deed", "Entry", "Ledger", "Loaded", "Part", "put_aside", "trouble"]

FILE = "ledger.db"
_APPLICATION, _VERSION = 0x696D7276, 1
_PATIENCE = 5.0
"""Seconds to wait for another process that is just committing."""
_LEVEL = 3
_TABLES = """
CREATE TABLE part (
    number INTEGER PRIMARY KEY, host TEXT NOT NULL, name TEXT NOT NULL, session TEXT NOT NULL, path BLOB NOT NULL,
    project TEXT NOT NULL, cwd TEXT NOT NULL, started TEXT NOT NULL, ended TEXT NOT NULL, headless INTEGER NOT NULL,
    parent TEXT NOT NULL, messages INTEGER NOT NULL, deeds INTEGER NOT NULL, cut INTEGER NOT NULL,
    opening TEXT NOT NULL, body BLOB NOT NULL, UNIQUE (host, name, path));
CREATE INDEX opened ON part (host, opening) WHERE opening != '';
CREATE TABLE text (digest TEXT PRIMARY KEY, data BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE cursor (path BLOB PRIMARY KEY, stamp TEXT NOT NULL, begin INTEGER NOT NULL) WITHOUT ROWID;
"""
_COLUMNS = (
    "host, name, session, path, project, cwd, started, ended, headless, parent, messages, deeds, cut, opening, body"
)


class Part(NamedTuple):
    """What one transcript tells of one session, as it is kept."""

    entry: Entry
    name: str
    """What the session is known by: its id, or what stands in for one."""
    opening: str = ""
    """Names its first message and moment, by which the copy of a session under another id is known."""
    pending: tuple[tuple[str, int], ...] = ()
    """Calls of which no result was seen yet: the host's id of the call, and which deed it is."""


class Ledger:
    """An open ledger. Raises `EnvironmentFailure` where it cannot be opened or written."""

    def __init__(self, path: str, connection: sqlite3.Connection) -> None:
        self.path, self._connection = path, connection

    @classmethod
    def open(cls, directory: str) -> Ledger:
        """Open the ledger of a state directory; a damaged one is put aside and begun anew.

        Raises:
            EnvironmentFailure: it cannot be opened, or a later version wrote it.
        """
        from improve.files import private_directory

        path = os.path.join(private_directory(directory), FILE)
        for _ in range(2):
            connection = _connected(path)
            try:
                if _is_ours(connection, path):
                    return cls(path, connection)
            except BaseException:
                connection.close()
                raise
            connection.close()
            put_aside(path)
        raise EnvironmentFailure(f"{path} cannot be begun anew; nothing was written. Move it away")

    @classmethod
    def empty(cls) -> Ledger:
        """Give a ledger that holds nothing and has no file."""
        connection = _connected(":memory:")
        _is_ours(connection, ":memory:")
        return cls("", connection)

    def close(self) -> None:
        """Let go of the file; what was not committed is forgotten."""
        self._connection.close()

    def entries(self, *, since: str = "") -> Iterator[Entry]:
        """Yield the sessions that ended since a moment, oldest first; empty means all."""
        query = (
            "SELECT max(ended) AS latest, group_concat(number) FROM part GROUP BY host, name "
            "HAVING latest >= ? ORDER BY latest, max(number)"
        )
        # a query at a time, so that whoever reads slowly keeps nobody from writing
        for _, numbers in self._ask(query, since).fetchall():
            found = [part.entry for number in numbers.split(",") if (part := self._numbered(int(number)))]
            if found:
                yield joined(found)

    def count(self) -> int:
        """Count the sessions."""
        found = self._ask("SELECT count(*) FROM (SELECT 1 FROM part GROUP BY host, name)").fetchone()
        return int(found[0])

    def text(self, digest: str) -> bytes:
        """Give what an instruction file said; empty when it is not known."""
        found = self._ask("SELECT data FROM text WHERE digest = ?", digest).fetchone() if digest else None
        try:
            return zlib.decompress(found[0]) if found else b""
        except zlib.error:
            return b""

    def cursors(self) -> dict[str, tuple[str, int]]:
        """Tell by path how each transcript looked when it was read, and where the next reading of it begins."""
        rows = self._ask("SELECT path, stamp, begin FROM cursor")
        return {os.fsdecode(path): (stamp, begin) for path, stamp, begin in rows}

    def part(self, host: str, name: str, path: str) -> Part | None:
        """Give what a transcript told of a session the last time."""
        query = "SELECT number FROM part WHERE host = ? AND name = ? AND path = ?"
        found = self._ask(query, host, name, os.fsencode(path)).fetchone()
        return self._numbered(found[0]) if found else None

    def opened_alike(self, part: Part) -> Iterator[Entry]:
        """Give the other sessions of the host that begin with the same message at the same moment."""
        if part.opening:
            query = "SELECT number FROM part WHERE host = ? AND opening = ? AND opening != '' AND name != ?"
            for (number,) in self._ask(query, part.entry.host, part.opening, part.name).fetchall():
                if other := self._numbered(number):
                    yield other.entry

    def keep(self, part: Part) -> None:
        """Put in what a transcript tells of a session, in the place of what it told before."""
        self._begin()
        marks = ", ".join("?" * len(_COLUMNS.split(",")))
        self._ask(f"INSERT OR REPLACE INTO part ({_COLUMNS}) VALUES ({marks})", *_row(part))

    def keep_text(self, data: bytes) -> str:
        """Keep what an instruction file says, once; give what names it."""
        if not data:
            return ""
        from hashlib import sha256

        self._begin()
        digest = sha256(data).hexdigest()[:32]
        if not self._ask("SELECT 1 FROM text WHERE digest = ?", digest).fetchone():
            self._ask("INSERT INTO text VALUES (?, ?)", digest, zlib.compress(data, _LEVEL))
        return digest

    def move(self, path: str, stamp: str, begin: int) -> None:
        """Say how far a transcript was read."""
        self._begin()
        self._ask("INSERT OR REPLACE INTO cursor VALUES (?, ?, ?)", os.fsencode(path), stamp, begin)

    def commit(self) -> None:
        """Make all that was put in since the last time last, or none of it."""
        if self._connection.in_transaction:
            self._ask("COMMIT")

    @contextmanager
    def attempt(self) -> Iterator[None]:
        """Take back what was put in inside the block when it fails, and nothing that was put in before."""
        self._begin()
        self._ask("SAVEPOINT attempt")
        try:
            yield
        except BaseException:
            if self._connection.in_transaction:  # else all of it was taken back
                self._ask("ROLLBACK TO attempt")
                self._ask("RELEASE attempt")
            raise
        self._ask("RELEASE attempt")

    def _begin(self) -> None:
        if not self._connection.in_transaction:
            self._ask("BEGIN IMMEDIATE")

    def _ask(self, query: str, *values: object) -> sqlite3.Cursor:
        import sqlite3

        try:
            return self._connection.execute(query, values)
        except sqlite3.Error as error:
            if self._connection.in_transaction:
                with suppress(sqlite3.Error):
                    self._connection.execute("ROLLBACK")
            raise _explained(self.path, error) from error

    def _numbered(self, number: int) -> Part | None:
        """Give one row; None for one that cannot be read, which costs that session and no other."""
        found = self._ask(f"SELECT {_COLUMNS} FROM part WHERE number = ?", number).fetchone()
        try:
            return _part(found) if found else None
        except (zlib.error, ValueError, TypeError, KeyError, IndexError):
            return None


class Damaged(EnvironmentFailure):
    """The ledger cannot be read any more; the next one to write puts it aside and begins anew."""


def _explained(path: str, error: sqlite3.Error) -> EnvironmentFailure | Busy:
    import sqlite3

    said = str(error).partition("\n")[0]
    if not isinstance(error, sqlite3.OperationalError) and isinstance(error, sqlite3.DatabaseError):
        return Damaged(f"{path} is damaged ({said}); no past sessions were read. Move it away, then run this again")
    if "locked" in said:
        return Busy(f"{path} is in use by another process; nothing was written to it. Run it again")
    return EnvironmentFailure(
        f"{path} cannot be used: {said}; nothing was written to it. Free some space, or move it away"
    )


def _connected(path: str) -> sqlite3.Connection:
    import sqlite3

    from improve.files import create_exclusive

    if path != ":memory:" and not os.path.lexists(path):
        with suppress(FileExistsError):  # another process was quicker
            create_exclusive(os.path.dirname(path), os.path.basename(path), b"")  # so that nobody else may read it
    try:
        # one thread at a time uses it, not always the one that opened it
        return sqlite3.connect(path, timeout=_PATIENCE, isolation_level=None, check_same_thread=False)
    except sqlite3.Error as error:
        raise _explained(path, error) from error


def _is_ours(connection: sqlite3.Connection, path: str) -> bool:
    """Tell whether it is a ledger of this version; an empty file becomes one."""
    import sqlite3

    try:
        connection.execute("PRAGMA trusted_schema=OFF")
        connection.execute("PRAGMA cache_spill=OFF")  # else a long reading would lock out whoever reads the ledger
        application = connection.execute("PRAGMA application_id").fetchone()[0]
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if application == _APPLICATION and version > _VERSION:
            raise EnvironmentFailure(f"{path} was written by a later version; nothing was written. Update improve")
        if not tables and not application:
            set_up = f"PRAGMA application_id={_APPLICATION}; PRAGMA user_version={_VERSION};"
            connection.executescript(f"BEGIN IMMEDIATE; {_TABLES} {set_up} COMMIT;")
            return True
        return application == _APPLICATION and version == _VERSION and {"part", "text", "cursor"} <= tables
    except sqlite3.OperationalError as error:
        if "already exists" in str(error):  # another process set it up meanwhile
            return _is_ours(connection, path)
        raise _explained(path, error) from error
    except sqlite3.DatabaseError:
        return False


def trouble(path: str) -> str:
    """Say what is wrong with the file of a ledger, which is not changed; empty when it is well, or is not there."""
    import sqlite3
    from urllib.parse import quote

    if not os.path.exists(path):
        return ""
    try:
        connection = sqlite3.connect(f"file:{quote(os.fsencode(path))}?mode=ro", uri=True, timeout=_PATIENCE)
        try:
            found = str(connection.execute("PRAGMA quick_check(1)").fetchone()[0])
        finally:
            connection.close()
    except sqlite3.OperationalError as error:
        return "" if "locked" in str(error) else str(error)
    except sqlite3.DatabaseError as error:
        return str(error)
    return "" if found == "ok" else " ".join(found.split())


def put_aside(path: str) -> str:
    """Move what is no ledger out of the way, under a name that is free; give that name."""
    number = 1
    while os.path.lexists(f"{path}.aside-{number}"):
        number += 1
    try:
        for end in ("", "-journal"):
            with suppress(FileNotFoundError):
                os.rename(path + end, f"{path}.aside-{number}{end}")
    except OSError as error:
        raise EnvironmentFailure(f"{path} is damaged and cannot be moved: {error.strerror}. Move it away") from error
    return f"{path}.aside-{number}"


def _row(part: Part) -> tuple[object, ...]:
    e = part.entry
    body = {"asked": e.asked, "deeds": e.deeds, "loaded": e.loaded, "pending": part.pending}
    packed = json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
    told = (e.host, part.name, e.session, os.fsencode(e.path), e.project, e.cwd, e.started, e.ended, e.headless)
    counts = (e.parent, e.messages, len(e.deeds), e.cut, part.opening)
    return (*map(_storable, (*told, *counts)), zlib.compress(packed, _LEVEL))


def _storable(value: object) -> object:
    """Give text that SQLite takes: halves of surrogate pairs become `?`."""
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) and not value.isascii() else value


def _part(row: tuple[Any, ...]) -> Part:
    host, name, session, path, project, cwd, started, ended, headless, parent, messages, _, cut, opening, packed = row
    body = json.loads(zlib.decompress(packed).decode("utf-8", "surrogatepass"))
    asked = tuple((at, words) for at, words in body["asked"])
    loaded = tuple(map(Loaded._make, body["loaded"]))
    entry = Entry(
        host, session, os.fsdecode(path), project, cwd, started, ended, bool(headless), parent, messages,
        asked, tuple(map(Deed._make, body["deeds"])), loaded, cut,
    )  # fmt: skip
    return Part(entry, name, opening, tuple((id, at) for id, at in body["pending"]))

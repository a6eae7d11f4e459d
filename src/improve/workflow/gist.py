"""What each past session was about, kept among the derived data: reading all words of years takes longest of all.

One row a session, good for one length of it and one version of improve. A lost or damaged file costs one more reading.
"""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
import zlib
from typing import TYPE_CHECKING, Any

from improve import __version__, exposure, files
from improve.errors import ImproveError
from improve.exposure import Terms

if TYPE_CHECKING:
    from improve.deed import Entry
    from improve.workflow.here import Here

FILE = "gist.sqlite"
_LAYOUT = 1
_SETS = ("said", "done", "programs", "worlds")
_TABLE = "CREATE TABLE IF NOT EXISTS gist(host TEXT, session TEXT, stamp TEXT, body BLOB, PRIMARY KEY(host, session))"
_BATCH = 500


class Gist:
    """An open file of them; without one that can be used every session is read."""

    def __init__(self, here: Here, *, texts: bool) -> None:
        """Open it.

        Args:
            texts: What was written is asked about, too; it is long, so it is taken from the session each time.
        """
        self.texts, self._reader = texts, _reader()
        self._fresh: list[tuple[str, str, str, bytes]] = []
        self._db: sqlite3.Connection | None = None
        if here.off():
            return
        try:
            path = os.path.join(files.private_directory(here.home.cache), FILE)
            self._db = sqlite3.connect(path, timeout=0.2, isolation_level=None)
            self._db.execute(_TABLE)
        except (ImproveError, OSError, sqlite3.Error):
            self._forget()

    def terms(self, entry: Entry) -> Terms:
        """Say what a session was about."""
        stamp = f"{self._reader} {entry.ended} {len(entry.deeds)} {len(entry.asked)} {entry.messages}"
        known = self._known(entry, stamp)
        if known is not None:
            return known._replace(text=exposure.written(entry).lower()) if self.texts else known
        found = exposure.terms(entry)
        if self._db is not None and entry.session:
            self._fresh.append((entry.host, entry.session, stamp, _packed(found)))
            if len(self._fresh) >= _BATCH:
                self.keep()
        return found

    def _known(self, entry: Entry, stamp: str) -> Terms | None:
        if self._db is None:
            return None
        query = "SELECT body FROM gist WHERE host = ? AND session = ? AND stamp = ?"
        try:
            row = self._db.execute(query, (entry.host, entry.session, stamp)).fetchone()
            return _unpacked(row[0]) if row else None
        except (sqlite3.Error, zlib.error, ValueError, TypeError, KeyError):
            return None

    def keep(self) -> None:
        """Write what was read; a file that cannot be written now is written the next time."""
        if self._db is not None and self._fresh:
            with contextlib.suppress(sqlite3.Error, UnicodeError):
                self._db.execute("BEGIN IMMEDIATE")
                self._db.executemany("INSERT OR REPLACE INTO gist VALUES(?, ?, ?, ?)", self._fresh)
                self._db.execute("COMMIT")
            if self._db.in_transaction:
                with contextlib.suppress(sqlite3.Error):
                    self._db.execute("ROLLBACK")
        self._fresh = []

    def close(self) -> None:
        """Write the rest and let go of the file."""
        self.keep()
        self._forget()

    def _forget(self) -> None:
        if self._db is not None:
            self._db.close()
        self._db = None


def _reader() -> str:
    """Name the code that reads sessions: what an older one said is of no use."""
    folder = os.path.dirname(exposure.__file__)
    sources = (exposure.__file__, *(os.path.join(folder, "lexicon", f"{name}.py") for name in ("actions", "built")))
    looks = []
    for path in sources:
        with contextlib.suppress(OSError):
            seen = os.stat(path)
            looks.append(f"{seen.st_size}.{seen.st_mtime_ns}")
    return " ".join((str(_LAYOUT), __version__, *looks))


def _packed(found: Terms) -> bytes:
    told: dict[str, Any] = {name: sorted(getattr(found, name)) for name in _SETS}
    told |= {"paths": found.paths, "answered": found.answered, "edited": found.edited}
    return zlib.compress(json.dumps(told, separators=(",", ":")).encode(), 1)


def _unpacked(body: bytes) -> Terms:
    told = json.loads(zlib.decompress(body))
    sets = {name: frozenset(told[name]) for name in _SETS}
    return Terms(**sets, paths=tuple(told["paths"]), text="", answered=told["answered"], edited=told["edited"])

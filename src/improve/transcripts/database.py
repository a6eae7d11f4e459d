"""Databases of hosts, read without a trace: nothing is locked against the host, changed, or left beside the file.

SQLite makes `-shm` and `-wal` files beside a database even when it only reads it (https://sqlite.org/wal.html), so how
one is opened depends on what is there:

- both are there: the host is running or was killed; SQLite reads along with it, as it is made to;
- no `-wal`, or an empty one without `-shm`: all is in the file, which is read as it stands;
- a `-wal` that holds something, and no `-shm` or one that cannot be used: a copy is read.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from improve.transcripts.base import Unreadable

if TYPE_CHECKING:
    import sqlite3

MAGIC = b"SQLite format 3\x00"
WHOLE = 1 << 20
"""Characters; a value of a row that is longer is read in part."""
_PATIENCE = 2.0
"""Seconds to wait where the host is just writing its index."""


class Database:
    """An open database; closed when nobody reads from it any more."""

    def __init__(self, connection: sqlite3.Connection, copy: str = "") -> None:
        import weakref

        self._connection = connection
        connection.text_factory = _text
        weakref.finalize(self, _close, connection, copy)

    def columns(self, table: str) -> frozenset[str]:
        """Name the columns of a table; none when there is no such table."""
        return frozenset(str(row[1]) for row in self.rows(f'PRAGMA table_info("{table}")'))

    def rows(self, query: str, *values: object) -> Iterator[tuple[Any, ...]]:
        """Give the rows of a query one by one.

        Raises:
            Unreadable: the database is broken there.
        """
        import sqlite3

        try:
            yield from self._connection.execute(query, values)
        except (sqlite3.Error, OverflowError, UnicodeError) as error:  # the last where a broken name is complained of
            raise _broken(error) from error


def opened(path: str) -> Database:
    """Open a database to read from.

    Raises:
        OSError: it cannot be opened.
        Unreadable: it is no database.
    """
    with open(path, "rb") as stream:
        if stream.read(len(MAGIC)) != MAGIC:
            raise Unreadable("it is no SQLite database")
    log, index = _size(f"{path}-wal"), _size(f"{path}-shm")
    if log is None or (not log and index is None):
        return Database(_connected(path, "immutable=1"))
    if index is not None:
        try:
            return Database(_connected(path, "mode=ro"))
        except OSError:  # an index of somebody else: not to be used without the right to write
            pass
    return _copied(path)


def is_database(path: str) -> bool:
    """Tell a database from a file of another kind by how it begins.

    Raises:
        OSError: it cannot be opened.
    """
    with open(path, "rb") as stream:
        return stream.read(len(MAGIC)) == MAGIC


def fits(path: str, test: Callable[[Database], bool]) -> bool:
    """Tell whether a database is one that a reader knows; one that cannot be opened is none."""
    try:
        return test(opened(path))
    except (OSError, Unreadable):
        return False


def sides(path: str) -> tuple[str, ...]:
    """Name the files beside a database whose change is a change of the database."""
    return (f"{path}-wal",)


def _size(path: str) -> int | None:
    try:
        return os.stat(path).st_size
    except OSError:
        return None


def _connected(path: str, how: str) -> sqlite3.Connection:
    import sqlite3
    from urllib.parse import quote

    name = quote(os.fsencode(os.path.abspath(path)))
    try:
        connection = sqlite3.connect(f"file:{name}?{how}", uri=True, timeout=_PATIENCE, check_same_thread=False)
    except sqlite3.Error as error:
        raise OSError(errno.EIO, f"SQLite says: {error}", path) from error
    try:
        connection.execute("PRAGMA trusted_schema=OFF")
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.OperationalError as error:
        connection.close()
        raise OSError(errno.EIO, f"SQLite says: {error}", path) from error
    except (sqlite3.Error, UnicodeError) as error:
        connection.close()
        raise _broken(error) from error
    return connection


def _copied(path: str) -> Database:
    import shutil
    import tempfile

    place = tempfile.mkdtemp(prefix="improve-")
    copy = os.path.join(place, "copy.db")
    try:
        shutil.copyfile(path, copy)
        shutil.copyfile(f"{path}-wal", f"{copy}-wal")
        return Database(_connected(copy, "mode=ro"), place)
    except BaseException:
        shutil.rmtree(place, ignore_errors=True)
        raise


def _broken(error: Exception) -> Unreadable:
    """Say what SQLite says, in a line: it can quote whole definitions of tables."""
    return Unreadable(f"its database cannot be read: {str(error).partition(chr(10))[0]}")


def _close(connection: sqlite3.Connection, copy: str) -> None:
    connection.close()
    if copy:
        import shutil

        shutil.rmtree(copy, ignore_errors=True)


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")

"""How far each transcript was read: derived data, for which a lost file costs one more reading and nothing else.

One line a transcript: its stamp when it was read, where the next reading begins, the oldest moment that was asked
for, its path.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import NamedTuple

from improve import files

FILE = "cursors"
_FIRST = b"improve cursors 2"
_CAP = 1 << 28


class Cursor(NamedTuple):
    """How far one transcript was read."""

    stamp: str
    """Size and time of the file, or of all files that hold it; unchanged means there is nothing new."""
    begin: int
    """Bytes: where the next reading begins, early enough to know what the agent did before the next words."""
    since: str
    """Nothing older than this moment was asked for; empty for all of it."""


def stamp(path: str, beside: Iterable[str] = ()) -> str:
    """Give what changes whenever a transcript, or what is beside it, does.

    Raises:
        OSError: it cannot be looked at.
    """
    status = os.stat(path)
    found = f"{status.st_size}:{status.st_mtime_ns}:{status.st_ino}"
    for part in beside:
        try:
            status = os.stat(part)
        except OSError:
            continue
        found += f"+{status.st_size}:{status.st_mtime_ns}"
    return found


def size(stamped: str) -> int:
    """Give the bytes of a file by its stamp."""
    return int(stamped.partition(":")[0])


def written(stamped: str) -> datetime:
    """Tell when a file was last written to, by its stamp."""
    return datetime.fromtimestamp(int(stamped.split(":")[1]) / 1e9, UTC)


def same_file(one: str, other: str) -> bool:
    """Tell whether a file was only added to between two stamps, as far as its inode and its size tell."""
    return one.split("+")[0].rpartition(":")[2] == other.split("+")[0].rpartition(":")[2] and size(one) <= size(other)


def begins_line(path: str, at: int) -> bool:
    """Tell whether a line begins there; of a file that was written anew in its place, hardly ever one does."""
    if not at:
        return True
    with open(path, "rb") as stream:
        stream.seek(at - 1)
        return stream.read(1) == b"\n"


def load(directory: str) -> dict[str, Cursor]:
    """Read the cursors by path; what cannot be read is none."""
    data = files.read(os.path.join(directory, FILE), cap=_CAP).data
    first, _, rest = data.partition(b"\n")
    if first != _FIRST:
        return {}
    found: dict[str, Cursor] = {}
    for line in os.fsdecode(rest).split("\n"):
        try:
            head, begin, since, path = line.split("\t", 3)
            found[path] = Cursor(head, int(begin), since)
        except ValueError:
            continue
    return found


def save(directory: str, cursors: dict[str, Cursor]) -> None:
    """Write the cursors; a path with a tab or a line end has none and is read each time."""
    lines = [_FIRST, *_encoded(cursors.items())]
    path = os.path.join(files.private_directory(directory), FILE)
    files.replace(files.read(path, cap=_CAP), b"\n".join(lines) + b"\n", mode_if_new=0o600)


def _encoded(cursors: Iterable[tuple[str, Cursor]]) -> Iterable[bytes]:
    for path, at in cursors:
        if "\n" not in path and "\t" not in path:
            yield os.fsencode(f"{at.stamp}\t{at.begin}\t{at.since}\t{path}")

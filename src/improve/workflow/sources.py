"""Which transcripts there are: of every host on this machine, inside known projects, or where a path says."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from improve import cursors, hosts, transcripts
from improve.errors import UsageError
from improve.transcripts.base import below, head_of

if TYPE_CHECKING:
    from improve.transcripts.base import Reader
    from improve.workflow.here import Here

_COPIES = (".jsonl", ".jsonl.zst", ".md")


class Source(NamedTuple):
    """One transcript as it lies there now."""

    host: str
    path: str
    stamp: str

    @property
    def size(self) -> int:
        """Bytes."""
        return cursors.size(self.stamp)

    @property
    def written(self) -> datetime:
        """When it was last written to."""
        return cursors.written(self.stamp)


class Strange(NamedTuple):
    """A file that cannot be read, or that no reader knows."""

    path: str
    why: str


def everywhere(here: Here, names: Iterable[str] = ()) -> Iterator[Source | Strange]:
    """Find the transcripts of all hosts, or of those named; a file is found once, whoever else leads to it."""
    wanted = frozenset(names)
    seen: set[str] = set()
    roots: list[str] | None = None
    for row in transcripts.ROWS:
        if wanted and row.name not in wanted:
            continue
        places = [locate(here.home.user, here.env) for locate in transcripts.places(row.name)]
        if row.inside:
            roots = _roots(here) if roots is None else roots
            places += [os.path.join(root, name) for root in roots for name in row.inside]
        for place in filter(os.path.lexists, places):  # no reader is loaded for a host that never ran here
            yield from _at(transcripts.reader(row.name), place, seen)


def at(paths: Iterable[str], names: Sequence[str] = ()) -> Iterator[Source | Strange]:
    """Find the transcripts at paths, of one host, or of whichever of several or all knows them.

    Raises:
        UsageError: a path is not there.
    """
    seen: set[str] = set()
    for path in paths:
        if not os.path.exists(path):
            raise UsageError(f"{path!r} is not there; nothing was read")
        path = os.path.abspath(path)
        if os.path.isdir(path) or len(names) > 1:
            for name in names or known_hosts():
                mine = ("", name) if len(names) == 1 else (name,)
                yield from _at(transcripts.reader(name), path, seen, mine)
            yield from _renamed(path, names, seen)
        elif names:
            yield from _at(transcripts.reader(names[0]), path, seen)
        else:
            yield _named(path, seen)


def _at(reader: Reader, place: str, seen: set[str], mine: Sequence[str] = ()) -> Iterator[Source | Strange]:
    """Stamp the transcripts at a place.

    Args:
        mine: Take only files that this host knows as its own, or nobody (""), for other hosts' files lie there too.
    """
    host, beside = reader.host, reader.beside
    # of thousands of files: each call here is a millisecond of a scan that finds nothing
    for path in reader.files(place):
        if path in seen or (mine and transcripts.reader_of(path, head_of(path)) not in mine):
            continue
        seen.add(path)
        found: Source | Strange
        try:
            found = Source(host, path, cursors.stamp(path, beside(path)))
        except OSError as exc:
            found = Strange(path, _why(exc))
        yield found


def claimed(name: str, path: str) -> Source | None:
    """Give the transcript at a path, if the reader of a host knows it as its own."""
    reader, path = transcripts.reader(name), os.path.abspath(path)
    found = _stamped(reader, path) if reader.claims(path, head_of(path)) else None
    return found if isinstance(found, Source) else None


def _renamed(place: str, names: Sequence[str], seen: set[str]) -> Iterator[Source | Strange]:
    """Find transcripts that were copied to a place under other names than those their hosts give."""
    for path in below(place, _COPIES):
        if path in seen:
            continue
        host = transcripts.reader_of(path, head_of(path))
        if host and (not names or host in names):
            seen.add(path)
            yield _stamped(transcripts.reader(host), path)


def _named(path: str, seen: set[str]) -> Source | Strange:
    host = transcripts.reader_of(path, head_of(path))
    if not host:
        known = ", ".join(row.name for row in transcripts.ROWS)
        return Strange(path, f"no reader knows it; name its host with --host ({known})")
    seen.add(path)
    return _stamped(transcripts.reader(host), path)


def _stamped(reader: Reader, path: str) -> Source | Strange:
    try:
        return Source(reader.host, path, cursors.stamp(path, reader.beside(path)))
    except OSError as exc:
        return Strange(path, _why(exc))


def _why(exc: OSError) -> str:
    return (exc.strerror or "cannot be read").lower()


def _roots(here: Here) -> list[str]:
    """List the directories of all known projects that are still there, the current one first."""
    known = here.store.glance().head.projects.values() if os.path.exists(here.home.rules) else ()
    roots = [here.project.root] if here.project and here.project.root else []
    roots += [root for place in known for root in place.roots]
    return [root for root in dict.fromkeys(roots) if os.path.isdir(root)]


def known_hosts() -> tuple[str, ...]:
    """Name the hosts whose transcripts can be read."""
    return tuple(row.name for row in transcripts.ROWS)


def check_host(name: str) -> str:
    """Give back the name of a host whose transcripts can be read.

    Raises:
        UsageError: there is none of that name.
    """
    if name not in known_hosts() and name in hosts.names():
        raise UsageError(f"{name} records no transcripts that can be read; nothing was read")
    if name not in known_hosts():
        raise UsageError(f"no host is called {name!r}; they are: {', '.join(known_hosts())}")
    return name

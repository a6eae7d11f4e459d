"""Find one session by the file it is in, or by its id."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

from improve import transcripts
from improve.errors import UsageError
from improve.transcripts.base import Unreadable
from improve.workflow import sources
from improve.workflow.sources import Source

if TYPE_CHECKING:
    from improve.session import Session
    from improve.workflow.here import Here


def session(here: Here, name: str, hosts: tuple[str, ...]) -> Session:
    """Open a session; its turns are still to be read.

    Args:
        name: A file, or the beginning of an id.
        hosts: Only these; empty for all.

    Raises:
        UsageError: there is none, or the file cannot be read.
    """
    if not name.strip():
        raise UsageError("the session has no name; give the beginning of its id, or a file. Nothing was read")
    if os.path.lexists(name):
        found = next(iter(sources.at([name], hosts)), None)
        if isinstance(found, Source):
            return _first(found)
        raise UsageError(f"{name!r} is no transcript{f': {found.why}' if found else ''}; nothing was read")
    everything = [found for found in sources.everywhere(here, hosts) if isinstance(found, Source)]
    named = sorted((s for s in everything if name in os.path.basename(s.path)), key=lambda s: s.written, reverse=True)
    for source in (*named, *(s for s in everything if not transcripts.reader(s.host).grows)):
        for one in _sessions(source):
            if one.id.startswith(name):
                return one
    if named:
        return _first(named[0])
    raise UsageError(f"no session begins with {name!r} and no such file is there; nothing was read")


def _sessions(source: Source) -> Iterator[Session]:
    try:
        yield from transcripts.reader(source.host).read(source.path, 0)
    except (OSError, Unreadable):
        return


def _first(source: Source) -> Session:
    try:
        return next(iter(transcripts.reader(source.host).read(source.path, 0)))
    except Unreadable as exc:
        raise UsageError(f"{source.path} cannot be read: {exc}") from None
    except StopIteration:
        raise UsageError(f"{source.path} holds no session") from None

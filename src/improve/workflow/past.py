"""Keep the ledger: read what is new in the transcripts, and note which instruction files each session loaded.

A transcript that grew is read from where the last reading ended; one that was written anew takes the place of what it
told before; what a host deleted stays. Nothing is opened that has not changed.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import cache, cached_property
from typing import TYPE_CHECKING, NamedTuple

from improve import cursors, transcripts
from improve.deed import Entry, unlike, without
from improve.ledger import FILE, Damaged, Ledger, Part, put_aside
from improve.rule import UNKNOWN
from improve.transcripts.base import Unreadable
from improve.workflow.deeds import MOST_ASKED, Kept, utc
from improve.workflow.loading import Loading
from improve.workflow.sources import Source, Strange

if TYPE_CHECKING:
    from improve.session import Session, Turn
    from improve.transcripts.base import Reader
    from improve.view import View
    from improve.workflow.desk import Desk
    from improve.workflow.here import Here

_SAVED = 2.0
"""Seconds after which what was read is committed, so that a run that is killed need not begin anew."""
_MUCH = 50_000_000
"""Bytes from which on a person is told that it takes a while."""
PATIENCE = 3.0
"""Seconds to wait for another run: one that reads only what is new is done by then, one that reads all is not."""
_PACKAGE = os.path.dirname(os.path.dirname(__file__))
_PAUSE = 3600.0
"""Seconds of silence after which a session that goes on was resumed: its host loads the instruction files again."""
_LATER = 86_400
"""Seconds after its file was last written to that a record may claim to be from."""
_BUG = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)

Show = Callable[[int], AbstractContextManager[Callable[[int], None]]]
"""Shows how far a long work is: takes the bytes there are, gives what takes the bytes that are done."""


class Covered(NamedTuple):
    """What was read to bring the ledger up to date."""

    read: int = 0
    """Transcripts read now."""
    unchanged: int = 0
    size: int = 0
    """Bytes read now."""
    unreadable: tuple[tuple[str, str], ...] = ()
    """Path and reason."""
    bad: int = 0
    """Records that cannot be read and were passed over."""


@contextmanager
def _quietly(_: int) -> Iterator[Callable[[int], None]]:
    yield lambda _: None


def directory(here: Here) -> str:
    """Name the state directory of this store's ledger."""
    from improve.fingerprint import fingerprint

    return os.path.join(os.path.dirname(here.home.state), fingerprint(os.path.realpath(here.home.path), 16))


def bring_up_to_date(
    here: Here, *, tell: Callable[[str], None] = lambda _: None, show: Show = _quietly
) -> tuple[Ledger, Covered]:
    """Read what was added since the last time, and give the ledger; nothing is read while improve is off.

    Args:
        tell: Takes a line when it takes a while.
        show: Shows progress.

    Raises:
        Busy: another run is at it.
        EnvironmentFailure: the ledger cannot be written; what it held before is still there.
    """
    from improve import locks
    from improve.workflow import sources

    place = directory(here)
    if here.off():
        return (Ledger.open(place) if os.path.exists(os.path.join(place, FILE)) else Ledger.empty()), Covered()
    with locks.lock(os.path.join(place, "ledger"), directory=here.home.state, timeout=PATIENCE):
        found = list(sources.everywhere(here))
        ledger = Ledger.open(place)
        try:
            return ledger, _Reading(here, ledger).all(found, tell, show)
        except Damaged:
            ledger.close()
            tell(f"the record of past sessions was damaged; it is kept as {put_aside(ledger.path)} and read anew")
        except BaseException:
            ledger.close()
            raise
        ledger = Ledger.open(place)
        return ledger, _Reading(here, ledger).all(found, tell, show)


class _Reading:
    """One pass over the transcripts that changed."""

    def __init__(self, here: Here, ledger: Ledger) -> None:
        self.here, self.ledger = here, ledger
        self.loading = Loading(here, ledger, self._root)
        self._known: dict[str, tuple[str, int]] = {}
        self._bad = 0

    @cached_property
    def desk(self) -> Desk:
        """Tells projects, and where improve is off; nothing is loaded for it while nothing is read."""
        from improve.workflow.desk import Desk

        return Desk(self.here)

    def _root(self, cwd: str) -> str:
        found = self.desk.place(cwd)
        return found.root if found else ""

    def all(self, found: Sequence[Source | Strange], tell: Callable[[str], None], show: Show) -> Covered:
        """Read what changed, the oldest first, so that the first of two copies is the original."""
        self._known = self.ledger.cursors()
        unreadable = [(each.path, each.why) for each in found if isinstance(each, Strange)]
        there = [each for each in found if isinstance(each, Source)]
        changed = [each for each in there if self._known.get(each.path, ("",))[0] != each.stamp]
        changed.sort(key=lambda source: source.written)
        total = sum(map(self._new_bytes, changed))
        if total > _MUCH:
            tell(f"reading {total / 1e6:,.0f} MB of past sessions; next time only what is new")
        read = size = 0
        saved = time.monotonic()
        with show(total) as tick:
            for source in changed:
                fresh = self._new_bytes(source)
                why = self._one(source)
                tick(fresh)
                if why:
                    unreadable.append((source.path, why))
                else:
                    read, size = read + 1, size + fresh
                if time.monotonic() - saved > _SAVED:
                    self.ledger.commit()
                    saved = time.monotonic()
        self.ledger.commit()
        return Covered(read, len(there) - len(changed), size, tuple(unreadable), self._bad)

    def _new_bytes(self, source: Source) -> int:
        grows = transcripts.reader(source.host).grows
        return max(source.size - (self._begin(source) if grows else 0), 0)

    def _begin(self, source: Source) -> int:
        """Tell where the reading of a transcript goes on; 0 when it was written anew, or never read."""
        stamp, begin = self._known.get(source.path, ("", 0))
        return begin if stamp and begin and cursors.same_file(stamp, source.stamp) else 0

    def _one(self, source: Source) -> str:
        """Read one transcript; give why it cannot be read. Until the next commit nothing of it is kept for good."""
        reader = transcripts.reader(source.host)
        try:
            with self.ledger.attempt():
                end = self._read(reader, source)
                if end >= 0:
                    self.ledger.move(source.path, source.stamp, end)
        except Unreadable as error:
            why = str(error)
        except OSError as error:
            if str(error.filename).startswith(_PACKAGE):  # a part of the program is missing
                raise
            why = (error.strerror or "cannot be read").lower()
        except _BUG as error:
            why = f"its reader failed on it ({type(error).__name__}): a bug, please report it"
        else:
            return ""
        self.loading.forget()
        return why

    def _read(self, reader: Reader, source: Source) -> int:
        """Put in the sessions of a transcript; give where the next reading begins, -1 when it must come again."""
        begin = self._begin(source) if reader.grows or reader.clock else 0
        if reader.grows and begin and not cursors.begins_line(source.path, begin):
            begin = 0
        end, seen, passed = begin, set[str](), 0
        for order, session in enumerate(reader.read(source.path, begin), 1):
            if self.desk.is_off(session.host, session.cwd):
                passed = order
                continue
            name = _printable(session.id or _stand_in(reader, session, order))
            grown = (bool(begin) and reader.grows) or name in seen
            seen.add(name)
            part, unanswered = self._session(session, source, name, grown=grown)
            if part:
                self.ledger.keep(part)
            self._bad += len(session.bad)
            end = max(end, session.offset)
            if reader.grows and unanswered >= 0:
                end = unanswered
        if passed and not (reader.grows and seen):  # what is passed over while improve is off is read when it is on
            return -1
        return end if reader.grows or reader.clock else 0

    def _session(self, session: Session, source: Source, name: str, *, grown: bool) -> tuple[Part | None, int]:
        """Read a session: None when it has nothing new to tell; and where it ends in a call, else -1."""
        before = self.ledger.part(session.host, name, source.path) if grown else None
        latest = utc(_plus(source, _LATER))
        known = (before.entry.deeds, before.pending) if before else ()
        kept = Kept(*known, latest=latest, cut=before.entry.cut if before else 0)
        kept.take(self._while_on(session) if self.desk.spans else session)
        deeds, pending = kept.deeds()
        if not (kept.messages or deeds):
            return None, kept.unanswered
        part = self._part(session, source, name, kept)
        entry = part.entry._replace(deeds=deeds)
        if before:
            entry = self._added(before.entry, entry, kept)
            return before._replace(entry=entry, pending=pending), kept.unanswered
        for other in self.ledger.opened_alike(part):
            entry, pending = _unlike(entry, other), ()
        if not (entry.messages or entry.deeds):  # the copy of a session, with nothing of its own
            return None, kept.unanswered
        entry = entry._replace(loaded=self.loading.at(entry.host, entry.cwd, entry.started))
        return part._replace(entry=entry, pending=pending), kept.unanswered

    def _while_on(self, session: Session) -> Session:
        """Leave out of a session what was said and done while improve was off there."""

        def was_off(turn: Turn) -> bool:
            at = utc(turn.at)
            try:
                return bool(at) and self.desk.was_off(session.host, session.cwd, at)
            except ValueError:  # a day that no month has
                return False

        turns = iter(session)
        return session.with_turns(turn for turn in turns if not was_off(turn))

    def _part(self, session: Session, source: Source, name: str, kept: Kept) -> Part:
        written = source.written.isoformat(timespec="milliseconds")
        ended = kept.last or written
        started = min(kept.first or utc(session.started) or ended, utc(session.started) or "~", ended)
        place = self.desk.place(session.cwd)
        entry = Entry(
            session.host, session.id, source.path, place.key if place else UNKNOWN, session.cwd, started, ended,
            session.headless, session.parent, kept.messages, tuple(kept.asked), (),
            (), kept.cut,
        )  # fmt: skip
        return Part(entry, name, _opening(kept))

    def _added(self, before: Entry, now: Entry, kept: Kept) -> Entry:
        """Add what is new to what is known of a session."""
        loaded = before.loaded
        if kept.first and _seconds(before.ended, kept.first) > _PAUSE:
            loaded = self.loading.at(before.host, now.cwd or before.cwd, kept.first)
        return before._replace(
            started=min(before.started, now.started),
            ended=max(before.ended, now.ended),
            headless=now.headless,
            messages=before.messages + now.messages,
            asked=(before.asked + now.asked)[-MOST_ASKED:],
            deeds=now.deeds,
            loaded=loaded,
            cut=now.cut,
        )


def _printable(name: str) -> str:
    """Give a name that can be stored: a file may be named after no text at all."""
    return name.encode("utf-8", "backslashreplace").decode()


def _stand_in(reader: Reader, session: Session, order: int) -> str:
    """Name a session that has no id: by what stays when its transcript grows."""
    return "\0".join((session.path, session.cwd) if reader.grows else (session.path, session.started, str(order)))


def _unlike(entry: Entry, other: Entry) -> Entry:
    """Leave out of a session what was copied from another one."""
    asked = unlike(entry.asked, other.asked, lambda said: said)
    deeds = without(entry.deeds, other.deeds)
    messages = max(entry.messages - (len(entry.asked) - len(asked)), 0)
    return entry._replace(asked=tuple(asked), deeds=tuple(deeds), messages=messages)


def _plus(source: Source, seconds: int) -> str:
    from datetime import timedelta

    return (source.written + timedelta(seconds=seconds)).isoformat()


def _seconds(one: str, other: str) -> float:
    from datetime import datetime

    return (datetime.fromisoformat(other) - datetime.fromisoformat(one)).total_seconds()


def _opening(kept: Kept) -> str:
    """Name the beginning of a session, the same in a copy under another id; empty where it has no moment."""
    from improve.fingerprint import fingerprint

    return fingerprint("\0".join(kept.asked[0]), 16) if kept.asked and kept.asked[0][0] else ""


def sessions(here: Here, view: View, ledger: Ledger, *, since: str = "") -> Iterator[Entry]:
    """Yield the past sessions that ended since a moment, with the key that the project of each has by now."""
    called = cache(lambda key: here.full_key(key, view))
    for entry in ledger.entries(since=since):
        key = called(entry.project)
        yield entry if key == entry.project else entry._replace(project=key)

"""Read transcripts and sort what the detectors find in them.

A transcript is read from where the last reading ended. What was found is safe before the cursor moves on, and an
event that comes twice is known by its words, so a run that is killed loses nothing and repeats nothing.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from improve import cursors, transcripts
from improve.cursors import Cursor
from improve.fingerprint import fingerprint
from improve.inbox import Candidate
from improve.session import PERSON, QUEUED, STEERED, TYPED, Session, Turn
from improve.transcripts.base import Unreadable
from improve.workflow.sources import Source, Strange
from improve.workflow.taken import Taken

if TYPE_CHECKING:
    from improve.detectors.finding import Finding
    from improve.workflow.desk import Desk
    from improve.workflow.here import Here

_BATCH = 200
"""Findings that are sorted at once."""
_PACKAGE = os.path.dirname(os.path.dirname(__file__))
_LONGEST_ASK = 601
"""Characters; longer words are no instruction that comes again."""
_SAVED = 5.0
"""Seconds after which the cursors are written, so that a run that is killed need not begin anew."""


class Wanted(NamedTuple):
    """What a scan is asked for."""

    since: str = ""
    """Nothing older than this moment (UTC, ISO 8601); empty for all of it."""
    project: str = ""
    """Key of the only project; empty for all of them."""
    again: bool = False
    """Read also what was read before."""


class Coverage(NamedTuple):
    """What was read, and what was not."""

    read: int = 0
    """Transcripts read now."""
    unchanged: int = 0
    """Transcripts that were read before and have not changed since."""
    sessions: int = 0
    messages: int = 0
    """A person's messages in what was read now."""
    size: int = 0
    """Bytes of what was read now."""
    unreadable: tuple[Strange, ...] = ()
    bad: tuple[tuple[str, int], ...] = ()
    """Transcripts with records that cannot be read, and how many."""


class Scanned(NamedTuple):
    """What one scan did."""

    coverage: Coverage
    taken: Taken


class Reading:
    """One pass over transcripts, which counts what it covers.

    Args:
        here: The surroundings.
        wanted: What is asked for.
        known: The cursors of earlier readings; they move on as transcripts are done.
    """

    def __init__(self, here: Here, wanted: Wanted, known: dict[str, Cursor]) -> None:
        self.here, self.wanted, self.known = here, wanted, known
        self.since = moment(wanted.since) or datetime.min.replace(tzinfo=UTC)
        self.asks: list[Candidate] = []
        """What persons said that is short enough to be an instruction, for what is asked again in other sessions."""
        self._unreadable: list[Strange] = []
        self._bad: list[tuple[str, int]] = []
        self._read = self._unchanged = self._sessions = self._messages = self._size = 0

    @cached_property
    def desk(self) -> Desk:
        """Where what is found is sorted; nothing is loaded for it while nothing is read."""
        from improve.workflow.desk import Desk

        return Desk(self.here)

    @property
    def coverage(self) -> Coverage:
        """Tell what was read so far."""
        return Coverage(
            self._read,
            self._unchanged,
            self._sessions,
            self._messages,
            self._size,
            tuple(self._unreadable),
            tuple(self._bad),
        )

    def changed(self, sources: Iterable[Source | Strange]) -> list[Source]:
        """Choose what must be read, the latest first; the rest is counted."""
        chosen = []
        for source in sources:
            if isinstance(source, Strange):
                self._unreadable.append(source)
                continue
            before = self.known.get(source.path)
            if before and before.stamp == source.stamp and self._reaches(before) and not self.wanted.again:
                self._unchanged += 1
            elif not self._too_old(source):
                chosen.append(source)
        return sorted(chosen, key=lambda source: source.written, reverse=True)

    def _goes_on(self, before: Cursor, source: Source, *, grows: bool) -> bool:
        """Tell whether a transcript was only added to since it was read."""
        if self.wanted.again or not self._reaches(before) or not cursors.same_file(before.stamp, source.stamp):
            return False
        return not grows or cursors.begins_line(source.path, before.begin)

    def _reaches(self, before: Cursor) -> bool:
        return not before.since or bool(self.wanted.since and before.since <= self.wanted.since)

    def _too_old(self, source: Source) -> bool:
        """Tell a transcript that nobody wrote to in the time that is asked for."""
        return bool(self.wanted.since) and source.written < self.since

    def findings(self, source: Source) -> Iterator[tuple[Session, Finding]]:
        """Read one transcript and give what the detectors find; its cursor moves on when it was read to its end."""
        reader = transcripts.reader(source.host)
        before = self.known.get(source.path)
        begin, since = 0, self.wanted.since
        bad, whole, latest = 0, True, 0
        try:
            if before and (reader.grows or reader.clock) and self._goes_on(before, source, grows=reader.grows):
                begin, since = before.begin, before.since
            track, latest = _Track(begin), begin
            for session in reader.read(source.path, begin):
                matches = yield from self._of_session(session, track, source.written)
                whole = whole and matches
                bad += len(session.bad)
                latest = max(latest, session.offset)
        except Unreadable as exc:
            self._give_up(source, str(exc))
            return
        except OSError as exc:
            if str(exc.filename).startswith(_PACKAGE):  # a part of the program is missing
                raise
            self._give_up(source, (exc.strerror or "cannot be read").lower())
            return
        except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as exc:
            self._give_up(source, f"its reader failed on it ({type(exc).__name__}): a bug, please report it")
            return
        self._read += 1
        self._size += source.size - (begin if reader.grows else 0)
        if bad:
            self._bad.append((source.path, bad))
        if whole:
            end = track.begin if reader.grows else latest if reader.clock else 0
            self.known[source.path] = Cursor(source.stamp, end, since)

    def _of_session(
        self, session: Session, track: _Track, written: datetime
    ) -> Generator[tuple[Session, Finding], None, bool]:
        """Give the findings of a session; returns whether it is one of those that are asked for."""
        from improve.detectors import detect

        self._sessions += 1
        wanted = True
        session.with_turns(track.followed(iter(session)))
        for finding in detect(session, least=self.here.config.least_severity, already=self._is_stored):
            wanted = self._is_wanted(session)
            if not wanted:
                break
            if not (self._is_older(finding) or self._was_off(session, finding.at, written)):
                yield session, finding
        said = [turn for turn in track.taken() if not self._was_off(session, turn.at, written)]
        self._messages += len(said)
        wanted = wanted and (not said or self._is_wanted(session))
        if wanted and not session.parent:
            self.asks += (_ask(session, turn, written) for turn in said if turn.how in (TYPED, QUEUED, STEERED))
        return wanted

    def _is_stored(self, line: str) -> bool:
        """Tell a line that says a stored rule: pasted with others, it is what we or a file said."""
        from improve.match import normalize

        return self.desk.view.index.same_wording(normalize(line)) is not None

    def _is_older(self, finding: Finding) -> bool:
        """Tell what was said before the time that is asked for."""
        at = moment(finding.at) if self.wanted.since else None
        return at is not None and at < self.since

    def _was_off(self, session: Session, at: str, written: datetime) -> bool:
        return bool(self.desk.spans) and self.desk.was_off(session.host, session.cwd, _at(at, session, written))

    def _is_wanted(self, session: Session) -> bool:
        if self.wanted.project:
            found = self.desk.place(session.cwd)
            if not found or found.key != self.wanted.project:
                return False
        return not self.desk.is_off(session.host, session.cwd)

    def take_asks(self) -> list[Candidate]:
        """Give what was asked since the last time."""
        taken, self.asks = self.asks, []
        return taken

    def _give_up(self, source: Source, why: str) -> None:
        """Name what cannot be read. It is tried each time: a permission, say, is given without a trace in the file."""
        self._unreadable.append(Strange(source.path, why))


class _Track:
    """Where in a transcript persons spoke: the next reading begins two messages before its end."""

    def __init__(self, begin: int) -> None:
        self._last = [begin, begin]
        self._said: list[Turn] = []

    @property
    def begin(self) -> int:
        return self._last[0]

    def followed(self, turns: Iterator[Turn]) -> Iterator[Turn]:
        for turn in turns:
            if turn.who == PERSON:
                self._last = [self._last[1], turn.offset]
                self._said.append(turn)
            yield turn

    def taken(self) -> list[Turn]:
        said, self._said = self._said, []
        return said


def _ask(session: Session, turn: Turn, written: datetime) -> Candidate:
    return Candidate(
        id="",
        key="",
        at=_at(turn.at, session, written),
        text=turn.text[:_LONGEST_ASK],
        host=session.host,
        session=session.id,
        cwd=session.cwd,
        signal="repeated-ask",
    )


def unread(here: Here, sources: Iterable[Source | Strange], wanted: Wanted) -> int:
    """Count the bytes that a scan would read; an earlier part of a file that grew counts too."""
    reading = Reading(here, wanted, cursors.load(here.home.cache))
    return sum(source.size for source in reading.changed(sources))


def scan(
    here: Here,
    sources: Iterable[Source | Strange],
    wanted: Wanted,
    tick: Callable[[int], None],
    *,
    until: float = float("inf"),
) -> Scanned:
    """Read what changed and sort what is found.

    Args:
        tick: Is told how many more bytes are done.
        until: By the monotonic clock, when no more transcripts are begun.

    Raises:
        Busy: another scan is at it, or another process holds the inbox.
        NeedsRepair: rules.yaml cannot be read.
    """
    from improve import files, locks

    key = os.path.join(os.path.realpath(here.home.path), "scan")
    with locks.lock(key, directory=files.private_directory(here.home.state), timeout=0.0):
        reading = Reading(here, wanted, cursors.load(here.home.cache))
        return _scan(here, reading, reading.changed(sources), tick, until)


def _scan(here: Here, reading: Reading, sources: list[Source], tick: Callable[[int], None], until: float) -> Scanned:
    if not sources:
        return Scanned(reading.coverage, Taken())
    from improve.workflow import record

    taken, waiting, saved = Taken(), list[Candidate](), time.monotonic()
    try:
        for source in sources:
            if time.monotonic() > until:
                break
            for session, finding in reading.findings(source):
                waiting.append(candidate_of(session, finding, source))
            tick(source.size)
            if len(waiting) >= _BATCH or time.monotonic() - saved > _SAVED:
                taken = taken.plus(_keep(here, reading, waiting))
                waiting, saved = [], time.monotonic()
    finally:
        taken = taken.plus(_keep(here, reading, waiting))
    if taken.counted:
        record.drain(here)
    return Scanned(reading.coverage, taken)


def _keep(here: Here, reading: Reading, waiting: list[Candidate]) -> Taken:
    """Sort what was found so far; only when that is safe do the cursors move on."""
    from improve.workflow import asks

    found = [*waiting, *asks.repeated(here.home, reading.take_asks())]
    taken = reading.desk.settle(found) if found else Taken()
    cursors.save(here.home.cache, reading.known)
    return taken


def candidate_of(session: Session, finding: Finding, source: Source) -> Candidate:
    """Make a candidate of what was found; nothing in it is redacted yet."""
    named = finding.id or f"{finding.at}\0{finding.offset}"
    return Candidate(
        id="",
        key=fingerprint("\0".join((session.host, session.id, named, finding.signal, finding.words)), 24),
        at=_at(finding.at, session, source.written),
        text=finding.words,
        host=session.host,
        session=session.id,
        cwd=session.cwd,
        signal=finding.signal,
        severity=finding.severity,
        confidence=round(finding.confidence, 3),
        tier=finding.tier,
        durable=finding.durable,
        rank=round(finding.rank, 3),
        phrase=finding.rule,
        did=finding.did,
    )


def moment(text: str) -> datetime | None:
    """Read a moment as a transcript has it, without a zone in local time; None when it is none."""
    try:
        return datetime.fromisoformat(text).astimezone()
    except (ValueError, OverflowError, OSError):
        return None


def _at(text: str, session: Session, written: datetime) -> str:
    """Say when something was said: as recorded, else when its session began, else when the file was written."""
    at = (moment(text) or moment(session.started) or written).astimezone()
    return at.isoformat(timespec="milliseconds" if at.microsecond else "seconds")

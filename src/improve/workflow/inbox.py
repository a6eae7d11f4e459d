"""From the queue into the inbox, and from there into the rules.

A prompt that surely says a stored rule again counts at once; the rest waits as a candidate until somebody phrases it.
A file leaves the queue only after what it became is durable, and each step can be done twice: an event has one key,
and its observation one identity made from it.
"""

from __future__ import annotations

import contextlib
import os
import time
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from improve import files, inbox, queue
from improve.cue import APOSTROPHES, is_mark
from improve.errors import ImproveError, Refused
from improve.inbox import MATCHED, Candidate
from improve.rule import UNKNOWN
from improve.workflow.recurrence import count, project_at, rule_of

if TYPE_CHECKING:
    from improve.project import Project
    from improve.queue import Heard
    from improve.view import View
    from improve.workflow.here import Here

QUEUE = "queue"
QUICK, PATIENT = 0.25, 2.5
"""Seconds that a command which only looks gives to the queue, and that `drain` gives."""
KEPT_DAYS = 90
"""The end of a session that nobody read for so long is forgotten."""
_BATCH = 50
_CONFIDENCE, _SURELY = 0.5, 1.0
"""A first look at the words is no more than even; that it is one is sure when it says a rule again."""


class Taken(NamedTuple):
    """What became of the queue."""

    waiting: int = 0
    """New candidates."""
    counted: int = 0
    """Prompts that said a stored rule again."""
    linked: int = 0
    """Prompts whose rule the agent had recorded itself."""
    dropped: int = 0
    """Our own words, events known before, and words dismissed for good."""
    unreadable: tuple[str, ...] = ()
    """Files that stay in the queue because nobody can read them."""
    left: int = 0
    """Prompts for the next run."""

    def plus(self, other: Taken) -> Taken:
        """Add up."""
        return Taken(
            self.waiting + other.waiting,
            self.counted + other.counted,
            self.linked + other.linked,
            self.dropped + other.dropped,
            self.unreadable + other.unreadable,
            self.left + other.left,
        )


def take_in(here: Here, view: View | None = None, *, seconds: float = QUICK) -> Taken:
    """Turn the prompts that wait into observations and candidates, as many as the time allows.

    Raises:
        Busy: another process holds the inbox for long.
        NeedsRepair: rules.yaml cannot be read; the queue waits.
    """
    paths = queue.prompts(here.home.file(QUEUE))
    if not paths or here.off():
        return Taken()
    until = time.monotonic() + seconds
    desk = _Desk(here, view, seconds)
    taken, done = Taken(), 0
    while done < len(paths) and (not done or time.monotonic() < until):
        taken = taken.plus(desk.settle_batch(paths[done : done + _BATCH], until))
        done += _BATCH
    return taken._replace(left=taken.left + max(len(paths) - done, 0))


class _Desk:
    """Where one run sorts what it takes from the queue."""

    def __init__(self, here: Here, view: View | None, patience: float) -> None:
        self.here, self.patience = here, patience
        if view is not None:
            self.__dict__["view"] = view
        self.known = inbox.read(here.home.file(inbox.FILE))
        self.places: dict[str, Project | None] = {}

    @cached_property
    def view(self) -> View:
        """The rules; read when the first prompt needs them, for a file that nobody can read needs none."""
        return self.here.store.view()

    @cached_property
    def never(self) -> frozenset[str]:
        """The words that were dismissed for good."""
        return frozenset(map(_words, self.known.never))

    def settle_batch(self, paths: list[str], until: float) -> Taken:
        """Take in some prompts: first all of them are safe elsewhere, then their files go."""
        heard, unreadable = _loaded(paths)
        found: list[Candidate] = []
        done: list[str] = []
        for path, event in heard:
            if self._is_off(event):
                continue
            if done and time.monotonic() > until:
                break
            done.append(path)
            if self._is_new(event):
                found.append(self._judged(event))
        added = inbox.add(self.here.home, found, timeout=self.patience)
        for path in done:
            files.unlink(path)
        matched = [candidate for candidate in added if candidate.state == MATCHED]
        counted = sum(candidate.confidence == _SURELY for candidate in matched)
        return Taken(
            waiting=len(added) - len(matched),
            counted=counted,
            linked=len(matched) - counted,
            dropped=len(done) - len(added),
            unreadable=tuple(unreadable),
            left=len(heard) - len(done),
        )

    def _is_off(self, event: Heard) -> bool:
        from improve import switch

        def where() -> tuple[str, str]:
            found = self.place(event.cwd)
            return (found.key, found.root) if found else ("", "")

        path = self.here.home.file(switch.FILE)
        return switch.in_force(path, lambda: self.here.now, lambda: event.host, where) is not None

    def _is_new(self, event: Heard) -> bool:
        from improve import cue

        if event.key in self.known.candidates or cue.is_ours(event.text):
            return False
        return not self.never or _words(inbox.shortened(event.text)) not in self.never

    def _judged(self, event: Heard) -> Candidate:
        """Make a candidate; one that says a rule again is counted before it is put down as matched."""
        found = self.place(event.cwd)
        candidate = Candidate(
            id="",
            key=event.key,
            at=min(event.at, self.here.moment, key=datetime.fromisoformat),  # the clock may have been put back since
            text=inbox.shortened(event.text),
            host=_label(event.host, "host"),
            session=_label(event.session, "session"),
            project=found.key if found else UNKNOWN,
            cwd=event.cwd,
            signal=_label(event.signal, "signal"),
            confidence=_CONFIDENCE,
        )
        rule, sure = rule_of(self.view, candidate)
        if rule and sure:
            count(self.here, candidate, rule, found)
        if rule:
            return candidate._replace(state=MATCHED, rule=rule, confidence=_SURELY if sure else _CONFIDENCE)
        return candidate

    def place(self, cwd: str) -> Project | None:
        """Find the project of a directory, looked up once a run."""
        if cwd not in self.places:
            self.places[cwd] = project_at(self.here, cwd)
        return self.places[cwd]


def _words(text: str) -> str:
    """Give the words alone: the same ones with other punctuation are the same; C, C# and C++ are not."""
    kept = "".join(c if c.isalnum() or c in "+#" or is_mark(c) else "" if c in APOSTROPHES else " " for c in text)
    return " ".join(kept.casefold().split())


def _loaded(paths: list[str]) -> tuple[list[tuple[str, Heard]], list[str]]:
    """Read prompts, oldest first; one that another process took meanwhile is no loss."""
    heard, unreadable = [], []
    for path in paths:
        event = queue.load(path)
        if event is not None and _is_moment(event.at):
            heard.append((path, event))
        elif os.path.lexists(path):
            unreadable.append(path)
    return sorted(heard, key=lambda pair: pair[1].at), unreadable


def _is_moment(at: str) -> bool:
    try:
        return datetime.fromisoformat(at).tzinfo is not None
    except ValueError:
        return False


def _label(text: str, what: str) -> str:
    """Give a host's word for something as a clean label, or nothing."""
    from improve import wording

    try:
        return wording.check_label(text, what) if text else ""
    except Refused:
        return ""


def drain(here: Here, *, seconds: float = PATIENT) -> Taken:
    """Take in the queue and the spool, look at open candidates again, and forget old endings.

    Raises:
        Busy: another process is draining.
    """
    from improve import locks
    from improve.workflow import brief, record, triage

    if here.off():
        return Taken()
    files.private_directory(here.home.path)
    key = os.path.join(os.path.realpath(here.home.path), "drain")
    with locks.lock(key, directory=files.private_directory(here.home.state), timeout=0.0):
        _tidy(here)
        taken = take_in(here, seconds=seconds)
        record.drain(here)
        if linked := triage.settle(here, seconds=seconds / 2):
            record.drain(here)
        # a session that starts has no time to read a long file it does not know
        with contextlib.suppress(ImproveError):
            here.store.view()
            brief.waiting(here)
        return taken._replace(linked=taken.linked + linked)


def _tidy(here: Here) -> None:
    """Remove drafts that a kill left behind, and the ends of sessions that nobody read for long."""
    for directory in (here.home.spool, here.home.file(QUEUE)):
        files.sweep(directory)
    oldest = here.now.timestamp() - KEPT_DAYS * 86_400
    for path in queue.endings(here.home.file(QUEUE)):
        try:
            if os.lstat(path).st_mtime < oldest:
                files.unlink(path)
        except (OSError, ImproveError):
            continue

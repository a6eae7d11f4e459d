"""Where what was heard or found is sorted: counted for a rule, put into the inbox, or dropped.

Each step can be done twice: an event has one key, and its observation one identity made from it.
"""

from __future__ import annotations

import os
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING

from improve import bar, inbox, switch
from improve.cue import APOSTROPHES, is_mark
from improve.detectors.finding import NONE, SURE
from improve.errors import Refused
from improve.inbox import MATCHED, Candidate
from improve.rule import UNKNOWN
from improve.workflow.recurrence import archived, count, project_at, rule_of
from improve.workflow.taken import Taken

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from improve.bar import Tally
    from improve.project import Project
    from improve.switch import Off
    from improve.view import View
    from improve.workflow.here import Here

SURELY = 1.0
"""That it is a signal at all is sure when it says a stored rule again."""
_OF_THE_AGENT = frozenset(("tool-failure", "contradicted", "waste"))
"""Signals whose words nobody said."""


class Desk:
    """Where one run sorts what comes in."""

    def __init__(self, here: Here, view: View | None = None, *, patience: float = 5.0) -> None:
        self.here, self.patience = here, patience
        if view is not None:
            self.__dict__["view"] = view
        known = inbox.read(here.home.file(inbox.FILE))
        self._known = inbox.names_of_all(known.candidates.values())
        self._never = frozenset(map(_words, known.never))
        self._bars: dict[str, Tally] = bar.tally((c.signal, c.state) for c in known.candidates.values())
        self._places: dict[str, Project | None] = {}
        self._off: dict[tuple[str, str], bool] = {}

    @cached_property
    def view(self) -> View:
        """The rules; read when the first words need them, for what nobody can read needs none."""
        return self.here.store.view()

    def place(self, cwd: str) -> Project | None:
        """Find the project of a directory, or of what is left above one that is gone; looked up once a run."""
        if cwd not in self._places:
            self._places[cwd] = project_at(self.here, _still_there(cwd))
        return self._places[cwd]

    def is_off(self, host: str, cwd: str) -> bool:
        """Tell whether nothing may be recorded of a host in a directory; looked up once a run."""
        if (host, cwd) not in self._off:
            self._off[host, cwd] = self._is_off(host, cwd)
        return self._off[host, cwd]

    def _is_off(self, host: str, cwd: str) -> bool:
        def where() -> tuple[str, str]:
            found = self.place(cwd)
            return (found.key, found.root) if found else ("", "")

        path = self.here.home.file(switch.FILE)
        return switch.in_force(path, lambda: self.here.now, lambda: host, where) is not None

    def was_off(self, host: str, cwd: str, at: str) -> bool:
        """Tell what was said while it was off there, which is never taken in, whoever reads it and when."""
        found = self.place(cwd)
        key, root = (found.key, found.root) if found else ("", "")
        return switch.held(self.spans, datetime.fromisoformat(at), host, key, root)

    @cached_property
    def spans(self) -> list[Off]:
        """What is or was off, from when to when; usually nothing."""
        return switch.spans(self.here.home.file(switch.FILE))

    def settle(self, found: Sequence[Candidate]) -> Taken:
        """Sort candidates that have no id yet: all of them are safe when this returns.

        Raises:
            Busy: another process holds the inbox for long.
            NeedsRepair: rules.yaml cannot be read.
        """
        new = [self._judged(candidate) for candidate in self._new(found)]
        new = [candidate for candidate in new if candidate.state == MATCHED or candidate.tier != NONE]
        passing = [candidate for candidate in new if self._passes(candidate)]
        added = inbox.add(self.here.home, passing, timeout=self.patience)
        self._known |= inbox.names_of_all(added)
        matched = [candidate for candidate in added if candidate.state == MATCHED]
        counted = sum(candidate.confidence == SURELY for candidate in matched)
        return Taken(
            waiting=len(added) - len(matched),
            counted=counted,
            linked=len(matched) - counted,
            dropped=len(found) - len(added) - (len(new) - len(passing)),
            below=len(new) - len(passing),
        )

    def _new(self, found: Iterable[Candidate]) -> Iterator[Candidate]:
        """Leave out our own words, known events, the second of two that are one, and what was dismissed for good."""
        from improve import cue

        theirs = (self.completed(candidate) for candidate in found if not cue.is_ours(candidate.text))
        for candidate in inbox.unseen(theirs, self._known):
            if not self._never or _words(candidate.text) not in self._never:
                yield candidate

    def _passes(self, candidate: Candidate) -> bool:
        known = self._bars.get(candidate.signal)
        return candidate.state == MATCHED or candidate.tier == SURE or not known or candidate.confidence >= known.bar

    @cached_property
    def _archive(self) -> View | None:
        """The rules that had held; nothing is read where nothing was archived."""
        from improve.workflow import archive

        return archive.glance(self.here)

    def completed(self, candidate: Candidate) -> Candidate:
        """Give a candidate as it is kept: with its project, clean labels, and words without credentials."""
        found = self.place(candidate.cwd)
        return candidate._replace(
            # the clock may have been put back since
            at=min(candidate.at, self.here.moment, key=datetime.fromisoformat),
            text=inbox.shortened(candidate.text),
            host=_label(candidate.host, "host"),
            session=_label(candidate.session, "session"),
            project=found.key if found else UNKNOWN,
            signal=_label(candidate.signal, "signal"),
            did=inbox.shortened(candidate.did),
        )

    def _judged(self, candidate: Candidate) -> Candidate:
        """Find the rule of a candidate; one that says it again is counted before it is put down as matched."""
        rule, sure = ("", False) if candidate.signal in _OF_THE_AGENT else rule_of(self.view, candidate)
        if not rule and candidate.signal not in _OF_THE_AGENT and (back := archived(self._archive, candidate)):
            rule, sure = back, True
        if rule and sure:
            count(self.here, candidate, rule, self.place(candidate.cwd))
            return candidate._replace(state=MATCHED, rule=rule, confidence=SURELY)
        return candidate._replace(state=MATCHED, rule=rule) if rule else candidate


def _still_there(cwd: str) -> str:
    """Give a directory, or the nearest one above it that still exists."""
    while cwd and not os.path.isdir(cwd) and os.path.dirname(cwd) != cwd:
        cwd = os.path.dirname(cwd)
    return cwd


def _words(text: str) -> str:
    """Give the words alone: the same ones with other punctuation are the same; C, C# and C++ are not."""
    kept = "".join(c if c.isalnum() or c in "+#" or is_mark(c) else "" if c in APOSTROPHES else " " for c in text)
    return " ".join(kept.casefold().split())


def _label(text: str, what: str) -> str:
    """Give a host's word for something as a clean label, or nothing."""
    from improve import wording

    try:
        return wording.check_label(text, what) if text else ""
    except Refused:
        return ""

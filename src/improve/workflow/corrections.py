"""What the report counts: corrections from the store, and the messages of the sessions that were read."""

from __future__ import annotations

import os
from collections.abc import Callable, Container, Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from improve.page.account import Count
from improve.rule import UNKNOWN, Observation, Rule
from improve.workflow import weeks

if TYPE_CHECKING:
    from improve.deed import Entry
    from improve.view import View
    from improve.workflow.here import Here

NOT_SAID = frozenset({"tool-failure", "waste", "admission"})
"""Signals that no person gave."""
NOBODY_READ = "No session was read yet, so corrections cannot be compared with messages: improve verify reads them."


class Correction(NamedTuple):
    """A person corrected an agent: one rule in one session."""

    date: str
    host: str
    project: str
    session: str


class Read(NamedTuple):
    """What one session has of a person's messages on one day."""

    date: str
    host: str
    project: str
    session: str
    messages: int


def corrections(rule: Rule, names: Container[str] | None) -> Iterator[Correction]:
    """Yield when a rule was asked for: a session counts once, on its first day; what was imported nobody said then.

    Args:
        names: what the only project that counts is called; None for all.
    """
    seen: set[tuple[str, str]] = set()
    for o in sorted(rule.observations, key=lambda o: o.date):
        if not is_said(o) or (names is not None and o.project not in names) or (o.host, o.session) in seen:
            continue
        if o.session:
            seen.add((o.host, o.session))
        yield Correction(o.date, o.host, o.project, o.session)


def is_said(o: Observation) -> bool:
    """Tell whether an observation is something a person said, with a day."""
    return o.provenance != "import" and o.signal not in NOT_SAID and weeks.is_day(o.date)


def read_sessions(here: Here, view: View, since: str, project: str) -> tuple[list[Read], str]:
    """List the sessions in the ledger that a person sat at, by day; and why there are none.

    Args:
        project: The key by now of the only project that counts; empty for all.
    """
    from improve.errors import ImproveError
    from improve.ledger import FILE, Ledger
    from improve.workflow.past import directory, sessions

    where = directory(here)
    if not os.path.exists(os.path.join(where, FILE)):  # opening it would begin one
        return [], NOBODY_READ
    try:
        ledger = Ledger.open(where)
        try:
            there = sessions(here, view, ledger, since=since)
            found = [part for entry in there if project in ("", entry.project) for part in _days(here, entry)]
        finally:
            ledger.close()
    except ImproveError as error:
        return [], f"The sessions that were read cannot be looked at: {error}"
    return found, "" if found else NOBODY_READ if not since else "No session of this time was read: improve verify"


def _days(here: Here, entry: Entry) -> Iterator[Read]:
    """Spread the messages of a session over its days; those of which no moment is kept go to its last one."""
    if entry.parent or entry.headless or not entry.messages:
        return
    zone = here.now.tzinfo
    last = weeks.local_day(entry.ended, zone)
    days: dict[str, int] = {}
    for at, _ in entry.asked[: entry.messages]:
        day = weeks.local_day(at, zone) or last
        days[day] = days.get(day, 0) + 1
    days[last] = days.get(last, 0) + max(entry.messages - len(entry.asked), 0)
    for day, messages in days.items():
        if day and messages:
            yield Read(day, entry.host, entry.project, entry.session, messages)


class Tally:
    """Adds corrections and messages up, by week, host and project."""

    def __init__(self, said: Iterable[Correction], read: Iterable[Read]) -> None:
        self.said, self.read = list(said), list(read)
        self.sessions = {(r.host, r.session) for r in self.read}

    def within(self, since: str, until: str) -> Tally:
        """Keep what lies between two days, both included."""
        kept = Tally(
            (c for c in self.said if since <= c.date <= until), (r for r in self.read if since <= r.date <= until)
        )
        kept.sessions = self.sessions & {(r.host, r.session) for r in kept.read}
        return kept

    def total(self) -> Count:
        """Count all of it."""
        return self._count(self.said, self.read)

    def by_week(self) -> dict[str, Count]:
        """Count by Monday."""
        return self._by(lambda x: weeks.monday(x.date))

    def by_host(self) -> dict[str, Count]:
        """Count by host; an empty name is none."""
        return self._by(lambda x: x.host)

    def by_project(self) -> dict[str, Count]:
        """Count by key of the project."""
        return self._by(lambda x: x.project or UNKNOWN)

    def weekly(self, of: str, key: str, mondays: list[str]) -> tuple[int, ...]:
        """Count the corrections of one host or project in each week."""
        at = {monday: number for number, monday in enumerate(mondays)}
        counts = [0] * len(mondays)
        for c in self.said:
            if (getattr(c, of) or (UNKNOWN if of == "project" else "")) == key and (m := weeks.monday(c.date)) in at:
                counts[at[m]] += 1
        return tuple(counts)

    def _by(self, key: Callable[[Correction | Read], str]) -> dict[str, Count]:
        said: dict[str, list[Correction]] = {}
        read: dict[str, list[Read]] = {}
        for c in self.said:
            said.setdefault(key(c), []).append(c)
        for r in self.read:
            read.setdefault(key(r), []).append(r)
        return {k: self._count(said.get(k, []), read.get(k, [])) for k in dict.fromkeys([*said, *read])}

    def _count(self, said: list[Correction], read: list[Read]) -> Count:
        counted = sum(1 for c in said if c.session and (c.host, c.session) in self.sessions)
        sessions = len({(r.host, r.session) for r in read})
        return Count(len(said), counted, sessions, sum(r.messages for r in read))

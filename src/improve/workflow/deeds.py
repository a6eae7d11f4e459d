"""What is kept of a session for the ledger: a person's words and the calls of tools, shortened, without credentials."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Any

from improve.added import put_in
from improve.deed import Deed
from improve.redact import redact
from improve.session import AGENT, EDIT, PERSON, SHELL, TOOL, WRITE, Call, Result, Session, Turn

MOST_DEEDS, MOST_CHARACTERS, MOST_ASKED = 20_000, 4_000_000, 2_000
"""What is kept of one session; of more, the oldest is left out and counted."""
COMMAND, ADDED, WORDS, NAME = 2_000, 2_000, 500, 300
"""Characters of a command, of what an edit puts in, of a person's message, of the subject of any other call."""
_BEYOND = 4_000
"""Characters behind a cut that are looked at too, so that half a credential is known for one."""
_OPEN = 64
"""Calls whose results may still come."""
_REMEMBERED = 4_096
_USUAL = re.compile(r"20\d\d-[01]\d-[0-3]\dT[0-2]\d:[0-5]\d:[0-5]\d\.\d{3}Z", re.ASCII)
"""A moment as most hosts write it; of what looks like one and is none nothing is computed."""


class Kept:
    """What was gathered of one session, to be added to what is known of it.

    Args:
        deeds: What an earlier reading of the same transcript kept.
        pending: Calls of which no result was seen then: the host's id and which deed it is.
        latest: A moment after which nothing can have happened; a clock that was wrong shows that way.
    """

    def __init__(
        self, deeds: Iterable[Deed] = (), pending: Iterable[tuple[str, int]] = (), *, latest: str = "", cut: int = 0
    ) -> None:
        self.asked: list[tuple[str, str]] = []
        self.messages, self.cut = 0, cut
        self.first, self.last = "", ""
        self.read = 0
        """Turns of any kind."""
        self.unanswered = -1
        """Where the last turn lies when it is a call: what becomes of it may be told without its name."""
        self._rows = [list(deed) for deed in deeds]
        self._known = {tuple(row[:4]): row for row in self._rows if row[0]}
        self._latest = latest
        self._size = sum(map(_size, self._rows))
        self._pending: dict[str, list[list[Any]]] = {}
        for id, at in pending:
            self._pending.setdefault(id, []).append(self._rows[at])
        self._safe: dict[str, str] = {}

    def take(self, session: Session) -> None:
        """Read the turns of a session."""
        for turn in session:
            self.read, self.unanswered = self.read + 1, -1
            if turn.who == AGENT:
                if calls := turn.calls:
                    at = self._moment(turn.at)
                    for call in calls:
                        self._call(call, at)
                    self.unanswered = turn.offset if at else -1
            elif turn.who == TOOL:
                if turn.failed:  # what went well is known without reading it
                    for result in turn.results:
                        self._result(result)
            elif turn.who == PERSON:
                self._asked(turn)

    def deeds(self) -> tuple[tuple[Deed, ...], tuple[tuple[str, int], ...]]:
        """Give the calls in their order, and which of them wait for a result."""
        places = {id(row): at for at, row in enumerate(self._rows)}
        waiting = [(name, places[id(row)]) for name, rows in self._pending.items() for row in rows if id(row) in places]
        return tuple(map(Deed._make, self._rows)), tuple(waiting)

    def _moment(self, text: str) -> str:
        at = utc(text)
        if not at or (self._latest and at > self._latest):
            return ""
        self.first = min(self.first or at, at)
        self.last = max(self.last, at)
        return at

    def _asked(self, turn: Turn) -> None:
        self.messages += 1
        self.asked.append((self._moment(turn.at), self._clean(turn.text, WORDS)))
        if len(self.asked) > MOST_ASKED:
            del self.asked[: MOST_ASKED // 4]

    def _call(self, call: Call, at: str) -> None:
        rows = []
        for kind, subject, added in parts(call):
            most = COMMAND if kind == SHELL else NAME
            row = [at, kind, self._clean(subject, most), self._clean(added, ADDED), False, ""]
            rows.append(self._known.get(tuple(row[:4]), row))
            if rows[-1] is row:  # else it was read before
                self._rows.append(row)
                self._size += _size(row)
        self._pending.pop("", None)  # without an id a result is that of the call before it
        self._pending[call.id] = rows
        if len(self._pending) > _OPEN:
            del self._pending[next(iter(self._pending))]
        if len(self._rows) > MOST_DEEDS or self._size > MOST_CHARACTERS:
            self._shorten()

    def _shorten(self) -> None:
        """Leave out the oldest quarter."""
        count = max(len(self._rows) // 4, 1)
        self._size -= sum(map(_size, self._rows[:count]))
        del self._rows[:count]
        self.cut += count

    def _result(self, result: Result) -> None:
        if result.failed:
            for row in self._pending.pop(result.call, []):
                row[4], row[5] = True, result.ended

    def _clean(self, text: str, most: int) -> str:
        """Shorten a text and take credentials out of it; paths and small commands come again and again."""
        if len(text) > NAME:
            return redact(text[: most + _BEYOND])[:most]
        known = self._safe.get(text)
        if known is None:
            if len(self._safe) >= _REMEMBERED:
                self._safe.clear()
            known = self._safe[text] = redact(text)[:most]
        return known


def _size(row: list[Any]) -> int:
    return 40 + len(row[2]) + len(row[3])


def parts(call: Call) -> Iterator[tuple[str, str, str]]:
    """Give kind, subject and what is put in, of a patch for each of its files."""
    if call.kind in (EDIT, WRITE):
        for path, text in put_in(call):
            yield call.kind, path, text
    else:
        yield call.kind, call.subject, ""


def utc(text: str) -> str:
    """Give a moment in UTC, ISO 8601; empty when it is none.

    >>> utc("2026-03-01T10:00:00.123Z"), utc("2026-03-01T11:00:00+01:00"), utc("yesterday")
    ('2026-03-01T10:00:00.123+00:00', '2026-03-01T10:00:00.000+00:00', '')
    """
    if _USUAL.fullmatch(text):
        return text[:-1] + "+00:00"
    try:
        at = datetime.fromisoformat(text).astimezone(UTC)
    except (ValueError, OverflowError, OSError):
        return ""
    return at.isoformat(timespec="milliseconds")

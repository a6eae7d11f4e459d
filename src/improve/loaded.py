"""Had the host loaded a rule when a session began, and which calls of the session made its mistake? Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from improve import markdown
from improve.inline import plain
from improve.rule import Rule, Written

if TYPE_CHECKING:
    from improve.deed import Deed, Entry

LOADED = "loaded"
NOT_YET, NOT_LOADED, CUT, GONE = "not-written-yet", "not-loaded", "cut", "gone"
"""Written later; in no file the host loaded; in the part of a file the host cuts off; not in its file any more."""
_SENT = ("loaded", "scoped", "cut")
"""States of a file of which (a part of) the text reaches the model."""
_DOUBT = "unknown:"

_MOMENT = re.compile(r"(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):?(\d\d)(?::?(\d\d))?(?:[.,]\d+)?(?:Z|([+-]\d\d):?(\d\d))?)?")
_DAY = 86_400

TextOf = Callable[[str], bytes]
"""What an instruction file said, by its digest."""
Hits = Callable[["Deed"], tuple[str, ...]]
"""The parts of a call that a check denies."""


class Mistake(NamedTuple):
    """A call that does what a rule forbids: done, tried, or stopped by a guard."""

    at: str
    what: str
    by: str
    """`guard` when something stopped it before it was done, else `call`."""
    before: bool
    """It was made before the rule was written."""


def loaded(rule: Rule, entry: Entry, text_of: TextOf) -> bool:
    """Say whether the model had the rule from the start of a session."""
    return delivery(rule, entry, text_of) == LOADED


def delivery(rule: Rule, entry: Entry, text_of: TextOf) -> str:
    """Say `loaded`, or what kept a rule from a session: `not-written-yet`, `not-loaded`, `cut` or `gone`.

    A file that was changed between the session and its reading is taken as it was read.
    """
    here = [w for w in rule.written_to if w.scope == "global" or not w.project or w.project == entry.project]
    written = [w for w in here if was_written(w, entry.started)]
    if not written:
        return NOT_YET
    wordings = {plain(text) for text in (*(w.text for w in written), rule.text) if text}
    files = [(file.path, file.state.removeprefix(_DOUBT), file.digest) for file in entry.loaded]
    if any(wordings & _said(text_of(digest)) for _, state, digest in files if state in _SENT and digest):
        return LOADED
    places = {w.path for w in written}
    states = {state for path, state, _ in files if path in places}
    return CUT if "cut" in states else GONE if states & set(_SENT) else NOT_LOADED


def was_written(written: Written, at: str) -> bool:
    """Say whether a rule stood in a file at a moment; of a day alone only its end is sure."""
    since, then = _since(written), seconds(at)
    return since is not None and then is not None and since <= then


def _since(written: Written) -> int | None:
    exact = seconds(written.at)
    day = seconds(written.date[:10])
    return exact if exact is not None else day if day is None else day + _DAY


def seconds(at: str) -> int | None:
    """Turn ISO 8601 into seconds since 1970, UTC where no zone is told; None when it is nothing of that kind."""
    found = _MOMENT.fullmatch(at.strip())
    if not found:
        return None
    year, month, day, hour, minute, second, east, minutes = (int(part or 0) for part in found.groups())
    year -= month < 3  # years that begin in March end with the leap day
    days = year * 365 + year // 4 - year // 100 + year // 400 + (153 * (month + (9 if month < 3 else -3)) + 2) // 5
    away = east * 60 + (-minutes if (found[7] or "").startswith("-") else minutes)
    return (days + day - 719_469) * _DAY + hour * 3600 + (minute - away) * 60 + second


@lru_cache(maxsize=256)
def _said(data: bytes) -> frozenset[str]:
    """Give the plain words of every bullet and line of a file."""
    lines = data.decode("utf-8", "replace").splitlines()
    alone = (line.strip().lstrip("-*+ ") for line in lines)
    return frozenset(plain(text) for text in (*(bullet.text for bullet in markdown.bullets(data)), *alone) if text)


def slips(rule: Rule, entry: Entry, hits: Hits) -> tuple[Mistake, ...]:
    """Give the calls of a session that make a rule's mistake: the first before it was written, the first since.

    A call that a guard or a person stopped is an attempt, and counts.
    """
    first = min((since for w in rule.written_to if (since := _since(w)) is not None), default=None)
    found: dict[bool, Mistake] = {}
    for deed, part in _hit(entry, hits):
        at = deed.at or entry.started
        then = seconds(at)
        early = first is None or (then is not None and then < first)
        found.setdefault(early, Mistake(at, part, "guard" if deed.ended == "rule" else "call", early))
    return tuple(sorted(found.values()))


def _hit(entry: Entry, hits: Hits) -> Iterator[tuple[Deed, str]]:
    for deed in entry.deeds:
        parts = hits(deed)
        if parts:
            yield deed, parts[0]

"""One time that a mistake was made, whatever showed it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from improve.deed import Entry

_LONGEST = 200


class Slip(NamedTuple):
    """One time the mistake was made."""

    at: str
    host: str
    session: str
    project: str
    what: str
    """What was said, or the part of the call."""
    by: str
    """`correction`, `call` or `guard`: what showed it."""


def slip_of(at: str, entry: Entry, what: str, *, by: str) -> Slip:
    """Make the slip of a session."""
    words = " ".join(what.split())
    short = words if len(words) <= _LONGEST else words[: _LONGEST - 1] + "…"
    return Slip(at, entry.host, entry.session, entry.project, short, by)

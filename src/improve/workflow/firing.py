"""What guards did: each firing is a line of the journal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from improve.workflow.here import Here


_NAMES = ("mode", "host", "session", "project", "what")


class Firing(NamedTuple):
    """One call of a tool that a guard was about."""

    at: str
    rule_id: str
    mode: str
    """`observe`, `warn` or `deny`."""
    host: str
    session: str
    project: str
    what: str
    """The part of the call that is denied, without credentials, shortened."""
    times: int = 1
    """How often since the line before: of one call that is made again and again, not every one is told."""


def firings(here: Here, *, since: str = "") -> Iterator[Firing]:
    """Yield what guards did, newest first; `since` is a moment, ISO 8601 with zone, UTC."""
    from improve import journal
    from improve.workflow.moments import moment

    earlier: dict[tuple[Any, ...], int] = {}
    lines: list[tuple[dict[str, Any], int]] = []
    told = [event for event in journal.read_back(here.home.journal, only=("fired",)) if _is_whole(event)]
    for event in reversed(told):  # what was counted before a line is known from the one before it
        key = (event["host"], event["session"], event["mode"], *event["rules"], event["what"])
        nth = event.get("nth", 1)
        before = earlier.get(key, 0)
        lines.append((event, nth - before if nth > before else nth))
        earlier[key] = nth
    begin = moment(since) if since else None
    for event, times in reversed(lines):
        at = moment(event["at"])
        if begin is not None and (at is None or at < begin):
            continue
        for rule_id in event["rules"]:
            mode, host, session, project, what = (event[name] for name in _NAMES)
            yield Firing(event["at"], rule_id, mode, host, session, project, what, times)


def _is_whole(event: dict[str, Any]) -> bool:
    texts = all(isinstance(event.get(name), str) for name in ("at", *_NAMES))
    return texts and "rules" in event and type(event.get("nth", 1)) is int

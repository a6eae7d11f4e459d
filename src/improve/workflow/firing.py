"""What guards did: each firing is a line of the journal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from improve.workflow.here import Here


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


def firings(here: Here, *, since: str = "") -> Iterator[Firing]:
    """Yield what guards did, newest first; `since` is a moment, ISO 8601 with zone, UTC."""
    raise NotImplementedError

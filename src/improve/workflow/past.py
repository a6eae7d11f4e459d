"""Keep the ledger: read what is new in the transcripts, and note which instruction files each session loaded."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from improve.ledger import Ledger
    from improve.workflow.here import Here


class Covered(NamedTuple):
    """What was read to bring the ledger up to date."""

    read: int = 0
    """Transcripts read now."""
    unchanged: int = 0
    size: int = 0
    """Bytes read now."""
    unreadable: tuple[tuple[str, str], ...] = ()
    """Path and reason."""


def bring_up_to_date(here: Here, *, tell: Callable[[str], None] = lambda _: None) -> tuple[Ledger, Covered]:
    """Read what was added since the last time, and give the ledger.

    Raises:
        Busy: another run is at it.
    """
    raise NotImplementedError

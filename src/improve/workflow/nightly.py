"""The scheduled run: take in what waits, read what is new. No model, no network."""

from __future__ import annotations

from typing import TYPE_CHECKING

from improve.workflow import inbox, scan, sources
from improve.workflow.period import USUAL, began

if TYPE_CHECKING:
    from improve.workflow.here import Here
    from improve.workflow.scan import Scanned


def run(here: Here) -> Scanned:
    """Do what needs nobody; what was read before is not read again.

    Raises:
        Busy: another scan is at it.
    """
    inbox.drain(here)
    wanted = scan.Wanted(began(USUAL, here.now))
    return scan.scan(here, sources.everywhere(here), wanted, lambda _: None)

"""The scheduled run: take in what waits, read what is new, and once a week verify rules. No model, no network."""

from __future__ import annotations

import os
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
    scanned = scan.scan(here, sources.everywhere(here), wanted, lambda _: None)
    weekly(here)
    return scanned


def weekly(here: Here) -> bool:
    """Verify all written rules when the last time is a week ago, or never was; says whether it was due.

    Raises:
        Busy: another run is at it.
    """
    from improve.workflow import changes, resolve, verify

    if not verify.is_week_ago(here, verify.last_run(here)):
        return False
    title = ""
    found = verify.verify(here)
    if found.kept:
        title = f"verify: {verify.summed(found.proofs)}"
    if here.config.archive_held:
        title = resolve.resolve(here, (), held=True).title or title
    if title:
        changes.remember(here, title)
    _refresh_page(here)
    return True


def _refresh_page(here: Here) -> None:
    """Bring the page up to date that somebody looks at; where nobody ever did, none is made."""
    from improve.workflow import delivering

    place = delivering.own_place(here)
    if os.path.isfile(place):
        from improve.workflow.reporting import gather

        delivering.write(place, delivering.page(gather(here)))

"""Sessions that paused or ended, as hooks told: read what their agents recorded, then forget the pointer.

Hooks hear the words alone; a transcript also tells what the agent had done, what it was denied, and where a person
stopped it.
"""

from __future__ import annotations

import time
from datetime import timedelta
from typing import TYPE_CHECKING

from improve import files, queue
from improve.errors import ImproveError
from improve.workflow.desk import Desk
from improve.workflow.inbox import QUEUE
from improve.workflow.taken import Taken

if TYPE_CHECKING:
    from improve.queue import Ended
    from improve.workflow.here import Here
    from improve.workflow.scan import Scanned, Wanted


def read_ended(here: Here, *, seconds: float) -> Taken:
    """Read the transcripts of sessions that ended, as many as the time allows; the others stay for the next run.

    So does a pointer for which there is nothing to read yet, until it is too old, and one of where we are off.
    """
    paths = queue.endings(here.home.file(QUEUE))
    if not paths:
        return Taken()
    until, taken, desk = time.monotonic() + seconds, Taken(), Desk(here)
    for path in paths:
        if time.monotonic() > until:
            break
        ended = queue.load_end(path)
        if ended is None:
            continue
        if desk.is_off(ended.host, ended.cwd):
            taken = taken._replace(left=taken.left + 1)
            continue
        try:
            done = _read(here, ended, until)
            taken = taken.plus(done.taken)
            if done.coverage.read + done.coverage.unchanged and _unchanged(path, ended):
                files.unlink(path)
        except (ImproveError, OSError):  # busy, or a store in need of repair: it is read by the next run
            taken = taken._replace(left=taken.left + 1)
    return taken


def _unchanged(path: str, ended: Ended) -> bool:
    """Tell whether the session said no more meanwhile."""
    return queue.load_end(path) == ended


def _read(here: Here, ended: Ended, until: float) -> Scanned:
    from improve.workflow import scan, sources

    if ended.host not in sources.known_hosts():
        return scan.Scanned(scan.Coverage(), Taken())
    if ended.transcript and (source := sources.claimed(ended.host, ended.transcript)):
        return scan.scan(here, [source], scan.Wanted(), lambda _: None, until=until)
    found = sources.everywhere(here, [ended.host])
    return scan.scan(here, found, _a_day_before(ended), lambda _: None, until=until)


def _a_day_before(ended: Ended) -> Wanted:
    """Ask for what was said lately: the session may have gone on for long, and nobody asked for older ones."""
    from improve.workflow.scan import Wanted, moment

    at = moment(ended.at)
    return Wanted((at - timedelta(days=1)).isoformat(timespec="seconds") if at else "")

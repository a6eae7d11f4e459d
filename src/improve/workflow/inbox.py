"""From the queue into the inbox, and from there into the rules.

A prompt that surely says a stored rule again counts at once; the rest waits as a candidate until somebody phrases it.
A file leaves the queue only after what it became is durable, and each step can be done twice: an event has one key,
and its observation one identity made from it.
"""

from __future__ import annotations

import contextlib
import os
import time
from datetime import datetime
from typing import TYPE_CHECKING

from improve import files, queue
from improve.errors import ImproveError
from improve.inbox import Candidate
from improve.workflow.desk import Desk
from improve.workflow.taken import Taken

if TYPE_CHECKING:
    from improve.queue import Heard
    from improve.view import View
    from improve.workflow.here import Here

QUEUE = "queue"
QUICK, PATIENT = 0.25, 2.5
"""Seconds that a command which only looks gives to the queue, and that `drain` gives."""
KEPT_DAYS = 90
"""The end of a session that nobody read for so long is forgotten."""
_BATCH = 50


def take_in(here: Here, view: View | None = None, *, seconds: float = QUICK) -> Taken:
    """Turn the prompts that wait into observations and candidates, as many as the time allows.

    Raises:
        Busy: another process holds the inbox for long.
        NeedsRepair: rules.yaml cannot be read; the queue waits.
    """
    paths = queue.prompts(here.home.file(QUEUE))
    if not paths or here.off():
        return Taken()
    until = time.monotonic() + seconds
    desk = Desk(here, view, patience=seconds)
    taken, done = Taken(), 0
    while done < len(paths) and (not done or time.monotonic() < until):
        taken = taken.plus(_settle_batch(desk, paths[done : done + _BATCH], until))
        done += _BATCH
    return taken._replace(left=taken.left + max(len(paths) - done, 0))


def _settle_batch(desk: Desk, paths: list[str], until: float) -> Taken:
    """Take in some prompts: first all of them are safe elsewhere, then their files go."""
    heard, unreadable = _loaded(paths)
    found: list[Candidate] = []
    done: list[str] = []
    for path, event in heard:
        if desk.is_off(event.host, event.cwd):
            continue
        if done and time.monotonic() > until:
            break
        done.append(path)
        found.append(_candidate(event, desk.here.config.least_severity))
    taken = desk.settle(found)
    for path in done:
        files.unlink(path)
    return taken._replace(unreadable=tuple(unreadable), left=len(heard) - len(done))


def _candidate(event: Heard, least: int) -> Candidate:
    """Look closely at the words of a prompt; what the agent had done before is known once its transcript is read."""
    from improve.detectors import finding, words

    verdict = words.judge(event.text)
    lasting = verdict.durable or verdict.rule  # no trifle, as in a transcript
    severity = max(verdict.severity, 2 if lasting else 1)
    kept = verdict.tier != finding.NONE and severity >= least
    return Candidate(
        id="",
        key=event.key,
        at=event.at,
        text=event.text,
        host=event.host,
        session=event.session,
        cwd=event.cwd,
        signal=verdict.signal if kept else event.signal,
        severity=severity,
        confidence=round(verdict.confidence, 3),
        tier=verdict.tier if kept else finding.NONE,
        durable=verdict.durable,
        rank=round(verdict.rank, 3),
        phrase=verdict.rule,
    )


def _loaded(paths: list[str]) -> tuple[list[tuple[str, Heard]], list[str]]:
    """Read prompts, oldest first; one that another process took meanwhile is no loss."""
    heard, unreadable = [], []
    for path in paths:
        event = queue.load(path)
        if event is not None and _is_moment(event.at):
            heard.append((path, event))
        elif os.path.lexists(path):
            unreadable.append(path)
    return sorted(heard, key=lambda pair: pair[1].at), unreadable


def _is_moment(at: str) -> bool:
    try:
        return datetime.fromisoformat(at).tzinfo is not None
    except ValueError:
        return False


def drain(here: Here, *, seconds: float = PATIENT) -> Taken:
    """Take in the queue and the spool, look at open candidates again, and forget old endings.

    Raises:
        Busy: another process is draining.
    """
    from improve import locks
    from improve.workflow import endings, record, triage
    from improve.workflow.waiting import waiting

    if here.off():
        return Taken()
    files.private_directory(here.home.path)
    key = os.path.join(os.path.realpath(here.home.path), "drain")
    with locks.lock(key, directory=files.private_directory(here.home.state), timeout=0.0):
        _tidy(here)
        taken = take_in(here, seconds=seconds).plus(endings.read_ended(here, seconds=seconds))
        record.drain(here)
        if linked := triage.settle(here, seconds=seconds / 2):
            record.drain(here)
        # a session that starts has no time to read a long file it does not know
        with contextlib.suppress(ImproveError):
            here.store.view()
            waiting(here)
        return taken._replace(linked=taken.linked + linked)


def _tidy(here: Here) -> None:
    """Remove drafts that a kill left behind, and the ends of sessions that nobody read for long."""
    for directory in (here.home.spool, here.home.file(QUEUE)):
        files.sweep(directory)
    oldest = here.now.timestamp() - KEPT_DAYS * 86_400
    for path in queue.endings(here.home.file(QUEUE)):
        try:
            if os.lstat(path).st_mtime < oldest:
                files.unlink(path)
        except (OSError, ImproveError):
            continue

"""Settle what waits in the inbox: accept it as a rule, dismiss it, or find the rule that was recorded since."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

from improve import inbox
from improve.errors import Busy, ImproveError, Refused
from improve.inbox import ACCEPTED, DISMISSED, MATCHED, Candidate
from improve.workflow import archive
from improve.workflow.recurrence import archived, count, oid_of, pending_of, project_at, rule_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from improve.workflow.here import Here
    from improve.workflow.record import Recorded

QUICK = 0.25
"""Seconds that a command gives to what is not its own work."""


class Said(NamedTuple):
    """Candidates that say one rule, and its text; without a text the words of each are its own rule."""

    names: tuple[str, ...]
    text: str = ""


class Accepted(NamedTuple):
    """A rule that candidates became, and how many more of them than the first count for it."""

    recorded: Recorded
    names: tuple[str, ...]


def accept_all(here: Here, said: Sequence[Said], *, domain: str = "", by_person: bool = False) -> list[Accepted]:
    """Record candidates as observations of rules; all of them are looked at before the first is recorded.

    Raises:
        NoSuchRule: one of the names is none; nothing is changed.
        Refused: one is settled already, or its words cannot be a rule; nothing is changed.
        Busy: what is accepted waits in the spool.
    """
    if why := here.off():
        raise Refused(why)
    known = inbox.read(here.home.file(inbox.FILE))
    meant = []
    seen: set[str] = set()
    for item in said:
        found = known.all_named(item.names)
        for candidate in found:
            inbox.refuse_settled(candidate)
            if candidate.key in seen:
                raise Refused(f"{candidate.id} is named for two rules; nothing was recorded. Name it for one")
        seen.update(candidate.key for candidate in found)
        if item.text.strip() and len(found) > 1:
            meant.append((found, _phrased(found[0], item.text)))
        else:
            meant += [([candidate], _phrased(candidate, item.text)) for candidate in found]
    return [_accept(here, found, text, domain, by_person=by_person) for found, text in meant]


def _accept(here: Here, found: list[Candidate], text: str, domain: str, *, by_person: bool) -> Accepted:
    from improve import spool
    from improve.workflow import record

    first = found[0]
    pending = pending_of(first, project_at(here, first.cwd))._replace(text=text, domain=domain)
    pending = pending._replace(provenance="person") if by_person else pending
    if pending.oid in spool.identities(here.home):  # an earlier run got as far as that
        record.drain(here)
    try:
        recorded = record.observe(here, pending)
    except FileExistsError:
        what = f"{first.id} was accepted and waits in the spool"
        raise Busy(f"{what}; it is merged by the next command that can. Do not repeat it") from None
    rule = recorded.rule.id
    for candidate in found[1:]:
        count(here, candidate, rule, project_at(here, candidate.cwd))
    if found[1:]:
        record.drain(here)
        recorded = record.as_it_stands(here, recorded)
    for candidate in found:
        inbox.close(here.home, candidate.id, state=ACCEPTED, at=here.moment, rule=rule)
    return Accepted(recorded, tuple(candidate.id for candidate in found))


def merge_into(here: Here, names: Sequence[str], rule: str) -> list[Candidate]:
    """Count candidates as occasions of a stored rule.

    Raises:
        NoSuchRule: there is no such candidate or rule; nothing is changed.
        Refused: one is settled already; nothing is changed.
    """
    from improve.workflow import record

    if why := here.off():
        raise Refused(why)
    known = inbox.read(here.home.file(inbox.FILE))
    found = known.all_named(names)
    for candidate in found:
        inbox.refuse_settled(candidate)
    target = here.store.view().rule(rule)
    for candidate in found:
        count(here, candidate, target.id, project_at(here, candidate.cwd))
    record.drain(here)
    return [inbox.close(here.home, c.id, state=MATCHED, at=here.moment, rule=target.id) for c in found]


def _phrased(candidate: Candidate, text: str) -> str:
    from improve import wording

    if text.strip():
        return wording.check_rule(text)
    try:
        return wording.check_said(candidate.phrase or candidate.text)
    except Refused as exc:
        why = str(exc).partition(";")[0]
        raise Refused(
            f"The words of {candidate.id} cannot be a rule as they stand ({why}); nothing was recorded. "
            f'Phrase it: improve accept {candidate.id} "<one imperative sentence>"'
        ) from None


def dismiss(here: Here, names: Sequence[str], *, always: bool = False) -> list[Candidate]:
    """Settle candidates as none; for good, the same words never wait again.

    Raises:
        NoSuchRule: one of the names is none; nothing is changed.
        Refused: one became a rule already; nothing is changed.
    """
    if why := here.off():
        raise Refused(why)
    found = inbox.read(here.home.file(inbox.FILE))
    meant = found.all_named(names)
    for candidate in meant:
        if candidate.state != DISMISSED:
            inbox.refuse_settled(candidate)
    return [_dismissed(here, candidate, always) for candidate in meant]


def _dismissed(here: Here, candidate: Candidate, always: bool) -> Candidate:
    if candidate.state == DISMISSED and (candidate.always or not always):
        return candidate
    again = candidate.state == DISMISSED
    return inbox.close(here.home, candidate.id, state=DISMISSED, at=here.moment, always=always, again=again)


def settle(here: Here, *, seconds: float = QUICK) -> int:
    """Look at open candidates again, newest first: rules recorded since may be theirs. Returns how many are settled."""
    path = here.home.file(inbox.FILE)
    waiting = inbox.read(path).open
    if not waiting or here.off():
        return 0
    until, view, settled = time.monotonic() + seconds, here.store.view(), 0
    shelf = archive.glance(here)
    for candidate in reversed(waiting):
        if time.monotonic() > until:
            break
        rule, sure = rule_of(view, candidate)
        if not rule:
            rule, sure = archived(shelf, candidate), True
        if not rule:
            continue
        held = view.index.holder(oid_of(candidate.key)) is not None
        if sure and not held:
            count(here, candidate, rule, project_at(here, candidate.cwd))
        try:
            inbox.close(here.home, candidate.id, state=ACCEPTED if held else MATCHED, at=here.moment, rule=rule)
        except Refused:  # somebody settled it meanwhile
            continue
        settled += 1
    return settled


def settle_quietly(here: Here) -> int:
    """Settle after an answer is out; a store that cannot be changed now does it next time."""
    try:
        from improve.workflow import record

        settled = settle(here)
        return record.drain(here) if settled else 0
    except (ImproveError, OSError):
        return 0

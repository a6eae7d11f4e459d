"""From the queue into the inbox, and from there into the rules.

A prompt that surely says a stored rule again counts at once; the rest waits as a candidate until somebody phrases it.
A file leaves the queue only after what it became is durable, and each step can be done twice: an event has one key,
and its observation one identity made from it.
"""

from __future__ import annotations

import os
import time
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from improve import files, inbox, queue
from improve.errors import Busy, ImproveError, Refused
from improve.inbox import ACCEPTED, DISMISSED, MATCHED, Candidate
from improve.rule import UNKNOWN

if TYPE_CHECKING:
    from improve.paths import Home
    from improve.project import Project
    from improve.queue import Heard
    from improve.spool import Pending
    from improve.view import View
    from improve.workflow.here import Here
    from improve.workflow.record import Recorded

QUEUE = "queue"
QUICK, PATIENT = 0.25, 4.0
"""Seconds that a command which only looks gives to the queue, and that `drain` gives."""
KEPT_DAYS = 90
"""The end of a session that nobody read for so long is forgotten."""
OLDEST = 3
_BATCH = 50
_SURE = 300
"""Characters; a longer text says more than one thing, so it is never counted as a rule by itself."""
_CONFIDENCE, _SURELY = 0.5, 1.0
"""A first look at the words is no more than even; that it is one is sure when it says a rule again."""


class Taken(NamedTuple):
    """What became of the queue."""

    waiting: int = 0
    """New candidates."""
    counted: int = 0
    """Prompts that said a stored rule again."""
    linked: int = 0
    """Prompts whose rule the agent had recorded itself."""
    dropped: int = 0
    """Our own words, events known before, and words dismissed for good."""
    unreadable: tuple[str, ...] = ()
    """Files that stay in the queue because nobody can read them."""
    left: int = 0
    """Prompts for the next run."""

    def plus(self, other: Taken) -> Taken:
        """Add up."""
        return Taken(
            self.waiting + other.waiting,
            self.counted + other.counted,
            self.linked + other.linked,
            self.dropped + other.dropped,
            self.unreadable + other.unreadable,
            self.left + other.left,
        )


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
    desk = _Desk(here, view)
    taken, done = Taken(), 0
    while done < len(paths) and (not done or time.monotonic() < until):
        taken = taken.plus(desk.settle_batch(paths[done : done + _BATCH]))
        done += _BATCH
    return taken._replace(left=taken.left + max(len(paths) - done, 0))


class _Desk:
    """Where one run sorts what it takes from the queue."""

    def __init__(self, here: Here, view: View | None) -> None:
        self.here = here
        if view is not None:
            self.__dict__["view"] = view
        self.known = inbox.read(here.home.file(inbox.FILE))
        self.places: dict[str, Project | None] = {}

    @cached_property
    def view(self) -> View:
        """The rules; read when the first prompt needs them, for a file that nobody can read needs none."""
        return self.here.store.view()

    @cached_property
    def never(self) -> frozenset[str]:
        """The words that were dismissed for good."""
        from improve import match

        return frozenset(map(match.normalize, self.known.never))

    def settle_batch(self, paths: list[str]) -> Taken:
        """Take in some prompts: first all of them are safe elsewhere, then their files go."""
        heard, unreadable = _loaded(paths)
        found: list[Candidate] = []
        done: list[str] = []
        left = 0
        for path, event in heard:
            if self._is_off(event):
                left += 1
                continue
            done.append(path)
            if self._is_new(event):
                found.append(self._judged(event))
        added = inbox.add(self.here.home, found)
        for path in done:
            files.unlink(path)
        matched = [candidate for candidate in added if candidate.state == MATCHED]
        counted = sum(candidate.confidence == _SURELY for candidate in matched)
        return Taken(
            waiting=len(added) - len(matched),
            counted=counted,
            linked=len(matched) - counted,
            dropped=len(done) - len(added),
            unreadable=tuple(unreadable),
            left=left,
        )

    def _is_off(self, event: Heard) -> bool:
        from improve import switch

        def where() -> tuple[str, str]:
            found = self.place(event.cwd)
            return (found.key, found.root) if found else ("", "")

        path = self.here.home.file(switch.FILE)
        return switch.in_force(path, lambda: self.here.now, event.host, where) is not None

    def _is_new(self, event: Heard) -> bool:
        from improve import cue

        if event.key in self.known.candidates or cue.is_ours(event.text):
            return False
        if not self.known.never:
            return True
        from improve import match

        return match.normalize(inbox.shortened(event.text)) not in self.never

    def _judged(self, event: Heard) -> Candidate:
        """Make a candidate; one that says a rule again is counted before it is put down as matched."""
        found = self.place(event.cwd)
        candidate = Candidate(
            id="",
            key=event.key,
            at=event.at,
            text=inbox.shortened(event.text),
            host=_label(event.host, "host"),
            session=_label(event.session, "session"),
            project=found.key if found else UNKNOWN,
            cwd=event.cwd,
            signal=_label(event.signal, "signal"),
            confidence=_CONFIDENCE,
        )
        rule, sure = rule_of(self.view, candidate)
        if rule and sure:
            count(self.here, candidate, rule, found)
        if rule:
            return candidate._replace(state=MATCHED, rule=rule, confidence=_SURELY if sure else _CONFIDENCE)
        return candidate

    def place(self, cwd: str) -> Project | None:
        """Find the project of a directory, looked up once a run."""
        if cwd not in self.places:
            self.places[cwd] = project_at(self.here, cwd)
        return self.places[cwd]


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
    from datetime import datetime

    try:
        return datetime.fromisoformat(at).tzinfo is not None
    except ValueError:
        return False


def _label(text: str, what: str) -> str:
    """Give a host's word for something as a clean label, or nothing."""
    from improve import wording

    try:
        return wording.check_label(text, what) if text else ""
    except Refused:
        return ""


def project_at(here: Here, cwd: str) -> Project | None:
    """Find the project of a directory; the name in our environment is that of the current one only."""
    from improve import project

    if not os.path.isabs(cwd):
        return None
    env = {name: value for name, value in here.env.items() if name != "AGENT_PROJECT_NAME"}
    found = project.identify(cwd, home=here.home.user, env=env)
    return here.project if found and here.project and here.project.root == found.root else found


def rule_of(view: View, candidate: Candidate) -> tuple[str, bool]:
    """Name the stored rule that a person's words belong to, and say whether they surely say it again.

    Without being sure, it is a rule that was recorded in the same session and resembles the words.
    """
    from improve import match
    from improve.workflow.likeness import similar

    if row := view.index.holder(oid_of(candidate.key)):
        return row.rule.id, True
    short = len(candidate.text) <= _SURE and not {"?", "？"} & set(candidate.text)
    if short and (row := view.index.same_wording(match.normalize(candidate.text))):
        return row.rule.id, True
    likenesses = similar(view, candidate.text)
    same = [like for like in likenesses if like.relation == "same"]
    if short and same:
        return max(same, key=lambda like: like.score).rule.id, True
    here = (candidate.host, candidate.session)
    for like in likenesses:
        close = like.relation in ("same", "related") or (like.near and like.relation != "contradict")
        if close and candidate.session and any((o.host, o.session) == here for o in like.rule.observations):
            return like.rule.id, False
    return "", False


def oid_of(key: str) -> str:
    """Give the observation of an event its identity, so that it counts once whoever records it."""
    import hashlib

    return hashlib.sha256(f"inbox\0{key}".encode("utf-8", "surrogatepass")).hexdigest()[:12]


def count(here: Here, candidate: Candidate, rule: str, place: Project | None) -> None:
    """Put one more occasion of a rule into the spool."""
    import contextlib

    from improve import spool

    pending = pending_of(candidate, place)._replace(same_as=rule)
    files.private_directory(here.home.path)
    with contextlib.suppress(FileExistsError):  # a run that was killed did it
        spool.put(here.home.spool, pending)


def pending_of(candidate: Candidate, place: Project | None) -> Pending:
    """Make the observation of a candidate; what it says is evidence, no rule yet."""
    from improve import wording
    from improve.spool import Pending

    pending = Pending(
        oid=oid_of(candidate.key),
        at=candidate.at,
        date=candidate.at[:10],
        project=candidate.project or UNKNOWN,
        context=wording.check_evidence(candidate.text),
        session=candidate.session,
        host=candidate.host,
        signal=candidate.signal,
        severity=candidate.severity,
        provenance="transcript",
    )
    if place is None or place.key != pending.project:
        return pending
    return pending._replace(root=place.root, remote=place.remote, name=place.name)


def settle(here: Here, *, seconds: float = QUICK) -> int:
    """Look at open candidates again, newest first: rules recorded since may be theirs. Returns how many are settled."""
    path = here.home.file(inbox.FILE)
    waiting = inbox.read(path).open
    if not waiting or here.off():
        return 0
    until, view, settled = time.monotonic() + seconds, here.store.view(), 0
    for candidate in reversed(waiting):
        if time.monotonic() > until:
            break
        rule, sure = rule_of(view, candidate)
        if not rule:
            continue
        held = view.index.holder(oid_of(candidate.key)) is not None
        if sure and not held:
            count(here, candidate, rule, project_at(here, candidate.cwd))
        try:
            inbox.close(here.home, candidate.id, state=ACCEPTED if held else MATCHED, at=_now(here), rule=rule)
        except Refused:  # somebody settled it meanwhile
            continue
        settled += 1
    return settled


def _now(here: Here) -> str:
    return here.now.isoformat(timespec="seconds")


def drain(here: Here, *, seconds: float = PATIENT) -> Taken:
    """Take in the queue and the spool, look at open candidates again, and forget old endings.

    Raises:
        Busy: another process is draining.
    """
    from improve import locks
    from improve.workflow import record

    if here.off():
        return Taken()
    files.private_directory(here.home.path)
    key = os.path.join(os.path.realpath(here.home.path), "drain")
    with locks.lock(key, directory=files.private_directory(here.home.state), timeout=0.0):
        _tidy(here)
        taken = take_in(here, seconds=seconds)
        record.drain(here)
        if linked := settle(here, seconds=seconds / 2):
            record.drain(here)
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


def waiting(home: Home) -> tuple[int, list[Candidate]]:
    """Count the open candidates and give the oldest few; a reader that must not fail is told of none."""
    path = home.file(inbox.FILE)
    if not os.path.lexists(path):
        return 0, []
    try:
        found = inbox.read(path).open
    except ImproveError:
        return 0, []
    return len(found), found[:OLDEST]


def accept(here: Here, name: str, text: str = "", *, domain: str = "", by_person: bool = False) -> Recorded:
    """Record a candidate as an observation of a rule with this text, or with its own words.

    Raises:
        Refused: it is settled already, or its own words cannot be a rule.
    """
    from improve import spool
    from improve.workflow import record

    if why := here.off():
        raise Refused(why)
    candidate = inbox.read(here.home.file(inbox.FILE)).named(name)
    inbox.refuse_settled(candidate)
    pending = pending_of(candidate, project_at(here, candidate.cwd))._replace(text=_phrased(candidate, text))
    pending = pending._replace(domain=domain, provenance="person" if by_person else pending.provenance)
    if pending.oid in spool.identities(here.home.spool):  # an earlier run got as far as that
        record.drain(here)
        if pending.oid in spool.identities(here.home.spool):
            raise Busy(f"{candidate.id} was accepted and waits in the spool; it is merged by the next command that can")
    recorded = record.observe(here, pending)
    inbox.close(here.home, candidate.id, state=ACCEPTED, at=_now(here), rule=recorded.rule.id)
    return recorded


def _phrased(candidate: Candidate, text: str) -> str:
    from improve import wording

    if text.strip():
        return wording.check_rule(text)
    try:
        return wording.check_rule(candidate.text)
    except Refused as exc:
        why = str(exc).partition(";")[0]
        raise Refused(
            f"The words of {candidate.id} cannot be a rule as they stand ({why}); nothing was recorded. "
            f'Phrase it: improve accept {candidate.id} "<one imperative sentence>"'
        ) from None


def dismiss(here: Here, name: str, *, always: bool = False) -> Candidate:
    """Settle a candidate as none; for good, the same words never wait again.

    Raises:
        Refused: it became a rule already.
    """
    if why := here.off():
        raise Refused(why)
    candidate = inbox.read(here.home.file(inbox.FILE)).named(name)
    if candidate.state == DISMISSED and (candidate.always or not always):
        return candidate
    again = candidate.state == DISMISSED
    return inbox.close(here.home, candidate.id, state=DISMISSED, at=_now(here), always=always, again=again)


def settle_quietly(here: Here) -> int:
    """Settle after an answer is out; a store that is busy does it next time."""
    try:
        from improve.workflow import record

        settled = settle(here)
        return record.drain(here) if settled else 0
    except (Busy, OSError):
        return 0

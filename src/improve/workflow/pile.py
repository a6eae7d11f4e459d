"""Candidates that say the same thing, as one question: what a person or an agent settles at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from improve import cluster, inbox
from improve.errors import Refused
from improve.report import counted
from improve.rule import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Iterable

    from improve.cluster import Cluster
    from improve.inbox import Candidate
    from improve.rule import Rule
    from improve.view import View
    from improve.workflow.here import Here

_GROUPED = 2_000
"""Candidates that are grouped at once."""


class Pile(NamedTuple):
    """What was said in one sense, the wording that says it best first."""

    candidates: tuple[Candidate, ...]
    sessions: int
    projects: int
    hosts: int
    score: float

    @property
    def first(self) -> Candidate:
        """Give the candidate with the best wording."""
        return self.candidates[0]

    @property
    def more(self) -> tuple[Candidate, ...]:
        """Give the others, oldest first."""
        return self.candidates[1:]

    @property
    def names(self) -> tuple[str, ...]:
        """Give the ids."""
        return tuple(candidate.id for candidate in self.candidates)

    @property
    def phrase(self) -> str:
        """Give the rule as it may be accepted without another word; empty where it must be worded first."""
        return self.first.phrase or _as_it_stands(self.first.text)

    @property
    def times(self) -> str:
        """Say how often, where and with which agents."""
        parts = [f"in {counted(self.projects, 'project')}" if self.projects > 1 else ""]
        parts.append(f"with {counted(self.hosts, 'agent')}" if self.hosts > 1 else "")
        return " ".join(filter(None, [f"in {counted(self.sessions, 'session')}", *parts]))


def _as_it_stands(text: str) -> str:
    from improve import wording

    try:
        return wording.check_said(text)
    except Refused:
        return ""


def piles(candidates: Iterable[Candidate], *, surely: bool) -> list[Pile]:
    """Group candidates, the group first that a rule would save most for.

    Args:
        surely: Group only what surely says the same; else also what looks related.
    """
    by_key = {candidate.key: candidate for candidate in candidates}
    return [_pile(found, by_key) for found in cluster.cluster(map(_told, by_key.values()), surely=surely)]


def _told(candidate: Candidate) -> cluster.Told:
    return cluster.Told(
        candidate.text,
        candidate.session,
        "" if candidate.project == UNKNOWN else candidate.project or candidate.cwd,
        candidate.host,
        candidate.at,
        candidate.phrase,
        candidate.signal,
        max(candidate.severity, 1),
        candidate.rank,
        candidate.key,
    )


def _pile(found: Cluster, by_key: dict[str, Candidate]) -> Pile:
    members = [by_key[one.key] for one in found.told]
    best = max(members, key=lambda one: (bool(one.phrase), one.rank, -len(one.text)))
    rest = tuple(one for one in members if one is not best)
    return Pile((best, *rest), found.sessions, found.projects, found.hosts, found.score)


def waiting(here: Here, signal: str = "") -> list[Pile]:
    """Group what waits in the inbox, or what waits of one signal."""
    found = inbox.read(here.home.file(inbox.FILE)).open
    return piles(_likeliest([one for one in found if signal in ("", one.signal)]), surely=True)


def _likeliest(found: list[Candidate]) -> list[Candidate]:
    """Leave for later what is asked about last anyway: nobody waits seconds for the first question of thousands."""
    if len(found) <= _GROUPED:
        return found
    from collections import Counter
    from heapq import nlargest

    times = Counter(" ".join(one.text.casefold().split()) for one in found)
    return nlargest(_GROUPED, found, lambda one: (times[" ".join(one.text.casefold().split())] > 1, one.rank))


def left_of(here: Here, each: Pile) -> Pile | None:
    """Give what of a pile still waits; None when all of it was settled meanwhile, by us or by others."""
    waits = {candidate.key for candidate in inbox.read(here.home.file(inbox.FILE)).open}
    left = [candidate for candidate in each.candidates if candidate.key in waits]
    if len(left) == len(each.candidates):
        return each
    return piles(left, surely=True)[0] if left else None


def count_waiting(here: Here) -> int:
    """Count what waits in the inbox."""
    return len(inbox.read(here.home.file(inbox.FILE)).open)


def near(view: View, pile: Pile) -> Rule | None:
    """Give the stored rule that a pile may say again."""
    from improve.workflow.likeness import similar

    for like in similar(view, pile.phrase or pile.first.text):
        if like.near and like.relation in ("same", "related"):
            return like.rule
    return None

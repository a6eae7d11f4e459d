"""What a newcomer sees of years of history: the corrections that came again, and nothing written."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from improve import cluster, inbox
from improve.workflow import pile, sources
from improve.workflow.period import began
from improve.workflow.scan import Coverage, Reading, Wanted, candidate_of

if TYPE_CHECKING:
    from improve.inbox import Candidate
    from improve.workflow.here import Here
    from improve.workflow.pile import Pile
    from improve.workflow.sources import Source


class Prepared(NamedTuple):
    """What is about to be read."""

    reading: Reading
    sources: list[Source]

    @property
    def size(self) -> int:
        """Bytes."""
        return sum(source.size for source in self.sources)


class Look(NamedTuple):
    """What was found."""

    coverage: Coverage
    corrected: list[Pile]
    """What may be worth a rule, what would save most first."""
    asked: list[Pile]
    """The same instruction in several sessions."""


def prepare(here: Here, hosts: tuple[str, ...], since: str) -> Prepared:
    """Find what there is to read."""
    here.store.keeps = False
    reading = Reading(here, Wanted(began(since, here.now) if since else ""), {})
    return Prepared(reading, reading.changed(sources.everywhere(here, hosts)))


def look(prepared: Prepared, tick: Callable[[int], None]) -> Look:
    """Read it all and put together what says the same.

    Args:
        tick: Is told how many more bytes are done.
    """
    reading = prepared.reading
    found: dict[str, Candidate] = {}
    for source in prepared.sources:
        for session, finding in reading.findings(source):
            candidate = candidate_of(session, finding, source)
            found.setdefault(candidate.key, reading.desk.completed(candidate))
        tick(source.size)
    corrected = [
        each
        for each in pile.piles(inbox.unseen(found.values()), surely=False)
        if each.sessions > 1 or each.first.durable
    ]
    told = {(one.host, one.session, one.text) for one in found.values()}
    return Look(reading.coverage, corrected, _asked(reading.asks, told))


def _asked(asks: list[Candidate], told: set[tuple[str, str, str]]) -> list[Pile]:
    """Group instructions that several sessions asked for; what corrects the agent is shown with the corrections."""
    asks = [one for one in asks if (one.host, one.session, inbox.shortened(one.text)) not in told]
    return [
        pile.Pile(
            tuple(asks[int(one.key)] for one in found.told),
            found.sessions,
            found.projects,
            found.hosts,
            found.score,
        )
        for found in cluster.repeated(
            cluster.Told(ask.text, ask.session, ask.cwd, ask.host, ask.at, key=str(number))
            for number, ask in enumerate(asks)
        )
    ]

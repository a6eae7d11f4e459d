"""verify: whether each written rule did something, from what was done before and after it was written."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from improve.errors import ImproveError
from improve.proof import RECURRING, UNKNOWN, Judgement, judge
from improve.rule import Rule, Verdict, occasions
from improve.workflow import past
from improve.workflow.evidence import Slip
from improve.workflow.moments import moment
from improve.workflow.past import Covered
from improve.workflow.tally import Case, Met, Trial, newest

if TYPE_CHECKING:
    from improve.ledger import Ledger
    from improve.view import View
    from improve.workflow.here import Here

__all__ = ["Met", "Proof", "Slip", "Verified", "last_run", "verify"]

WEEK = 7
"""Days after which verdicts are written down again though nothing changed."""


class Proof(NamedTuple):
    """What is known of one written rule."""

    rule: Rule
    written: str
    """The moment it was first written, ISO 8601 with zone, or the day."""
    judgement: Judgement
    occasions_before: int
    occasions_after: int
    slips: tuple[Slip, ...]
    """Since it was written, newest first."""
    cause: str = ""
    """As in `rule.Verdict.cause`."""
    detail: str = ""
    fix: str = ""
    """The command that fixes it; empty when nothing is wrong."""
    met: tuple[Met, ...] = ()
    """Sessions since it was written in which its topic came up, newest first; only of rules that were named."""
    days: float = 0.0
    """Since it was written."""


class Verified(NamedTuple):
    """What one run of verify found."""

    proofs: tuple[Proof, ...]
    covered: Covered
    sessions: int = 0
    """Sessions that were looked at."""
    first: str = ""
    last: str = ""
    """Moments of the earliest and the latest of them."""
    kept: int = 0
    """Verdicts that were written down because something changed, or a week went by."""
    notes: tuple[str, ...] = ()


def verify(here: Here, ids: Sequence[str] = (), *, since: str = "") -> Verified:
    """Judge the written rules named, or all of them; the verdicts are kept with the rules and in the journal.

    Args:
        since: The earliest moment of the history that is looked at, ISO 8601, UTC; empty for all that is known.
            What a part of the history says is shown and not kept.

    Raises:
        NoSuchRule: an id is not known.
    """
    view = here.store.view()
    rules = [view.rule(rule_id) for rule_id in dict.fromkeys(ids)] if ids else list(_written(view))
    ledger, covered = past.bring_up_to_date(here, tell=here.tell)
    with contextlib.closing(ledger):
        found, seen = _tried(here, view, rules, ledger, since=since, detail=bool(ids))
        proofs = sorted((_proof(here, view, case, ledger) for case in found.cases.values()), key=_order)
    kept, notes = (0, ()) if since else _kept(here, proofs, whole=not ids)
    return Verified(tuple(proofs), covered, *seen, kept, notes)


def _written(view: View) -> Iterator[Rule]:
    rows = view.index.written()
    return (row.rule for row in rows if row.rule.written_to and not row.rule.retired and not row.problems)


def _order(proof: Proof) -> tuple[int, float, str]:
    """Put what recurs first, most often first; then what slipped without a verdict, then what held."""
    state = proof.judgement.state
    rank = 0 if state == RECURRING else 1 if proof.slips else 3 if state == UNKNOWN else 2
    return rank, -proof.judgement.after.failed, proof.rule.id


# --- counting ---


def _tried(
    here: Here, view: View, rules: Sequence[Rule], ledger: Ledger, *, since: str, detail: bool
) -> tuple[Trial, tuple[int, str, str]]:
    from improve.workflow.firing import firings
    from improve.workflow.topics import Topics

    topics = Topics(here, rules, ledger)
    trial = Trial(rules, topics, detail=detail)
    count, first, last = 0, "", ""
    for entry in past.sessions(here, view, ledger, since=since):
        trial.take(entry)
        count += 1
        first, last = min(first or entry.started, entry.started), max(last, entry.ended)
    for firing in firings(here, since=since):
        trial.take_firing(firing._replace(project=here.full_key(firing.project, view)))
    trial.close(since)
    topics.close()
    return trial, (count, first, last)


def _proof(here: Here, view: View, case: Case, ledger: Ledger) -> Proof:
    rule, now = case.rule, here.now.timestamp()
    days = max(now - case.first, 0.0) / 86_400 if case.first is not None else 0.0
    before, loaded, whole = case.tallies
    judgement = judge(before, loaded, days)
    if judgement.state == UNKNOWN and whole != loaded:
        anyway = judge(before, whole, days)
        judgement = anyway if anyway.state == RECURRING else judgement
    after = [o for o in rule.observations if case.is_after(o)]
    told = occasions(rule._replace(observations=tuple(after), folded=()))
    written = next((w.at or w.date for at, w in case.lines if at == case.first), "")
    proof = Proof(rule, written, judgement, occasions(rule) - told, told, newest(case.slips), days=days)
    proof = proof._replace(met=case.sessions)
    if judgement.state == RECURRING or (case.slips and judgement.state == UNKNOWN):
        from improve.workflow.blame import blame

        found = blame(here, view, case, ledger, sure=judgement.state == RECURRING)
        proof = proof._replace(**found._asdict()) if found else proof
    return proof


# --- keeping ---


def last_run(here: Here) -> str:
    """Give the moment of the last run over all rules that was written down; empty when there was none."""
    from improve import journal

    told = journal.read_back(here.home.journal, only=("verified",))
    return next((str(event.get("at", "")) for event in told if event.get("whole")), "")


def is_week_ago(here: Here, at: str) -> bool:
    """Say whether a moment is a week ago, or none; one that a wrong clock told from the future is none."""
    then = moment(at)
    return then is None or not -86_400 <= here.now.timestamp() - then < WEEK * 86_400


def _kept(here: Here, proofs: Sequence[Proof], *, whole: bool) -> tuple[int, tuple[str, ...]]:
    """Write down what changed: with the rules, and the numbers in the journal."""
    due = [proof for proof in proofs if _matters(here, proof)]
    if not due and not (whole and proofs and is_week_ago(here, last_run(here))):
        return 0, ()
    if why := here.off():
        return 0, (f"the verdicts were not kept: {why}",)
    kept = []
    try:
        with here.store.edit(here.now) as edit:
            for proof in due:
                row = edit.index.by_id(proof.rule.id)
                if row and not row.problems and row.rule.written_to == proof.rule.written_to:
                    edit.put(row.rule._replace(verdict=_verdict(here, proof)))
                    kept.append(proof)
            title = f"verify: {summed(proofs)}"
            told = [_as_data(proof) for proof in (proofs if whole else kept)]
            edit.commit({"event": "verified", "title": title, "whole": whole, "verdicts": told})
    except ImproveError as exc:
        return 0, (f"the verdicts were not kept: {exc}",)
    return len(kept), ()


def _matters(here: Here, proof: Proof) -> bool:
    """Say whether a verdict is to be written: its state, cause or numbers changed, or it is a week old."""
    old = proof.rule.verdict
    if old is None:
        return proof.judgement.state != UNKNOWN or bool(proof.slips) or proof.days >= WEEK
    told = proof.judgement
    kept = (old.state, old.cause, old.exposed_before, old.failed_before, old.exposed, old.failed)
    return kept != (told.state, proof.cause, *told.before, *told.after) or is_week_ago(here, old.at)


def _verdict(here: Here, proof: Proof) -> Verdict:
    told, old = proof.judgement, proof.rule.verdict
    since = old.since if old and old.state == told.state and old.since and _is_of_now(proof, old) else here.today
    return Verdict(
        told.state, here.moment, since, *told.before, *told.after, cause=proof.cause, detail=proof.detail[:200]
    )


def _is_of_now(proof: Proof, old: Verdict) -> bool:
    """Say whether a verdict is about the lines a rule has now: what held before they were written proves nothing."""
    written, measured = moment(proof.written), moment(old.at)
    return written is None or (measured is not None and measured >= written)


def _as_data(proof: Proof) -> dict[str, Any]:
    told = proof.judgement
    data: dict[str, Any] = {
        "rule": proof.rule.id,
        "state": told.state,
        "before": list(told.before),
        "after": list(told.after),
    }
    return {**data, "cause": proof.cause} if proof.cause else data


def summed(proofs: Sequence[Proof]) -> str:
    """Say in one clause how many rules are in which state."""
    states = [proof.judgement.state for proof in proofs]
    said = [("recurring", "recurring"), ("held", "held"), (UNKNOWN, "not enough data")]
    return ", ".join(f"{states.count(state)} {words}" for state, words in said if state in states) or "no written rule"

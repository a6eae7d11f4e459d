"""Which stored rules resemble a text: a shortlist from the index, ranked by the matcher."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from improve.rule import Rule

if TYPE_CHECKING:
    from improve.edit import Edit
    from improve.match import Comparison
    from improve.view import View

SHORTLIST = 40
"""So many rules are compared with a new wording."""
_POSTINGS = 4000
"""Mentions of terms that are looked at for a whole shortlist, in a store of a few thousand rules."""


class Likeness(NamedTuple):
    """Another rule and how it relates to the one observed."""

    rule: Rule
    relation: str
    score: float
    reason: str
    near: bool
    """Whether to ask if it is the same."""


def similar(edit: Edit | View, text: str, *, most: int = SHORTLIST) -> list[Likeness]:
    """Rank the stored rules that resemble a text, the likeliest twin first; no more than *most* are compared."""
    from improve import match

    index = edit.index
    terms = match.terms(text)
    known, total = index.weigh(terms), max(index.count(), 1)
    weights = {t: w * match.importance(known[t], total) for t, w in terms.items() if t in known}
    budget = max(_POSTINGS, total // 2) * most // SHORTLIST
    listed = [(row.rule, score) for row, score in index.shortlist(_rare_enough(weights, known, budget), most)]
    listed = [(rule, score) for rule, score in listed if rule.text]
    own = sum(terms[term] * weight for term, weight in weights.items()) or 1.0
    ranked = match.rerank(text, [rule.text for rule, _ in listed], [score for _, score in listed])
    return [_likeness(*listed[at], own, found, total) for at, found in ranked]


def _likeness(rule: Rule, score: float, own: float, found: Comparison, total: int) -> Likeness:
    from improve import match

    near = match.worth_asking(found, score / own, total)
    return Likeness(rule, found.relation, found.score, found.reason, near)


def _rare_enough(weights: dict[str, float], known: dict[str, int], budget: int) -> dict[str, float]:
    """Leave out the commonest terms once the rarer ones name enough rules: they cost most and tell least."""
    limit: dict[str, float] = {}
    for term in sorted(weights, key=lambda t: known[t]):
        if limit and known[term] > budget:
            break
        budget -= known[term]
        limit[term] = weights[term]
    return limit

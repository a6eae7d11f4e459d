"""Which stored rules resemble a text: a shortlist from the index, ranked by the matcher."""

from __future__ import annotations

from typing import NamedTuple

from improve.edit import Edit
from improve.rule import Rule

SHORTLIST = 40
"""So many rules are compared with a new wording."""


class Likeness(NamedTuple):
    """Another rule and how it relates to the one observed."""

    rule: Rule
    relation: str
    score: float
    reason: str


def similar(edit: Edit, text: str) -> list[Likeness]:
    """Rank the stored rules that resemble a text, best first."""
    from improve import match

    index = edit.index
    terms = match.terms(text)
    known, total = index.weigh(terms), max(index.count(), 1)
    weights = {t: w * match.importance(known[t], total) for t, w in terms.items() if t in known}
    rows = [row for row in index.shortlist(_rare_enough(weights, known, total), SHORTLIST) if row.rule.id]
    ranked = match.rerank(text, [row.rule.text for row in rows])
    return [Likeness(rows[at].rule, found.relation, found.score, found.reason) for at, found in ranked]


def _rare_enough(weights: dict[str, float], known: dict[str, int], total: int) -> dict[str, float]:
    """Leave out the commonest terms once the rarer ones name enough rules: they cost most and tell least."""
    limit: dict[str, float] = {}
    budget = max(4000, total // 2)
    for term in sorted(weights, key=lambda t: known[t]):
        if limit and known[term] > budget:
            break
        budget -= known[term]
        limit[term] = weights[term]
    return limit

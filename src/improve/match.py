"""Is a newly observed rule the same as a stored one, near it, or its opposite? Pure.

Wording alone cannot tell, so there are three tiers: `same` is sure and counts at once, `related` is offered as a
near rule, `contradict` is never merged. `terms` and `importance` make an inverted index of thousands of rules (any
table of term, rule and weight will do); `rerank` settles the shortlist that such an index gives.
"""

from __future__ import annotations

import json
import math
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

from improve.errors import UsageError
from improve.lexicon import model
from improve.lexicon.features import Prepared, features, prepare
from improve.lexicon.look import RARE, rarity
from improve.lexicon.opposites import opposition

__all__ = [
    "Comparison", "Prepared", "Shelf", "answer_pairs", "compare", "compare_prepared", "importance", "normalize",
    "prepare", "rerank", "terms", "worth_asking",
]  # fmt: skip

Relation = Literal["same", "contradict", "related", "different"]

AVERAGE = 30.0
"""Total weight of an average rule: longer rules get less per term, shorter ones more (BM25 with b = 0.5)."""
MOST_TERMS = 40
LEAST = 11.0
"""Common weight below which two rules say too little to be called the same."""

SHORTLIST = 60
MANY = 200
"""Rules that make a store a large one."""
ASK_FEW, ASK_MANY = 0.3, 0.1
"""Share of its own score a text must give a rule that shares little with it otherwise, in a small and a large store."""

_QUOTES = {0x2018: "'", 0x2019: "'", 0x201C: '"', 0x201D: '"'}
_MARKS = re.compile(r"`+|(?<!\w)[*_]+(?=\S)|(?<=\S)[*_]+(?!\w)")
_LEAD = re.compile(r"^\s*(?:[-*+•]|\d+[.)]|#+|>)\s+(?:\[[ xX]\]\s+)?")


class Comparison(NamedTuple):
    """How two rules relate, how sure it is (0 to 1) that they are the same, and why."""

    relation: Relation
    score: float
    reason: str


def normalize(text: str) -> str:
    """Give the form in which exact duplicates are equal: case, width, marks, bullets, closing signs gone."""
    whole = plain = unicodedata.normalize("NFKC", text).casefold().translate(_QUOTES)
    before = None
    while before != plain:
        before = plain
        plain = _LEAD.sub("", _MARKS.sub("", plain)).strip().rstrip(".!;:,。！；：、 ")
    return " ".join((plain or whole).split())  # signs alone still equal themselves


def terms(text: str) -> dict[str, float]:
    """Give the terms a rule is found by, with their weight in this rule (length already evened out)."""
    return _terms(read_rule(text))


def _terms(rule: Prepared) -> dict[str, float]:
    """Take concepts and what they are partly about, neighbours, and words as written, as long as there is room."""
    base = 2.2 / (1.0 + 1.2 * (0.5 + 0.5 * rule.total / AVERAGE))
    heavy = sorted(rule.weights, key=lambda word: (-rule.weights[word], word))
    found = {word: base * (rule.weights[word] / RARE) ** 0.3 for word in heavy}
    for clause in rule.clauses:
        for part in clause.parts:
            found.setdefault(part, 0.3 * base)
    found |= {f"{one}+{two}": 0.35 * base for one, two in rule.pairs}
    found |= {f"~{rule.spelt.get(word, word)}": 0.35 * base for word in heavy}
    return dict(list(found.items())[:MOST_TERMS])


def importance(df: int, n: int) -> float:
    """Weigh a term by how few of the `n` rules have it (BM25's measure, never negative)."""
    return math.log(1.0 + (n - df + 0.5) / (df + 0.5))


class Shelf:
    """Rules held in memory with the same index that a store keeps on disk."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._rules = [prepare(text) for text in texts]
        self._postings: dict[str, list[tuple[int, float]]] = {}
        for number, rule in enumerate(self._rules):
            for term, weight in _terms(rule).items():
                self._postings.setdefault(term, []).append((number, weight))

    def shortlist(self, text: str, limit: int = SHORTLIST) -> list[tuple[int, float]]:
        """Give the rules sharing the most telling terms, best first, with their index score."""
        scores: dict[int, float] = {}
        for term, weight in terms(text).items():
            found = self._postings.get(term, [])
            telling = weight * importance(len(found), len(self._rules))
            for number, stored in found:
                scores[number] = scores.get(number, 0.0) + telling * stored
        return sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))[:limit]

    def frequency(self, term: str) -> int:
        """Count the rules a term is in."""
        return len(self._postings.get(term, ()))

    def nearest(self, text: str, limit: int = 5) -> list[tuple[int, float]]:
        """Give the rules nearest to a text, best first, with how sure it is that they are the same."""
        listed = self.shortlist(text)
        rules = [self._rules[number] for number, _ in listed]
        order = _order(read_rule(text), rules, [score for _, score in listed])
        return [(listed[place][0], comparison.score) for place, comparison in order[:limit]]


def compare(a: str, b: str) -> Comparison:
    """Compare two rule texts; the order does not matter."""
    return compare_prepared(read_rule(a), read_rule(b))


def compare_prepared(a: Prepared, b: Prepared) -> Comparison:
    """Compare two rules that were read before."""
    if a.text == b.text:
        return Comparison("same", 1.0, "the same words")
    values = features(a, b)
    score = model.sameness(values)
    clash = opposition(a, b)
    if clash:
        return Comparison("contradict", min(score, model.NEAR), clash)
    if model.same_reading(values):
        return Comparison("same", max(score, 0.9), "the same demand, worded otherwise")
    sure = score >= model.SURE and model.to_the_point(values) and values[0] * (a.total + b.total) >= LEAST
    if sure and not _denied_apart(a, b):
        return Comparison("same", score, "the same demand, worded otherwise")
    if score >= model.NEAR:
        return Comparison("related", min(score, model.SURE - 0.01), _common(a, b))
    return Comparison("different", score, "little in common")


def _denied_apart(a: Prepared, b: Prepared) -> bool:
    """Tell two rules that share the occasion alone: one forbids it, `never push unasked`, for the other it is a moment.

    Where the other demands what the one forbids, they may be two ways to say it: `not without asking`, `ask before`.
    """
    shared = a.weights.keys() & b.weights.keys()
    apart = [word for word in shared if (a.signs[word] < 0) != (b.signs[word] < 0)]
    if any(a.signs[word] * b.signs[word] < 0 for word in apart):
        return False
    return sum(a.weights[word] for word in apart) > 0.6 * sum(a.weights[word] for word in shared)


def _common(a: Prepared, b: Prepared) -> str:
    shared = sorted(a.weights.keys() & b.weights.keys(), key=lambda word: (-a.weights[word], word))
    return f"both speak of {', '.join(a.spelt.get(word, word) for word in shared[:3])}"


def rerank(query: str, candidates: Sequence[str], scores: Sequence[float] = ()) -> list[tuple[int, Comparison]]:
    """Compare a rule with each candidate; give their positions and comparisons, the likeliest twin first.

    `scores` are what the index said of the candidates; the order is better with them.
    """
    return _order(read_rule(query), [read_rule(text) for text in candidates], scores)


def _order(asked: Prepared, rules: Sequence[Prepared], scores: Sequence[float]) -> list[tuple[int, Comparison]]:
    known = scores or [_closeness(asked, rule) for rule in rules]
    compared = [(place, compare_prepared(asked, rule)) for place, rule in enumerate(rules)]
    return sorted(compared, key=lambda pair: (-known[pair[0]], pair[0]))


def _closeness(a: Prepared, b: Prepared) -> float:
    """Stand in for the index score, with the general rarity of words for their rarity in the store."""
    mine, theirs = _terms(a), _terms(b)
    return sum(mine[term] * theirs[term] * rarity(term.lstrip("~")) for term in mine.keys() & theirs.keys())


def worth_asking(found: Comparison, share: float, total: int) -> bool:
    """Say whether somebody should be asked if a stored rule is meant.

    Args:
        share: its index score, as a part of what the new text would score itself.
        total: rules in the store: the more there are, the likelier one of them is meant.
    """
    if found.relation == "contradict":
        return False
    return found.relation != "different" or share >= (ASK_FEW if total < MANY else ASK_MANY)


def likeness(a: str, b: str) -> float:
    """Say how much of their letters two texts share in order, 0 to 1: a reworded line, not a same rule."""
    from rapidfuzz import fuzz

    return fuzz.ratio(normalize(a), normalize(b)) / 100


def answer_pairs(lines: Iterable[str]) -> Iterator[str]:
    """Answer JSON lines `{id, a, b}` with `{id, relation, score}`, ASCII only."""
    for number, line in enumerate(lines, start=1):
        if line.strip():
            identity, a, b = _pair(line, number)
            found = compare(a, b)
            yield json.dumps({"id": identity, "relation": found.relation, "score": round(found.score, 4)})


def _pair(line: str, number: int) -> tuple[object, str, str]:
    try:
        row = json.loads(line)
        identity, a, b = row["id"], row["a"], row["b"]
    except (ValueError, KeyError, TypeError) as problem:
        raise UsageError(_complaint(number, "is not a JSON object with id, a and b")) from problem
    if not isinstance(a, str) or not isinstance(b, str):
        raise UsageError(_complaint(number, "has an a or b that is not text"))
    return identity, a, b


def _complaint(number: int, what: str) -> str:
    return (
        f"line {number} of the input {what}; it and the lines after it were not compared. "
        "Correct that line and run again."
    )


@lru_cache(maxsize=4096)
def read_rule(text: str) -> Prepared:
    """Prepare a rule, or take it from memory when it was prepared a moment ago."""
    return prepare(text)

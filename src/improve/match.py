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
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from improve.errors import UsageError
from improve.lexicon import model
from improve.lexicon.features import Prepared, features, prepare
from improve.lexicon.opposites import opposition

__all__ = [
    "Comparison", "Prepared", "Shelf", "answer_pairs", "compare", "compare_prepared", "importance", "normalize",
    "prepare", "rerank", "terms",
]  # fmt: skip

Relation = Literal["same", "contradict", "related", "different"]

AVERAGE = 30.0
"""Total weight of an average rule: longer rules get less per term, shorter ones more (BM25 with b = 0.5)."""
MOST_TERMS = 40
SHORTLIST = 60

_QUOTES = {0x2018: "'", 0x2019: "'", 0x201C: '"', 0x201D: '"'}
_MARKS = re.compile(r"[*_`]+(?=\S)|(?<=\S)[*_`]+")
_LEAD = re.compile(r"^\s*(?:[-*+•]|\d+[.)]|#+|>)\s+(?:\[[ xX]\]\s+)?")


@dataclass(frozen=True, slots=True)
class Comparison:
    """How two rules relate, how sure it is (0 to 1) that they are the same, and why."""

    relation: Relation
    score: float
    reason: str


def normalize(text: str) -> str:
    """Give the form in which exact duplicates are equal: case, width, marks, bullets, closing signs gone."""
    plain = unicodedata.normalize("NFKC", text).casefold().translate(_QUOTES)
    before = None
    while before != plain:
        before = plain
        plain = _LEAD.sub("", _MARKS.sub("", plain)).strip().rstrip(".!;:,。！；：、 ")
    return " ".join(plain.split())


def terms(text: str) -> dict[str, float]:
    """Give the terms a rule is found by, with their weight in this rule (length already evened out)."""
    return _terms(_prepared(text))


def _terms(rule: Prepared) -> dict[str, float]:
    length = 0.5 + 0.5 * rule.total / AVERAGE
    kept = sorted(rule.weights, key=lambda word: (-rule.weights[word], word))[:MOST_TERMS]
    return dict.fromkeys(kept, 2.2 / (1.0 + 1.2 * length))


def importance(df: int, n: int) -> float:
    """Weigh a term by how few of the `n` rules have it (BM25's measure, never negative)."""
    return math.log(1.0 + (n - df + 0.5) / (df + 0.5))


class Shelf:
    """Rules held in memory with the same index that a store keeps on disk."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._rules = [_prepared(text) for text in texts]
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

    def nearest(self, text: str, limit: int = 5) -> list[tuple[int, float]]:
        """Give the nearest rules by `compare` among the shortlist, best first."""
        query = _prepared(text)
        listed = [(n, compare_prepared(query, self._rules[n]), s) for n, s in self.shortlist(text)]
        listed.sort(key=lambda row: (-row[1].score, -row[2], row[0]))
        return [(n, comparison.score) for n, comparison, _ in listed[:limit]]


def compare(a: str, b: str) -> Comparison:
    """Compare two rule texts; the order does not matter."""
    return compare_prepared(_prepared(a), _prepared(b))


def compare_prepared(a: Prepared, b: Prepared) -> Comparison:
    """Compare two rules that were read before."""
    if a.text == b.text:
        return Comparison("same", 1.0, "the same words")
    values = features(a, b)
    score = model.sameness(values)
    clash = opposition(a, b)
    if clash is not None:
        return Comparison("contradict", min(score, 0.5), clash.reason)
    if score >= model.SURE:
        return Comparison("same", score, "the same demand in other words")
    if score >= model.NEAR:
        return Comparison("related", score, "much in common")
    return Comparison("different", score, "little in common")


def rerank(query: str, candidates: Sequence[str]) -> list[tuple[int, Comparison]]:
    """Compare a rule with each candidate; give their positions and comparisons, the likeliest twin first."""
    asked = _prepared(query)
    compared = [(n, compare_prepared(asked, _prepared(text))) for n, text in enumerate(candidates)]
    return sorted(compared, key=lambda pair: (-pair[1].score, pair[0]))


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
def _prepared(text: str) -> Prepared:
    return prepare(text)

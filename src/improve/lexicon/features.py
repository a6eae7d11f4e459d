"""What two rules share and where they part, as a handful of numbers between 0 and 1."""

from __future__ import annotations

from collections.abc import Iterable, Set
from itertools import pairwise
from typing import NamedTuple

from improve.lexicon.look import FAMILIES, RARE, SUBJECTS, WORLDS
from improve.lexicon.quantity import Number, meet
from improve.lexicon.read import Clause, fold, read

NAMES = (
    "both",  # share of the weight of both rules that is common to them
    "less",  # that share for the rule which is covered less
    "clause",  # the same for the two clauses most alike
    "spelling",  # words as they are written, not as concepts
    "telling",  # weight of the rarest word in common
    "signs",  # common words that one rule demands and the other forbids
    "choice",  # another member of an exclusive family
    "world",  # another programming world
    "number",  # another number of the same unit (half: only one rule has a number)
    "code",  # other commands or names in code marks
    "subjects",  # other things the rule is about
    "added",  # weight of what only one of them says
)
"""The features, in the order in which the model weighs them."""


class Prepared(NamedTuple):
    """A rule read once, to be compared often."""

    text: str
    weights: dict[str, float]
    signs: dict[str, int]
    total: float
    clauses: tuple[Clause, ...]
    numbers: tuple[Number, ...]
    choices: dict[str, frozenset[str]]
    """For each exclusive family, the members the rule asks for."""
    subjects: frozenset[str]
    worlds: frozenset[str]
    spelt: dict[str, str]
    """How the words that stand for a concept of another name are written."""
    spellings: frozenset[str]
    codes: frozenset[str]
    pairs: tuple[tuple[str, str], ...]
    """Neighbouring words."""


def prepare(text: str) -> Prepared:
    """Read a rule for `features` and `opposition`."""
    folded = fold(text)
    seen = read(text, folded)
    plain = " ".join(folded.split()).rstrip(".!;:, ")
    return Prepared(
        text=plain,
        weights=seen.weights,
        signs=seen.signs,
        total=sum(seen.weights.values()) or 1e-6,
        clauses=tuple(seen.clauses),
        numbers=tuple(seen.numbers),
        choices=_chosen(seen.signs),
        subjects=SUBJECTS & seen.weights.keys(),
        worlds=frozenset(WORLDS[word] for word in seen.weights if word in WORLDS),
        spelt=seen.spelt,
        spellings=frozenset(seen.spelt.get(word, word) for word in seen.weights),
        codes=seen.codes,
        pairs=tuple(dict.fromkeys(pairwise(seen.order))),
    )


def _chosen(signs: dict[str, int]) -> dict[str, frozenset[str]]:
    chosen: dict[str, frozenset[str]] = {}
    for word, sign in signs.items():
        if sign >= 0 and word in FAMILIES:
            for family, side in FAMILIES[word]:
                chosen[family] = chosen.get(family, frozenset()) | {side}
    return chosen


def features(a: Prepared, b: Prepared) -> tuple[float, ...]:
    """Measure a pair; the order of the two does not matter."""
    shared = a.weights.keys() & b.weights.keys()
    in_a = sum(map(a.weights.__getitem__, shared))
    in_b = sum(map(b.weights.__getitem__, shared))
    of_a, of_b = in_a / a.total, in_b / b.total
    opposed = [word for word in shared if a.signs[word] * b.signs[word] < 0]
    telling = max((min(a.weights[word], b.weights[word]) for word in shared), default=0.0)
    return (
        (in_a + in_b) / (a.total + b.total),
        min(of_a, of_b),
        _clause(a, b),
        _dice(a.spellings, b.spellings),
        telling / RARE,
        _sum(a, b, opposed) / (in_a + in_b) if opposed else 0.0,
        _choices(a, b),
        _apart(a.worlds, b.worlds),
        _numbers(a, b),
        _apart(a.codes, b.codes),
        1.0 - len(a.subjects & b.subjects) / len(a.subjects | b.subjects) if a.subjects and b.subjects else 0.0,
        min(1.0, max(a.total - in_a, b.total - in_b) / 20),
    )


def _sum(one: Prepared | Clause, two: Prepared | Clause, words: Iterable[str]) -> float:
    mine, theirs = one.weights, two.weights
    return sum(mine[word] + theirs[word] for word in words)


def _clause(a: Prepared, b: Prepared) -> float:
    """Compare the first clauses with each other: the demand itself, without what is said around it."""
    best = 0.0
    for one in a.clauses[:3]:
        for two in b.clauses[:3]:
            whole = one.total + two.total
            if whole > 8.0:  # two single plain words are no demand
                common = one.weights.keys() & two.weights.keys()
                best = max(best, _sum(one, two, common) / whole)
    return best


def _dice(a: Set[str], b: Set[str]) -> float:
    return 2.0 * len(a & b) / (len(a) + len(b) or 1)


def _apart(a: Set[str], b: Set[str]) -> float:
    """Say how far two sets are apart; nothing is said by an empty one."""
    return 1.0 - len(a & b) / min(len(a), len(b)) if a and b else 0.0


def _choices(a: Prepared, b: Prepared) -> float:
    return float(any(not a.choices[family] & b.choices[family] for family in a.choices.keys() & b.choices.keys()))


def _numbers(a: Prepared, b: Prepared) -> float:
    if bool(a.numbers) != bool(b.numbers):
        return 0.5
    return float(any(not meet(mine, theirs) for _, mine, theirs in by_unit(a, b)))


def by_unit(a: Prepared, b: Prepared) -> list[tuple[str, list[Number], list[Number]]]:
    """Give the numbers of both rules for each unit they have in common."""
    units = sorted({number.unit for number in a.numbers} & {number.unit for number in b.numbers})
    return [
        (unit, [n for n in a.numbers if n.unit == unit], [n for n in b.numbers if n.unit == unit]) for unit in units
    ]

"""What two rules share and where they part, as a handful of numbers between 0 and 1."""

from __future__ import annotations

from dataclasses import dataclass

from improve.lexicon.choices import SUBJECTS, ecosystems, families
from improve.lexicon.read import Clause, Number, fold, read

NAMES = ("f1", "low", "high", "head", "order", "grams", "signs", "choice", "subject", "world", "number",
         "missing", "size", "common", "focus")  # fmt: skip
"""The features, in the order in which the model weighs them."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A rule read once, to be compared often."""

    text: str
    weights: dict[str, float]
    signs: dict[str, int]
    total: float
    clauses: tuple[Clause, ...]
    numbers: tuple[Number, ...]
    choices: dict[str, frozenset[str]]
    subjects: frozenset[str]
    worlds: frozenset[str]
    pairs: frozenset[tuple[str, str]]
    grams: frozenset[str]


def prepare(text: str) -> Prepared:
    """Read a rule for `features` and `opposition`."""
    seen = read(text)
    plain = " ".join(fold(text).split())
    choices: dict[str, set[str]] = {}
    for word, sign in seen.signs.items():
        if sign >= 0:
            for family, side in families().get(word, ()):
                choices.setdefault(family, set()).add(side)
    worlds = ecosystems()
    return Prepared(
        text=plain.rstrip(".!;:, "),
        weights=seen.weights,
        signs=seen.signs,
        total=sum(seen.weights.values()) or 1e-6,
        clauses=tuple(seen.clauses),
        numbers=tuple(seen.numbers),
        choices={family: frozenset(members) for family, members in choices.items()},
        subjects=frozenset(word for word in seen.weights if word in SUBJECTS),
        worlds=frozenset(worlds[word] for word in seen.weights if word in worlds),
        pairs=frozenset(zip(seen.order, seen.order[1:], strict=False)),
        grams=frozenset(plain[n : n + 3] for n in range(len(plain) - 2)),
    )


def features(a: Prepared, b: Prepared) -> tuple[float, ...]:
    """Measure a pair; the order of the two does not matter."""
    shared = a.weights.keys() & b.weights.keys()
    in_a = sum(a.weights[word] for word in shared)
    in_b = sum(b.weights[word] for word in shared)
    of_a, of_b = in_a / a.total, in_b / b.total
    opposed = sum(a.weights[word] for word in shared if a.signs[word] * b.signs[word] < 0)
    grams = len(a.grams & b.grams)
    return (
        (in_a + in_b) / (a.total + b.total),
        min(of_a, of_b),
        max(of_a, of_b),
        _head(a, b),
        _dice(a.pairs, b.pairs),
        2.0 * grams / (len(a.grams) + len(b.grams) or 1),
        opposed / in_a if in_a else 0.0,
        _choices(a, b),
        _apart(a.subjects, b.subjects),
        _apart(a.worlds, b.worlds),
        _numbers(a, b),
        min(1.0, min(_rarest(a, shared), _rarest(b, shared)) / 6.5),
        min(a.total, b.total) / max(a.total, b.total),
        min(1.0, (in_a + in_b) / 60.0),
        _rarest_shared(a, shared) / 6.5,
    )


def _head(a: Prepared, b: Prepared) -> float:
    """Compare the heaviest clauses with each other: the demand itself, without what is said around it."""
    best = 0.0
    for one in a.clauses[:3]:
        total = sum(one.weights.values())
        for two in b.clauses[:3]:
            whole = total + sum(two.weights.values())
            if whole > 8.0:
                both = sum(
                    one.weights[word] + two.weights[word] for word in one.weights.keys() & two.weights.keys()
                )
                best = max(best, both / whole)
    return best


def _dice(a: frozenset[tuple[str, str]], b: frozenset[tuple[str, str]]) -> float:
    return 2.0 * len(a & b) / (len(a) + len(b) or 1)


def _apart(a: frozenset[str], b: frozenset[str]) -> float:
    """Say how far two sets are apart; nothing is said by an empty one."""
    return 1.0 - len(a & b) / min(len(a), len(b)) if a and b else 0.0


def _choices(a: Prepared, b: Prepared) -> float:
    return float(
        any(not a.choices[family] & b.choices[family] for family in a.choices.keys() & b.choices.keys())
    )


def _numbers(a: Prepared, b: Prepared) -> float:
    """Say 1 where the two give other numbers of the same unit, 0.5 where only one gives a number."""
    if bool(a.numbers) != bool(b.numbers):
        return 0.5
    units = {number.unit for number in a.numbers} & {number.unit for number in b.numbers}
    mine = {number for number in a.numbers if number.unit in units}
    return float(bool(units) and not mine & set(b.numbers))


def _rarest(rule: Prepared, shared: set[str]) -> float:
    return max((weight for word, weight in rule.weights.items() if word not in shared), default=0.0)


def _rarest_shared(rule: Prepared, shared: set[str]) -> float:
    return max((rule.weights[word] for word in shared), default=0.0)

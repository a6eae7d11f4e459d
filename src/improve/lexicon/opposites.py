"""Do two rules contradict each other? By rules that can be said in a short reason."""

from __future__ import annotations

import math
from dataclasses import dataclass

from improve.lexicon.choices import DEPENDENT, LOOSE, families
from improve.lexicon.features import Prepared
from improve.lexicon.read import HOLDERS, Clause, Number


@dataclass(frozen=True, slots=True)
class Opposition:
    """That two rules contradict each other, and in what."""

    reason: str


def opposition(a: Prepared, b: Prepared) -> Opposition | None:
    """Find what the two rules contradict each other in."""
    return _choice(a, b) or _number(a, b) or _polarity(a, b)


def _choice(a: Prepared, b: Prepared) -> Opposition | None:
    for family in sorted(a.choices.keys() & b.choices.keys()):
        mine, theirs = a.choices[family], b.choices[family]
        if not mine & theirs and _comparable(a, b, family):
            named = " / ".join((*sorted(mine), *sorted(theirs)))
            return Opposition(f"other {family}: {named}")
    return None


def _comparable(a: Prepared, b: Prepared, family: str) -> bool:
    """Say whether the two rules make their choice for the same thing."""
    if family in DEPENDENT and not a.subjects & b.subjects:
        return False
    members = {
        word for word in a.weights.keys() | b.weights.keys() if family in dict(families().get(word, ()))
    }
    rest_a, rest_b = _rest(a, members), _rest(b, members)
    of_a, of_b = _weight(a, rest_a), _weight(b, rest_b)
    both = rest_a & rest_b
    overlap = (_weight(a, both) + _weight(b, both)) / (of_a + of_b) if of_a + of_b else 1.0
    chosen = min(_weight(a, members) / a.total, _weight(b, members) / b.total)
    if family in LOOSE:
        return overlap >= 0.5
    return overlap >= 0.3 or chosen >= 0.4


def _rest(rule: Prepared, members: set[str]) -> set[str]:
    return {word for word in rule.weights if word not in members and rule.weights[word] > 1.5}


def _weight(rule: Prepared, words: set[str]) -> float:
    return sum(rule.weights.get(word, 0.0) for word in words)


def _number(a: Prepared, b: Prepared) -> Opposition | None:
    for unit in sorted({n.unit for n in a.numbers} & {n.unit for n in b.numbers}):
        mine = [number for number in a.numbers if number.unit == unit]
        theirs = [number for number in b.numbers if number.unit == unit]
        if any(_meet(one, two) for one in mine for two in theirs):
            continue
        if unit in HOLDERS or a.subjects & b.subjects - {unit} or _overlap(a, b) >= 0.4:
            return Opposition(f"other number: {_say(mine[0])} / {_say(theirs[0])} {unit}")
    return None


def _meet(one: Number, two: Number) -> bool:
    if one.high == two.high == math.inf:
        return one.low == two.low
    return one.low <= two.high and two.low <= one.high


def _say(number: Number) -> str:
    return f"{number.low:g}" if number.low == number.high else f"{number.low:g}-{number.high:g}"


def _overlap(a: Prepared, b: Prepared) -> float:
    shared = {word for word in a.weights.keys() & b.weights.keys() if not word[0].isdigit()}
    return min(_weight(a, shared) / a.total, _weight(b, shared) / b.total)


def _polarity(a: Prepared, b: Prepared) -> Opposition | None:
    turned = {word for word in a.signs.keys() & b.signs.keys() if a.signs[word] * b.signs[word] < 0}
    if turned and any(_opposed(one, two, turned) >= 0.6 for one in a.clauses for two in b.clauses):
        return Opposition("one forbids what the other demands")
    return None


def _opposed(one: Clause, two: Clause, turned: set[str]) -> float:
    """Give the share of a forbidden thing that the other clause demands."""
    shared = one.signs.keys() & two.signs.keys()
    against = [word for word in shared & turned if one.signs[word] * two.signs[word] < 0]
    if not against:
        return 0.0
    no = one if one.signs[against[0]] < 0 else two
    forbidden = sum(weight for word, weight in no.weights.items() if no.signs[word] < 0)
    return sum(no.weights[word] for word in against) / forbidden if forbidden else 0.0

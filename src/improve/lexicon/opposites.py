"""Do two rules contradict each other? By rules that can be said in a short reason."""

from __future__ import annotations

from collections.abc import Set

from improve.lexicon.choices import DEPENDENT, LOOSE
from improve.lexicon.features import Prepared, by_unit
from improve.lexicon.look import FAMILIES
from improve.lexicon.quantity import HOLDERS, meet, say
from improve.lexicon.read import Clause
from improve.lexicon.steer import MODIFIERS

IN_PASSING = 0.12
"""Share of a rule below which what it forbids is only said in passing."""
MOSTLY = 0.6
"""Share of what is forbidden that the other rule must speak of."""
ALL = 0.9
OUTRIGHT = 0.3
"""Share of a rule from which a ban without any condition is an outright one."""
TO_THE_POINT = 0.4
"""What the demanding clause gives to it, together with what the two rules have in common at all."""

_TELLING = HOLDERS.keys() | {"space-indent", "line-length"}
"""Units that say by themselves what is counted."""


def opposition(a: Prepared, b: Prepared) -> str | None:
    """Say in a few words how the two rules contradict each other, if they do."""
    return _choice(a, b) or _number(a, b) or _polarity(a, b)


def _choice(a: Prepared, b: Prepared) -> str | None:
    for family in sorted(a.choices.keys() & b.choices.keys()):
        mine, theirs = a.choices[family], b.choices[family]
        if not mine & theirs and _comparable(a, b, family):
            named = " / ".join((*sorted(mine), *sorted(theirs)))
            return f"other {family}: {named}"
    return None


def _comparable(a: Prepared, b: Prepared, family: str) -> bool:
    """Say whether the two rules make their choice for the same thing."""
    if family in DEPENDENT and not a.subjects & b.subjects:
        return False
    members = {word for word in a.weights.keys() | b.weights.keys() if family in dict(FAMILIES.get(word, ()))}
    rest_a, rest_b = _rest(a, members), _rest(b, members)
    of_a, of_b = _weight(a, rest_a), _weight(b, rest_b)
    both = rest_a & rest_b
    overlap = (_weight(a, both) + _weight(b, both)) / (of_a + of_b) if of_a + of_b else 1.0
    if family in LOOSE:
        return overlap >= 0.5
    if any(a.signs.get(word, 0) * b.signs.get(word, 0) < 0 for word in members):  # `bun, never npm` / `npm`
        return overlap >= 0.15
    chosen = sorted((_weight(a, members) / a.total, _weight(b, members) / b.total))
    return overlap >= 0.3 or chosen[0] >= 0.4 or (chosen[0] >= 0.25 and chosen[1] >= 0.6)


def _rest(rule: Prepared, members: set[str]) -> set[str]:
    return {word for word in rule.weights if word not in members and rule.weights[word] > 1.5}


def _weight(rule: Prepared, words: Set[str]) -> float:
    return sum(rule.weights.get(word, 0.0) for word in words)


def _number(a: Prepared, b: Prepared) -> str | None:
    for unit, mine, theirs in by_unit(a, b):
        if not meet(mine, theirs) and _same_thing(a, b, unit):
            return f"other number: {say(mine[0])} / {say(theirs[0])} {unit}"
    return None


def _same_thing(a: Prepared, b: Prepared, unit: str) -> bool:
    """Say whether two numbers of a unit are about one thing: lines of files are no lines of functions."""
    if unit in _TELLING:
        return True
    mine, theirs = a.subjects - {unit}, b.subjects - {unit}
    return bool(mine & theirs) if mine and theirs else _overlap(a, b) >= 0.4


def _overlap(a: Prepared, b: Prepared) -> float:
    shared = {word for word in a.weights.keys() & b.weights.keys() if not word[0].isdigit()}
    return min(_weight(a, shared) / a.total, _weight(b, shared) / b.total)


def _polarity(a: Prepared, b: Prepared) -> str | None:
    if not (_forbids(a) or _forbids(b)):
        return None
    common = a.weights.keys() & b.weights.keys()
    alike = (_weight(a, common) + _weight(b, common)) / (a.total + b.total)
    for one in a.clauses:
        for two in b.clauses:
            if _opposed(one, two, a, b, alike):
                return "one forbids what the other demands"
    return None


def _forbids(rule: Prepared) -> bool:
    """Look for a word that is forbidden; most pairs of rules have none, and the rest of the work is long."""
    for clause in rule.clauses:
        if -1 in clause.signs.values() or any(sign < 0 for sign, _ in clause.parts.values()):
            return True
    return False


def _opposed(one: Clause, two: Clause, a: Prepared, b: Prepared, alike: float) -> bool:
    """Say whether most of what one clause forbids is what the other, to a good part, demands."""
    signs_a, signs_b = _signs(one), _signs(two)
    said = (one.signs.keys() | two.signs.keys()) - MODIFIERS
    against = [word for word in signs_a.keys() & signs_b.keys() & said if signs_a[word] * signs_b[word] < 0]
    against = [word for word in against if a.signs.get(word, signs_a[word]) * b.signs.get(word, signs_b[word]) < 0]
    if not against:
        return False
    forbids_a = sum(_held(one, word) for word in against if signs_a[word] < 0)
    forbids_b = sum(_held(two, word) for word in against if signs_b[word] < 0)
    no, yes, rule = (one, two, a) if forbids_a >= forbids_b else (two, one, b)
    whole = no.total if no is rule.clauses[0] else rule.total  # what is said first is the point
    forbidden = sum(weight for word, weight in no.weights.items() if no.signs[word] < 0)
    share = max(forbids_a, forbids_b) / forbidden if forbidden else 0.0
    if forbidden < IN_PASSING * whole or share < MOSTLY:
        return False
    if share > ALL and forbidden > ALL * no.total > ALL * OUTRIGHT * whole:  # `no comments`, whatever they are for
        return True
    return sum(_held(yes, word) for word in against) / yes.total + alike >= TO_THE_POINT


def _signs(clause: Clause) -> dict[str, int]:
    return {word: sign for word, (sign, _) in clause.parts.items()} | clause.signs


def _held(clause: Clause, word: str) -> float:
    return clause.weights[word] if word in clause.weights else clause.parts[word][1]

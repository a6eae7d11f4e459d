"""How a rule is read: what it demands, what it forbids, and what its numbers count."""

from __future__ import annotations

from pathlib import Path

import pytest

from improve.lexicon import look
from improve.lexicon.choices import FAMILIES
from improve.lexicon.features import prepare
from improve.lexicon.quantity import say
from improve.lexicon.tables import rows_of
from improve.lexicon.words import stem

DATA = Path(__file__).parent / "data"
SIGNS = {"+": 1, "-": -1, "0": 0}


def cases(name: str) -> list[list[str]]:
    """Read the rows of a case table: fields between bars, `#` before a remark."""
    lines = (DATA / name).read_text(encoding="utf-8").splitlines()
    return [[part.strip() for part in line.split(" | ")] for line in lines if line and not line.startswith("#")]


@pytest.mark.parametrize(("rule", "word", "sign"), cases("match_signs.txt"))
def test_a_word_is_demanded_or_forbidden(rule: str, word: str, sign: str) -> None:
    """Negations, averting verbs, choices, conditions and reasons turn the words they stand before."""
    assert prepare(rule).signs[look.concept_of(word)] == SIGNS[sign]


@pytest.mark.parametrize(("rule", "quantity"), cases("match_numbers.txt"))
def test_a_number_counts_something(rule: str, quantity: str) -> None:
    """A number is read with its unit; one that counts nothing known is no quantity."""
    numbers = [f"{say(number)} {number.unit}" for number in prepare(rule).numbers]
    assert numbers[-1:] == ([] if quantity == "-" else [quantity])


@pytest.mark.parametrize(
    "forms",
    [
        "run runs running ran",
        "commit commits committed committing",
        "query queries querying",
        "validate validates validated validating validation",
        "code coded coding",
        "change changes changed changing",
        "add adds added adding",
        "pass passes passed passing",
        "make makes making",
        "class classes",
    ],
)
def test_forms_of_a_word_share_a_concept(forms: str) -> None:
    """The forms of a verb or noun are one word (`coding` is kept apart: it is a name for implementing)."""
    words = [word for word in forms.split() if word != "coding"]
    assert len({look.concept_of(word) for word in words}) == 1


@pytest.mark.parametrize("pair", ["test text", "function functional", "type typo", "class classic", "log login"])
def test_other_words_stay_apart(pair: str) -> None:
    """Words that only begin alike are not made one."""
    one, two = pair.split()
    assert stem(one) != stem(two)


def test_every_exclusive_tool_is_a_word_rules_can_have() -> None:
    """A hyphenated member of a family is a concept that some spelling leads to, or it could never be met."""
    concepts = {*look.SINGLE.values(), *(concept for rows in look.PHRASES.values() for _, concept in rows)}
    members = [word for _, sides in rows_of(FAMILIES) for side in sides for word in side.split("=")]
    assert [word for word in members if "-" in word and word not in concepts] == []


def test_no_spelling_leads_to_two_concepts() -> None:
    """Each phrase stands for one concept."""
    phrases = [stems for rows in look.PHRASES.values() for stems, _ in rows]
    assert len(phrases) == len(set(phrases))

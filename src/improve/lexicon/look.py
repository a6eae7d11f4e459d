"""Look words up: their concept, and how telling they are."""

from __future__ import annotations

from functools import lru_cache

from improve.lexicon import built
from improve.lexicon.words import stem

Phrase = tuple[tuple[str, ...], str]


def _pairs(lines: str) -> dict[str, str]:
    return dict(line.split(" ", 1) for line in lines.splitlines())


def _many(lines: str) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for line in lines.splitlines():
        word, value = line.split(" ", 1)
        found[word] = (*found.get(word, ()), value)
    return found


def _phrases(lines: str) -> dict[tuple[str, ...], list[Phrase]]:
    """Put phrases under their first two stems, longest first."""
    found: dict[tuple[str, ...], list[Phrase]] = {}
    for line in lines.splitlines():
        concept, *stems = line.split(" ")
        found.setdefault((stems[0], stems[1]), []).append((tuple(stems), concept))
    for rows in found.values():
        rows.sort(key=lambda row: -len(row[0]))
    return found


SINGLE = _pairs(built.SINGLE)
"""The concept of the stem of each single word."""
PHRASES = _phrases(built.PHRASES)
PARTS = _many(built.PARTS)
"""What each concept is partly about."""
FAMILIES = {
    word: tuple((family, side) for side, _, family in (row.partition(" ") for row in rows))
    for word, rows in _many(built.FAMILIES).items()
}
"""The exclusive families of a word, each with the word's side."""
WORLDS = _pairs(built.WORLDS)
"""The programming world of each telling word."""
SUBJECTS = frozenset(built.SUBJECTS.split())
RARITY = {word: float(weight) for word, weight in _pairs(built.RARITY).items()}

RARE = 6.5
"""Weight of a word that hardly ever occurs in rules."""
PAIR = 3.5
"""Weight of an unknown pair of CJK characters (a word gives several)."""
NUMBER = 4.0


def concept_of(word: str) -> str:
    """Give the concept a single word stands for (its stem, when it has none)."""
    root = stem(word)
    return SINGLE.get(root, root)


@lru_cache(maxsize=8192)
def rarity(word: str) -> float:
    """Give the weight of a word (below 1 for `use`, 6.5 for one that hardly ever occurs)."""
    found = RARITY.get(word)
    if found is not None:
        return found
    if word[0].isdigit():
        return NUMBER
    return RARE if word.isascii() or len(word) > 2 else PAIR

"""What of a message and of its surroundings speaks for or against a signal, as numbers of features. Pure.

There are blocks: traits (what kind of text it is, what the agent had just said), the words, the classes of the words in
their order, the words before and the words after. A feature is its text's checksum, cut to the size of the block.
"""

from __future__ import annotations

from typing import NamedTuple
from zlib import crc32

from improve.detectors.company import traits
from improve.detectors.said import own, sentences
from improve.detectors.traits import TABLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

BITS = {"words": 17, "kinds": 14, "before": 15, "after": 14}
"""Block → bits of its features' numbers."""
_BEFORE, _AFTER = 300, 200
"""Characters read of the agent's last words and of the person's next ones."""
_MIX, _RANGE = 0x9E3779B1, 1 << 32


def _number(word: str) -> int:
    return crc32(word.encode()) | 2


_KINDS = {name: _number(name) for name in (*TABLE, "_")}
_NONE = _KINDS["_"]


class Features(NamedTuple):
    """What is known of a message: traits by name, and the numbers of the words, block by block."""

    traits: dict[str, float]
    words: set[int]
    kinds: set[int]
    before: set[int]
    after: set[int]


def features(text: str, before: str | None = "", after: str = "", *, turn: int | None = None) -> Features:
    """Give the features of a message; None before it where that is unknown, which is not the same as nothing."""
    said = own(text)
    here = sentences(said)
    there = sentences(before[-_BEFORE:]) if before else []
    later = sentences(after[:_AFTER]) if after else []
    kinds = [[_KINDS[kind] for kind in sentence.kinds] for sentence in here]
    return Features(
        traits(text, said, here, before=before, there=there, after=after, later=later, turn=turn),
        _grams([_numbers(sentence.words) for sentence in here], BITS["words"]),
        _grams(kinds, BITS["kinds"]) | _skipping(kinds, BITS["kinds"]),
        _pairs([_numbers(sentence.words) for sentence in there[-3:]], BITS["before"]),
        _pairs([_numbers(sentence.words[:15]) for sentence in later[:2]], BITS["after"]),
    )


def _numbers(words: list[str]) -> list[int]:
    return [crc32(word.encode()) | 2 for word in words]


def _grams(lines: Iterable[list[int]], bits: int) -> set[int]:
    """Number the runs of one, two and three words, and how the text begins."""
    found = set[int]()
    shift, add = 32 - bits, found.add
    first = True
    for words in lines:
        before, last = 0, 1
        for this in words:
            two = last * 31 + this
            add(this * _MIX % _RANGE >> shift)
            add(two * _MIX % _RANGE >> shift)
            if before:
                add((before * 961 + two) * _MIX % _RANGE >> shift)
            before, last = last, this
        if first:
            last = 1
            for at, this in enumerate(words[:3], start=1):
                add(((last * 31 + this) * 7 + at) * _MIX % _RANGE >> shift)
                last = this
        first = False
    return found


def _skipping(lines: Iterable[list[int]], bits: int) -> set[int]:
    """Number the runs of three classes, words of no class left out."""
    found = set[int]()
    shift = 32 - bits
    for kinds in lines:
        before, last = 0, 5
        for this in kinds:
            if this != _NONE:
                found.add((before * 1009 + last * 37 + this * 3) * _MIX % _RANGE >> shift)
                before, last = last, this
    return found


def _pairs(lines: Iterable[list[int]], bits: int) -> set[int]:
    """Number the words and the pairs of words."""
    found = set[int]()
    shift = 32 - bits
    for words in lines:
        last = 1
        for this in words:
            found.add(this * _MIX % _RANGE >> shift)
            found.add((last * 31 + this) * _MIX % _RANGE >> shift)
            last = this
    return found

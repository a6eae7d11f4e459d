"""What of a message and of its surroundings speaks for or against a signal, as numbers of features. Pure.

There are blocks: traits (what kind of text it is, what the agent had just said), the words, the classes of the words in
their order, the words before and the words after. A feature is its text's checksum, cut to the size of the block.
"""

from __future__ import annotations

from typing import NamedTuple
from zlib import crc32

from improve.detectors.company import traits
from improve.detectors.said import Sentence, own, sentences

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

BITS = {"words": 17, "kinds": 14, "before": 15, "after": 14}
"""Block → bits of its features' numbers."""
_BEFORE, _AFTER = 400, 200
"""Characters read of the agent's last words and of the person's next ones."""
_MIX = 0x9E3779B1


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
    return Features(
        traits(text, said, here, before=before, there=there, after=after, later=later, turn=turn),
        _grams([sentence.words for sentence in here], BITS["words"]),
        _grams([sentence.kinds for sentence in here], BITS["kinds"]) | _skipping(here, BITS["kinds"]),
        _pairs([sentence.words for sentence in there[-3:]], BITS["before"]),
        _pairs([sentence.words[:15] for sentence in later[:2]], BITS["after"]),
    )


def _grams(lines: Iterable[list[str]], bits: int) -> set[int]:
    """Number the runs of one, two and three words, and how the text begins."""
    found = set[int]()
    shift, add = 32 - bits, found.add
    first = True
    for words in lines:
        before, last = 0, 1
        for at, word in enumerate(words):
            this = crc32(word.encode()) | 2
            two = last * 31 + this
            add(this * _MIX % 4294967296 >> shift)
            add(two * _MIX % 4294967296 >> shift)
            if before:
                add((before * 961 + two) * _MIX % 4294967296 >> shift)
            if first and at < 3:
                add((two * 7 + at + 1) * _MIX % 4294967296 >> shift)
            before, last = last, this
        first = False
    return found


def _skipping(here: list[Sentence], bits: int) -> set[int]:
    """Number the runs of three classes, words of no class left out."""
    found = set[int]()
    shift = 32 - bits
    for sentence in here:
        before, last = 0, 5
        for kind in sentence.kinds:
            if kind != "_":
                this = crc32(kind.encode()) | 2
                found.add((before * 1009 + last * 37 + this * 3) * _MIX % 4294967296 >> shift)
                before, last = last, this
    return found


def _pairs(lines: Iterable[list[str]], bits: int) -> set[int]:
    """Number the words and the pairs of words."""
    found = set[int]()
    shift = 32 - bits
    for words in lines:
        last = 1
        for word in words:
            this = crc32(word.encode()) | 2
            found.add(this * _MIX % 4294967296 >> shift)
            found.add((last * 31 + this) * _MIX % 4294967296 >> shift)
            last = this
    return found

"""What an agent says of its own work: it is done, it will work, it was wrong; and a person's "it is not".

Sentences are looked for in the languages of `phrase`; a language whose words are not here is not supported. Pure.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from improve.detectors import sayings

_SIGNS = " \t\r\n.,!?;:…。，！？~()\"'👍🙏"
_PRAISE = re.compile(
    r"\W*(?:(?:oh|ah|hm+|wow|ok|yes|yeah|yep|great|nice|perfect|awesome|cool|excellent|super|good|thanks?|lovely)\b\W*)*"
    r"(?:(?:wow|great|nice|perfect|awesome|cool|excellent|thanks?|lovely)\b"
    r"|(?:it|that|this|everything)(?: now|'s)? work(?:s|ed|ing)\b)"
)
_DECLINED = re.compile(r"\bno\W{1,2}(?:thanks?|thank you|problem|worries|need)\b(?! to\b)")
_PART = re.compile(r"[,，、.!。！]\s*")
_SENTENCE = re.compile(r"[^\n.!?。！？…]+(?:[.!?…](?!\s)[^\n.!?。！？…]*)*[.!?。！？…]*")
_NOT_SAID = re.compile(r"```.*?(?:```|$)|^\s*>.*$", re.DOTALL | re.MULTILINE)

_READ, _EARLY = 4_000, 800
"""Characters at the end of what an agent says in which claims stand, and at its beginning, where it owns up."""

STRONG, WEAK = "strong", "weak"


class Claim(NamedTuple):
    """A sentence in which an agent says that something is done, or how it will come out."""

    words: str
    checked: bool
    """It says that something was checked, such as that the tests pass."""


def claimed(text: str) -> Claim | None:
    """Find what an agent claims to be done or to work, the strongest claim first."""
    return _find(text, sayings.DONE)


def predicted(text: str) -> Claim | None:
    """Find what an agent says will work, or claims to be checked."""
    return _find(text, sayings.PREDICTS)


def _find(text: str, saying: sayings.Saying) -> Claim | None:
    if not (sayings.CHECKED.near(text[-_READ:]) or saying.near(text[-_READ:])):
        return None
    said = sentences(text)
    for sentence in reversed(said):
        if sayings.CHECKED.within(sentence) and not _hedged(sentence):
            return Claim(sentence, True)
    return next((Claim(s, False) for s in reversed(said) if saying.within(s) and not _hedged(s)), None)


def _hedged(sentence: str) -> bool:
    """Tell a condition, a question, a denial or a heading from a claim."""
    return sentence.rstrip("* ").endswith(("?", "？", ":", "：")) or bool(
        re.search(r"\b(?:if|once|until|unless|whether|not|n't|verify that|make sure|ensure|want me)\b", sentence, re.I)
    )


def assumed(text: str) -> str:
    """Find the sentence in which an agent says that it had assumed what turned out otherwise."""
    if not sayings.ASSUMED.within(text[-_READ:]):
        return ""
    return next((sentence for sentence in sentences(text) if sayings.ASSUMED.within(sentence)), "")


def admitted(text: str) -> tuple[str, str]:
    """Find the sentence in which an agent owns up to a mistake: (it, `strong`); or just agrees: (it, `weak`)."""
    head = text[:_EARLY]
    if not (sayings.ADMITS.near(head) or sayings.AGREES.near(head)):
        return "", ""
    early = sentences(head)[:6]
    for sentence in early:
        if sayings.ADMITS.within(sentence):
            return sentence, STRONG
    return next(((sentence, WEAK) for sentence in early if sayings.AGREES.within(sentence)), ("", ""))


def fails(text: str) -> bool:
    """Tell whether a person says that something does not work, or still does not."""
    return sayings.FAILS.within(text[:600])


def goes_on(text: str) -> bool:
    """Tell a word of approval or of going on, which says nothing of what came before."""
    if len(text) >= 80:
        return False
    polite = _DECLINED.sub("ok", text.lower())
    parts = [part.strip(_SIGNS) for part in _PART.split(polite)]
    return all(not part or sayings.GOES_ON.pattern.fullmatch(part) for part in parts)


def sentences(text: str) -> list[str]:
    """Split an agent's text, without code and quoted lines, into sentences that are cut at 240 characters."""
    found = (" ".join(s.split()) for s in _SENTENCE.findall(_NOT_SAID.sub("\n", text[-_READ:])))
    return [s[:240].lstrip("#-*• ") for s in found if s]


def praises(text: str) -> bool:
    """Tell words that begin with praise, or say that it works."""
    return bool(_PRAISE.match(text[:80].lower()))


def wasted(text: str) -> bool:
    """Tell whether a person says that what was done was for nothing."""
    return sayings.WASTED.within(text[:600])

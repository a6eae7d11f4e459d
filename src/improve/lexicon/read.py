"""Read a rule: its words as concepts, each with a weight and a sign (demanded, forbidden), and its numbers."""

from __future__ import annotations

import math
import re
import unicodedata
from dataclasses import dataclass, field
from functools import lru_cache

from improve.lexicon import concepts, scripts
from improve.lexicon.rarity import rarity
from improve.lexicon.tables import words_of
from improve.lexicon.words import AVERTERS, CONDITION, NEGATORS, RESET, STOP, stem

_PLAIN = str.maketrans(
    {
        "’": "'",
        "‘": "'",
        "–": "-",
        "—": " — ",
        "→": " — ",
        "。": ". ",
        "、": ", ",
        "・": " ",
        "`": " ",
        "*": " ",
        "\u00a0": " ",
    }
)
_RANGE = re.compile(r"(?<=\d)\s?[-~]\s?(?=\d)")
_TOKEN = re.compile(
    r"[a-z][a-z0-9]*(?:['.][a-z0-9]+)*[+#]{0,2}|\.net\b"
    r"|\d+(?:\.\d+)*(?:\.\.\d+)?%?\+?|[^\W\d_a-z]\w*|@/|[,.;:()!?—<>≤≥]|(?<=\s)-(?=\s)"
)
_NUMBER = re.compile(r"(\d+)(?:\.(\d+))?(?:\.\d+)*(?:\.\.(\d+))?%?(\+?)")
_LEAD = re.compile(r"^\s*(?:[-*+•]|\d+[.)]|#+)\s+(?:\[[ x]\]\s+)?")
_ENDS = frozenset(".;:!?—-()")
_REASON = words_of(
    """
    because since why reason so ensures prevents improves keeps makes allows
    """
)
_AIM = words_of(
    """
    avoid prevent improve enhance ensure reduce keep enable maintain facilitate increase
    """
)
_BEYOND = words_of(
    """
    over exceed exceeds exceeding beyond above deeper longer more past than maximum
    """
)
_BANNED = words_of(
    """
    banned forbidden prohibited disallowed
    """
)
_EXAMPLE = words_of(
    """
    e.g example eg i.e such
    """
)
_UNITS = words_of(
    """
    line line-length character level percent column word space second minute ms px mb kb hour day byte
    row
    """
)
_NAMED = words_of(
    """
    python node java php version port golang rust kotlin typescript react junit csharp ruby line-length
    """
)
HOLDERS = {word: word for word in _NAMED} | {
    "depth": "level", "nesting": "level", "deep": "level", "timeout": "second", "coverage": "percent",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Number:
    """A quantity in a rule: `80-100 characters` is (80, 100, "character")."""

    low: float
    high: float
    unit: str


@dataclass(frozen=True, slots=True)
class Clause:
    """One part of a rule: the sign of its words (1 demanded, -1 forbidden, 0 neither) with their weights."""

    signs: dict[str, int]
    weights: dict[str, float]


@dataclass(slots=True)
class Reading:
    """What was read of a rule."""

    clauses: list[Clause] = field(default_factory=list)
    numbers: list[Number] = field(default_factory=list)
    weights: dict[str, float] = field(default_factory=dict)
    signs: dict[str, int] = field(default_factory=dict)
    order: list[str] = field(default_factory=list)


@lru_cache(maxsize=1)
def _tables() -> tuple[dict[str, str], dict[str, tuple[tuple[tuple[str, ...], str], ...]]]:
    return concepts.single(), concepts.phrases()


def fold(text: str) -> str:
    """Give the text in one width and case, without list marker, emphasis and typographic quotes."""
    text = unicodedata.normalize("NFKC", text) if not text.isascii() else text
    return _LEAD.sub("", text.translate(_PLAIN)).casefold()


def read(text: str) -> Reading:
    """Read a rule's text."""
    plain = fold(text)
    if not plain.isascii():
        plain = scripts.to_english(plain)
    tokens = _TOKEN.findall(_RANGE.sub("..", plain)) if ".." not in plain else _TOKEN.findall(plain)
    return _Reader(tokens).run()


class _Reader:
    """Walks over the tokens once, keeping the sign and the weight that hold where it stands."""

    def __init__(self, tokens: list[str]) -> None:
        self.tokens = tokens
        self.stems = [stem(token) for token in tokens]
        self.out = Reading()
        self.signs: dict[str, int] = {}
        self.weights: dict[str, float] = {}
        self.sign = 1
        self.share = 1.0  # of a word's weight: less in later sentences, brackets, examples and reasons
        self.sentence = 1.0
        self.depth = 0
        self.chooses = False
        self.after_comma = False
        self.reasons = False
        self.limits = False
        self.absent = False  # the negation was `no`: it bans a thing, not what a colon lists

    def run(self) -> Reading:
        """Read all tokens."""
        _, phrases = _tables()
        at = 0
        while at < len(self.tokens):
            phrase = self._phrase(at, phrases) if self.stems[at] in phrases else None
            if phrase:
                self._word(phrase[1], at)
                at += len(phrase[0])
            else:
                at += self._token(at)
        self._close()
        return self.out

    def _phrase(
        self, at: int, phrases: dict[str, tuple[tuple[tuple[str, ...], str], ...]]
    ) -> tuple[tuple[str, ...], str] | None:
        stems = self.stems
        for candidate in phrases[stems[at]]:
            words = candidate[0]
            if all(at + n < len(stems) and stems[at + n] == word for n, word in enumerate(words)):
                return candidate
        return None

    def _token(self, at: int) -> int:
        token = self.tokens[at]
        if token in _ENDS:
            self._end(token)
        elif token == ",":
            self.after_comma = True
        elif token[0].isdigit():
            self._number(token, at)
        elif not self._turn(token, at):
            self._word(_tables()[0].get(self.stems[at], self.stems[at]), at)
        return 1

    def _turn(self, token: str, at: int) -> bool:
        """Follow the words that steer sign and weight; say whether the token is spent."""
        following = self.tokens[at + 1] if at + 1 < len(self.tokens) else ""
        if token in NEGATORS:
            self._negate(token, self.tokens[at - 1] if at else "")
        elif token in ("instead", "rather") and following in ("of", "than"):
            self.sign = -1
        elif token == "without":
            self.sign = 1 if self.sign == -1 else -1
        elif token == "postnot":
            self.signs = dict.fromkeys(self.signs, -1)
            self.out.signs.update(self.signs)
        elif token in _BEYOND and self._quantity(at):
            self.limits = True
        elif token == "over" and self.chooses:
            self.sign = -1
        elif token in _REASON or (token == "to" and following in _AIM):
            self.share, self.sign, self.reasons = 0.4 * self.sentence, 0, True
        elif token in _EXAMPLE:
            self.share = 0.35 * self.sentence
        elif token in CONDITION:
            self.sign = 0
            return token not in ("before", "after")
        elif token in AVERTERS:
            self.sign = -self.sign
            return False
        elif token in RESET:
            self._reset(token)
            return token in STOP
        self.after_comma = self.after_comma and token in STOP
        return token in STOP or token in NEGATORS or token == "postnot"

    def _negate(self, token: str, previous: str) -> None:
        if token in _BANNED and previous in ("is", "are", "be", "strictly"):
            self.signs = dict.fromkeys(self.signs, -1)
            self.out.signs.update(self.signs)
        elif not self.reasons:
            self.sign = -1
        self.absent = token == "no"

    def _quantity(self, at: int) -> bool:
        return any(token[0].isdigit() for token in self.tokens[at + 1 : at + 3])

    def _reset(self, token: str) -> None:
        self.chooses = self.chooses or token in (
            "prefer",
            "favor",
            "favour",
            "use",
            "prefers",
            "choose",
            "pick",
        )
        if self.after_comma or token in ("but", "instead") or (self.depth and not self.sign):
            self.sign = 1
        self.after_comma = False

    def _end(self, token: str) -> None:
        sign = self.sign
        lists = token == ":" and sign == -1 and len(self.signs) < 2 and not self.absent
        self._close()
        self.depth = max(0, self.depth + (token == "(") - (token == ")"))
        if token in ".!?;":
            self.sentence = max(0.5, self.sentence * 0.75)
        self.share = self.sentence * (0.6 if self.depth else 1.0)
        self.sign = -1 if lists else 0 if token == "(" and sign == -1 else 1
        self.chooses = self.after_comma = self.reasons = self.absent = False

    def _close(self) -> None:
        if self.signs:
            if self.limits:  # `not over 80` is a limit, no ban on what it limits
                self.signs = dict.fromkeys(self.signs, 1)
                self.out.signs.update(self.signs)
            self.out.clauses.append(Clause(self.signs, self.weights))
            self.signs, self.weights = {}, {}
        self.limits = False

    def _word(self, word: str, at: int) -> None:
        sign = self.sign
        if word in concepts.FLIPPED:
            word, sign = concepts.FLIPPED[word], -sign
        weight = rarity(word) * self.share
        self.after_comma = False
        self.signs[word] = sign if self.signs.get(word, sign) == sign else 0
        self.weights[word] = max(weight, self.weights.get(word, 0.0))
        if weight > self.out.weights.get(word, 0.0):
            self.out.weights[word] = weight
            self.out.signs[word] = sign
        self.out.order.append(word)

    def _number(self, token: str, at: int) -> None:
        found = _NUMBER.match(token)
        if found is None or self.share < 0.4 * self.sentence:
            return
        low = float(found[1]) + (float(found[2]) / 1000 if found[2] else 0.0)  # 3.9 is before 3.12
        high = float(found[3]) if found[3] else math.inf if found[4] else low
        unit = "percent" if "%" in token else self._unit(at)
        if unit:
            self.out.numbers.append(Number(low, high, unit))
        self._word(token, at)

    def _unit(self, at: int) -> str:
        """Find what a number counts: the unit behind it, else the thing named before it."""
        single = _tables()[0]
        behind = [single.get(near, near) for near in self.stems[at + 1 : at + 4]]
        ahead = [single.get(near, near) for near in reversed(self.stems[max(0, at - 3) : at])]
        unit = next((near for near in behind if near in _UNITS), "") or next(
            (HOLDERS[near] for near in ahead if near in HOLDERS), ""
        )
        lines = unit == "character" and any(word in self.signs for word in ("line", "line-length"))
        return "line-length" if lines else unit

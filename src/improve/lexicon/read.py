"""Read a rule: its words as concepts, each with a weight and a sign (demanded, forbidden), and its numbers."""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

from improve.lexicon.concepts import FLIPPED
from improve.lexicon.look import PARTS, PHRASES, SINGLE, Phrase, rarity
from improve.lexicon.quantity import Number, of_lines, quantity
from improve.lexicon.steer import (
    AIMS,
    AVERTERS,
    BANNED,
    BEYOND,
    CHOOSERS,
    CONDITION,
    EXAMPLES,
    NEGATORS,
    PLACES,
    REASONS,
    REMOVERS,
    RESET,
    STEERING,
)
from improve.lexicon.words import STOP, stem

PART = 0.5
"""Share of its weight with which a concept counts as what it is partly about."""

_PLAIN = str.maketrans(
    {
        "’": "'",
        "‘": "'",
        "–": "-",
        "—": " - ",
        "→": " - ",
        "“": '"',
        "”": '"',
        "…": "...",
        "。": ". ",
        "、": ", ",
        "・": " ",
        "`": " ",
        "*": " ",
        "\u00a0": " ",
    }
)
_CODE = re.compile(r"`([^`]+)`")
_RANGE = re.compile(r"(\d)\s?[-~]\s?(?=\d)")
_TOKEN = re.compile(
    r"[a-z][a-z0-9]*(?:['.][a-z0-9]+)*[+#]{0,2}|\.net\b"
    r"|\d+(?:\.\d+)*(?:\.\.\d+)?%?\+?|[^\W\d_a-z]\w*|@/|[,;:()!?—<>≤≥]|\.(?![a-z0-9])|(?<=\s)-(?=\s)"
)
_FOREIGN = "[\u00c0-\u024f\u0370-\u1fff\u3040-\ud7af]"  # compiled at first use: such a class takes 6 ms
_LEAD = re.compile(r"^\s*(?:[-*+•]|\d+[.)]|#+)\s+(?:\[[ x]\]\s+)?")
_ENDS = frozenset(".;:!?—-()")


class Clause(NamedTuple):
    """One part of a rule: the sign of its words (1 demanded, -1 forbidden, 0 neither) with their weights."""

    signs: dict[str, int]
    weights: dict[str, float]
    parts: dict[str, tuple[int, float]]
    """What its words are partly about: sign and (smaller) weight."""
    total: float


class Reading:
    """What was read of a rule."""

    __slots__ = ("clauses", "codes", "numbers", "order", "signs", "spelt", "weights")

    def __init__(self, codes: frozenset[str]) -> None:
        self.codes = codes  # words inside code marks
        self.clauses: list[Clause] = []
        self.numbers: list[Number] = []
        self.weights: dict[str, float] = {}
        self.signs: dict[str, int] = {}
        self.order: list[str] = []
        self.spelt: dict[str, str] = {}  # how a concept of another name is written here


def fold(text: str) -> str:
    """Give the text in one width and case, without list marker, emphasis and typographic quotes."""
    text = unicodedata.normalize("NFKC", text) if not text.isascii() else text
    return _LEAD.sub("", text.translate(_PLAIN)).casefold().replace("=>", " arrowfunction ").replace("e.g.", "e.g")


def read(text: str, folded: str) -> Reading:
    """Read a rule's text (`folded` is what `fold` makes of it)."""
    spans = _CODE.findall(text) if "`" in text else ()
    codes = frozenset([word for span in spans for word in span.casefold().split()])
    plain = _to_english(folded) if not folded.isascii() and re.search(_FOREIGN, folded) else folded
    tokens = _TOKEN.findall(plain if ".." in plain else _RANGE.sub(r"\1..", plain))
    return _Reader(tokens, Reading(codes)).run()


def _to_english(folded: str) -> str:
    from improve.lexicon.scripts import to_english  # only texts in other scripts pay for its tables

    return to_english(folded)


class _Reader:
    """Walks over the tokens once, keeping the sign and the weight that hold where it stands."""

    def __init__(self, tokens: list[str], out: Reading) -> None:
        self.tokens = tokens
        self.stems = tuple(map(stem, tokens))
        self.out = out
        self.signs: dict[str, int] = {}
        self.weights: dict[str, float] = {}
        self.parts: dict[str, tuple[int, float]] = {}
        self.sign = 1
        self.share = 1.0  # of a word's weight: less in later sentences, brackets, examples and reasons
        self.sentence = 1.0
        self.depth = 0
        self.chooses = False
        self.after_comma = False
        self.reasons = False
        self.limits = False
        self.conditional = False  # in `if not ready` nothing is forbidden
        self.absent = False  # the negation was `no`: it bans a thing, not what a colon lists

    def run(self) -> Reading:
        """Read all tokens."""
        at = 0
        for at_most, (token, root) in enumerate(zip(self.tokens, self.stems, strict=True)):
            if at_most < at:
                continue
            at = at_most + 1
            known = PHRASES.get(self.stems[at_most : at + 1])
            phrase = known and self._phrase(at_most, known)
            if phrase:
                self._word(phrase[1], at_most)
                at = at_most + len(phrase[0])
                if self.tokens[at - 1] in CONDITION:  # `ask before`
                    self.sign = 0
            elif token in STEERING:
                if not self._steer(token, at_most):
                    self._word(SINGLE.get(root, root), at_most)
            elif token in _ENDS:
                self._end(token)
            elif token == ",":
                self.after_comma, self.conditional = True, False
            elif token not in STOP and root not in STOP:
                self._plain(token, SINGLE.get(root, root), at_most)
        self._close()
        if "line" in self.out.signs or "line-length" in self.out.signs:
            self.out.numbers = of_lines(self.out.numbers)
            self._one_measure()
        return self.out

    def _one_measure(self) -> None:
        """Read `lines`, `characters` and `maximum` of a line length as that one thing."""
        out = self.out
        if any(number.unit == "line-length" for number in out.numbers):
            for word in ("line", "character", "column", "maximum"):
                weight = out.weights.pop(word, 0.0)
                if weight:
                    out.weights["line-length"] = max(weight, out.weights.get("line-length", 0.0))
                    out.signs["line-length"] = out.signs.pop(word)

    def _phrase(self, at: int, known: list[Phrase]) -> Phrase | None:
        for candidate in known:
            if self.stems[at : at + len(candidate[0])] == candidate[0]:
                return candidate
        return None

    def _plain(self, token: str, word: str, at: int) -> None:
        if token[0].isdigit():
            if self.share < 0.4 * self.sentence:  # numbers in examples count nothing
                return
            number = quantity(self.tokens, self.stems, at)
            self.out.numbers += [number] if number else []
        self._word(word, at)

    def _steer(self, token: str, at: int) -> bool:
        """Follow a word that steers sign and weight; say whether it is spent."""
        following = self.tokens[at + 1] if at + 1 < len(self.tokens) else ""
        if token in NEGATORS:
            self._negate(token, self.tokens[at - 1] if at else "")
        elif token == "postnot":
            self._forbid()
        elif token in ("instead", "rather") and following in ("of", "than"):
            self.sign = -1
        elif token == "without":
            self.sign = 1 if self.sign == -1 else -1
        elif token in BEYOND and any(near[0].isdigit() for near in self.tokens[at + 1 : at + 3]):
            self.limits = True
        elif token == "over" and self.chooses:
            self.sign = -1
        elif token in REASONS or (token == "to" and following in AIMS):
            self.share, self.sign, self.reasons = 0.4 * self.sentence, 0, True
        elif token in EXAMPLES:
            self.share = 0.35 * self.sentence
        elif token in PLACES:
            self.sign = 0
        else:
            return self._turn(token, at)
        return token in STOP or self.stems[at] in STOP or token in NEGATORS or token == "postnot"

    def _turn(self, token: str, at: int) -> bool:
        if token in CONDITION:
            self.sign, self.conditional = 0, token not in ("before", "after", "once", "while")
            return token not in ("before", "after")
        if token in AVERTERS:
            if token in REMOVERS:
                self._word("remove", at)
            self.sign = -self.sign
            return True
        if token in RESET:
            self.chooses = self.chooses or token in CHOOSERS
            if self.after_comma or token in ("but", "instead") or not self.sign:
                self.sign = 1
            self.after_comma = False
        return token in STOP or self.stems[at] in STOP

    def _negate(self, token: str, previous: str) -> None:
        if token in BANNED and previous in ("is", "are", "be", "strictly"):
            self._forbid()
        elif not self.reasons and not self.conditional:
            self.sign = -1
        self.absent = token == "no"

    def _forbid(self) -> None:
        """Forbid what this clause has named so far."""
        self.signs = dict.fromkeys(self.signs, -1)
        self.out.signs.update(self.signs)

    def _end(self, token: str) -> None:
        sign = self.sign
        lists = token == ":" and sign == -1 and len(self.signs) < 2 and not self.absent
        self._close()
        self.depth = max(0, self.depth + (token == "(") - (token == ")"))
        if token in ".!?;":
            self.sentence = max(0.5, self.sentence * 0.75)
        self.share = self.sentence * (0.6 if self.depth else 1.0)
        self.sign = -1 if lists else 0 if token == "(" and sign == -1 else 1
        self.chooses = self.after_comma = self.reasons = self.absent = self.conditional = False

    def _close(self) -> None:
        if self.signs:
            if self.limits:  # `not over 80` is a limit, no ban on what it limits
                self.signs = dict.fromkeys(self.signs, 1)
                self.out.signs.update(self.signs)
            self.out.clauses.append(Clause(self.signs, self.weights, self.parts, sum(self.weights.values())))
            self.signs, self.weights, self.parts = {}, {}, {}
        self.limits = False

    def _word(self, word: str, at: int) -> None:
        sign, out = self.sign, self.out
        if word in FLIPPED:
            word, sign = FLIPPED[word], -sign
        self.after_comma = False
        weight = rarity(word) * self.share
        said = self.signs.get(word, sign) or sign
        self.signs[word] = said if sign in (said, 0) else 0
        self.weights[word] = max(weight, self.weights.get(word, 0.0))
        if weight > out.weights.get(word, 0.0):
            out.weights[word] = weight
            out.signs[word] = sign
        for part in PARTS.get(word, ()):
            self.parts[part] = (sign, PART * rarity(part) * self.share)
        out.order.append(word)
        if self.stems[at] != word:
            out.spelt[word] = self.stems[at]

"""A person's message with what the session tells of it, and what both make of it together. Pure."""

from __future__ import annotations

import re
from collections import deque
from typing import TYPE_CHECKING, NamedTuple, Protocol

from improve.detectors import claims
from improve.detectors.finding import NONE, REVIEW, SURE, Finding, Verdict
from improve.detectors.trail import cut
from improve.session import ANSWER, DENIAL, MEMORY, SCRIPTED, Call, Turn

if TYPE_CHECKING:
    from improve.detectors.words import Moments

LONGEST = 4_000
"""Characters of a person's words that are kept."""
OWNED_SURE = 0.85
"""Confidence from which words that the agent itself owned up to are counted without asking."""
QUOTE = 500
"""Characters from which a quotation is a pasted text."""
_FENCED = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", re.DOTALL)
_OPENS = re.compile(r"(?<![\w\"])\"|[“«„「]|```")
_CLOSES = {'"': ('"',), "“": ("”",), "«": ("»",), "„": ("“", "”"), "「": ("」",), "```": ("```",)}
_LEFT_OUT = "“…”"
_BEGINNING, _END = 30_000, 10_000
"""Characters of a message of any length that are judged."""
_COMPARED, _REMEMBERED = 400, 200
_ALIKE, _AGAIN = 90, 85


class Judge(Protocol):
    """What tells from the words, what was said before and after them, and the moment, whether they are a signal."""

    def __call__(self, text: str, before: str = "", after: str = "", *, moments: Moments = ...) -> Verdict:
        """Judge a message."""


class Message(NamedTuple):
    """A person's words, and what was known when they came and soon after."""

    turn: Turn
    number: int
    words: str
    how: str
    before: str = ""
    """The end of the agent's last words."""
    calls: tuple[Call, ...] = ()
    """What the agent had called since the person spoke before."""
    did: str = ""
    """The last of it in one line."""
    ordinal: int = 0
    """How many messages of a person came before."""
    stopped: bool = False
    """The person stopped the agent right before."""
    refused: str = ""
    """The call that the person refused right before, or with these words."""
    failed: bool = False
    """The last call before it failed."""
    repeated: int = 0
    """How many messages of this session said much the same before."""
    admission: str = ""
    """The sentence in which the agent then owned up to a mistake, or agreed."""
    owned: str = ""
    """`strong` when it owned up, `weak` when it only agreed."""
    foreign: bool = False
    """The refused call was one of a server, whose error may claim a refusal in the same words as the host."""
    undone: bool = False
    """The agent then threw work away."""


def judged(words: str) -> str:
    """Give what is judged of a person's words: without long quotations, and of a page without end both its ends."""
    left = unquoted(words)
    return left if len(left) <= _BEGINNING + _END else f"{left[:_BEGINNING]}\n{left[-_END:]}"


def unquoted(words: str) -> str:
    """Leave out what was pasted at length, between quotation marks or in a fence: somebody else says it.

    >>> unquoted("as he says")
    'as he says'
    """
    if len(words) <= QUOTE:
        return words
    kept, at, past, absent = list[str](), 0, 0, set[str]()
    for found in _OPENS.finditer(words):
        begin = found.start()
        if begin < past:
            continue
        end = _closed(words, found.end(), found[0], absent)
        past = max(past, end)
        if end - found.end() > QUOTE:
            kept += [words[at:begin], _LEFT_OUT]
            at = end
    return "".join((*kept, words[at:]))


def _closed(words: str, begin: int, mark: str, absent: set[str]) -> int:
    """Find where a quotation ends, -1 where it does not; a fence that nothing closes ends with the text.

    Args:
        absent: Marks that do not come any more, so that no text is searched for them again and again.
    """
    ends = []
    for closing in _CLOSES[mark]:
        end = -1 if closing in absent else words.find(closing, begin)
        if end >= 0:
            ends.append(end + len(closing))
        else:
            absent.add(closing)
    return min(ends, default=len(words) if mark == "```" else -1)


def framed(words: str) -> bool:
    """Tell a line that announces a text from a message of one's own: `Sum this up:` and a page below it."""
    head, _, rest = words.strip().partition("\n")
    return len(rest) > QUOTE and head.rstrip().endswith((":", "：", "»", "”"))


class Heard:
    """What a person said in this session so far, to know a repetition."""

    def __init__(self) -> None:
        self._said: deque[str] = deque(maxlen=_REMEMBERED)
        self._told: deque[str] = deque(maxlen=_REMEMBERED)

    def again(self, words: str) -> int:
        """Count the earlier messages that said much the same, and remember this one."""
        plain = _plain(words)
        times = 0 if len(plain) < 8 or claims.goes_on(words) else _alike(plain, self._said, _AGAIN)
        self._said.append(plain)
        return times

    def once(self, words: str, *, nearly: bool) -> bool:
        """Tell whether nothing found in this session had these words, or nearly these."""
        plain = _plain(words)
        if plain in self._told or (nearly and _alike(plain, self._told, _ALIKE)):
            return False
        self._told.append(plain)
        return True


def _plain(words: str) -> str:
    return " ".join(words[:_COMPARED].casefold().split()).strip(" .,!?;:。，！？")


def _alike(plain: str, others: deque[str], least: int) -> int:
    from rapidfuzz import fuzz, process

    return len(process.extract(plain, others, scorer=fuzz.ratio, score_cutoff=least, limit=9))


def settle(message: Message, after: str, *, headless: bool, judge: Judge) -> tuple[Finding | None, str]:
    """Judge a message when all its evidence is there; give the finding, if it is one, and why."""
    if claims.goes_on(message.words):
        return None, "an approval, or a word to go on"
    verdict = judge(_FENCED.sub("\n", message.words), message.before, after, moments=_moments(message))
    failing = claims.claimed(message.before) if claims.fails(message.words) else None
    scripted = headless or message.how == SCRIPTED
    verdict = _halved(verdict) if scripted else _weighed(message, verdict, failing)
    if verdict.tier == NONE:
        return None, f"no signal ({verdict.confidence:.2f}){'; a script may have written it' if scripted else ''}"
    turn = message.turn
    found = Finding(
        verdict.signal, verdict.severity, message.words[:LONGEST], round(verdict.confidence, 4), verdict.tier,
        verdict.durable, verdict.rank, verdict.rule, _did(message, failing), turn.at, turn.id, turn.offset,
    )  # fmt: skip
    told = f"{verdict.signal}, {verdict.tier} ({verdict.confidence:.2f})"
    return found, "; ".join([told, *_evidence(message, failing)])


def _halved(verdict: Verdict) -> Verdict:
    """Take what a script may have written for no more than worth a look."""
    return verdict if verdict.tier == NONE else verdict._replace(tier=REVIEW, confidence=verdict.confidence / 2)


def _weighed(message: Message, verdict: Verdict, failing: claims.Claim | None) -> Verdict:
    """Weigh the verdict on the words by how they came in, and by what happened around them."""
    if message.how == DENIAL:
        verdict = _denial(message, verdict)
    elif message.how == MEMORY:
        verdict = _wish(verdict)
    else:
        verdict = _raised(message, verdict, failing)
    pasted = framed(message.words) or len(message.words) > LONGEST
    return verdict._replace(tier=REVIEW) if (pasted or message.foreign) and verdict.tier == SURE else verdict


def _moments(message: Message) -> Moments:
    from improve.detectors.words import Moments
    from improve.session import EDIT, SHELL, WRITE

    return Moments(
        turn_index=message.ordinal,
        interrupted_before=message.stopped,
        denied=bool(message.refused),
        just_edited=any(call.kind in (EDIT, WRITE) for call in message.calls),
        just_ran=any(call.kind == SHELL for call in message.calls),
        failed=message.failed,
        repeated=message.repeated,
    )


def _did(message: Message, failing: claims.Claim | None) -> str:
    """Say in one line what the agent had done: what it claimed or owned up to tells more than its last call."""
    if failing is not None:
        return f"said: {cut(failing.words)}"
    if message.owned == claims.STRONG:
        return f"said: {cut(message.admission)}"
    if message.refused or message.did:
        return message.refused or message.did
    last = claims.sentences(message.before)[-1:]
    return f"said: {cut(last[0])}" if last else ""


def _evidence(message: Message, failing: claims.Claim | None) -> list[str]:
    """Say what in the session speaks for it."""
    told = {
        "the agent was stopped right before": message.stopped,
        f"refused: {message.refused}": message.refused,
        f"the agent had said: {failing.words if failing else ''}": failing,
        f"the agent then said: {message.admission}": message.admission,
        "the agent then threw work away": message.undone,
        f"said {message.repeated + 1} times in this session": message.repeated,
    }
    return [words for words, holds in told.items() if holds]


def _denial(message: Message, verdict: Verdict) -> Verdict:
    """Take the reason of a refusal for what it is: the person says no, and says why."""
    asks = message.words.rstrip().endswith(("?", "？"))
    confidence = max(verdict.confidence, 0.7 if asks else 0.9)
    tier = SURE if verdict.tier == SURE or not asks else REVIEW
    return verdict._replace(signal="denial", severity=max(verdict.severity, 2), confidence=confidence, tier=tier)


def _wish(verdict: Verdict) -> Verdict:
    """Take what was typed to be remembered for that."""
    return verdict._replace(
        signal="remember", durable=True, severity=max(verdict.severity, 2), confidence=max(verdict.confidence, 0.95),
        tier=SURE, rank=max(verdict.rank, 0.9),
    )  # fmt: skip


def _raised(message: Message, verdict: Verdict, failing: claims.Claim | None) -> Verdict:
    """Weigh what happened around the words together with them."""
    signal, weight, left = _around(message, failing)
    if verdict.tier == NONE:
        if not signal or not _says_something(message):
            return verdict
        severity, confidence = _cost(signal, 2, failing), max(verdict.confidence, weight)
        return verdict._replace(signal=signal, tier=REVIEW, confidence=confidence, severity=severity)
    confidence = 1 - (1 - verdict.confidence) * left
    named = signal if signal not in ("", "admission") and verdict.signal == "correction" else verdict.signal
    named = "waste" if named == "correction" and claims.wasted(message.words) else named
    strong = message.owned == claims.STRONG
    tier = SURE if strong and confidence >= OWNED_SURE else verdict.tier
    small = 2 if signal or verdict.rule or verdict.durable else 1  # what lasts, or had made trouble, is no trifle
    severity = _cost(named, max(verdict.severity, small), failing)
    rank = min(1.0, verdict.rank + 0.1 * strong)
    return verdict._replace(signal=named, confidence=confidence, tier=tier, severity=severity, rank=rank)


def _around(message: Message, failing: claims.Claim | None) -> tuple[str, float, float]:
    """Name what happened around the words, the most telling first; how likely it makes a signal of words that are none;
    and how much it leaves of the doubt about words that are one.

    The judge knows of stops and refusals and has weighed them already.
    """
    found = [
        ("denial", 0.5, 1.0, bool(message.refused)),
        ("contradicted", 0.5, 0.6, failing is not None),
        ("admission", 0.5, 0.4, message.owned == claims.STRONG),
        ("interrupt", 0.3, 1.0, message.stopped),
        ("correction", 0.4, 0.5, message.undone),
        ("", 0.0, 0.8, message.owned == claims.WEAK),
    ]
    holding = [row for row in found if row[3]]
    left = 1.0
    for _, _, doubt, _ in holding:
        left *= doubt
    return (holding[0][0], holding[0][1], left) if holding else ("", 0.0, left)


def _says_something(message: Message) -> bool:
    """Tell words that may give a reason from an answer and from a question that the agent did not own up to."""
    words = message.words.strip()
    if len(words) < 4 or message.how == ANSWER or claims.praises(words):
        return False
    return message.owned == claims.STRONG or not words.endswith(("?", "？"))


def _cost(signal: str, severity: int, failing: claims.Claim | None) -> int:
    """A claim of success that was false costs more than a mistake that was not covered up."""
    if signal == "contradicted" and failing is not None:
        return max(severity, 4 if failing.checked else 3)
    return severity

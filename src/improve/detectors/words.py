"""What the words of one message are taken for: a correction, a preference, a complaint, a wish to remember, or none.

A linear model over traits and hashed words says how likely each is; what the session knows besides the words moves that
by fixed steps. Nothing is learned at run time. Pure.
"""

from __future__ import annotations

from math import log
from typing import NamedTuple

from improve import cue
from improve.detectors.features import Features, features
from improve.detectors.finding import NONE, REVIEW, SURE, Verdict
from improve.detectors.model import Model, likelihood, loaded, scores
from improve.detectors.phrasing import phrase

SIGNALS = ("correction", "preference", "frustration", "remember")
_NOTHING = Verdict("none", durable=False, severity=0, confidence=0.0, tier=NONE)


class Moments(NamedTuple):
    """What a session tells of the moment a message was typed in; the defaults say that nothing is known."""

    turn_index: int | None = None
    """How many messages of the person stand before this one."""
    interrupted_before: bool = False
    """The person stopped the agent right before."""
    denied: bool = False
    """It is the reason of a denial."""
    just_ran: bool = False
    """The agent ran a command since the person's last message."""
    just_edited: bool = False
    """The agent changed a file since then."""
    failed: bool = False
    """The last thing the agent did failed."""
    repeated: int = 0
    """How often the same person asked for the same before."""


UNKNOWN = Moments()
_STEPS = {"interrupted_before": 1.0, "denied": 2.5, "just_edited": 0.2, "just_ran": 0.0, "failed": 0.0}
"""Log-odds added for a signal; set by hand and low, for no labelled message has these."""
_PHRASED = 6.0
"""Log-odds for words so clear that a rule could be phrased."""
_FAR_OFF = -4.0
"""Log-odds below which no rule is looked for in the words."""
_PER_REPEAT, _MOST_REPEATS = 0.7, 3


def judge(text: str, before: str = "", after: str = "", *, moments: Moments = UNKNOWN) -> Verdict:
    """Say what a person's message is.

    >>> judge("Add a login page").tier
    'none'

    Args:
        before: The end of the agent's last text; empty where there is none.
        after: The start of the person's next message, where it is known.
        moments: What else the session tells.
    """
    words = cue.words_only(text)
    if cue.typed_by_nobody(words) or cue.is_ours(text):
        return _NOTHING
    model = loaded()
    found = features(words, before, after, turn=moments.turn_index)
    if not found.words:
        return _NOTHING
    signal, durable = scores(found, model, range(2))
    rule = phrase(text) if max(signal, durable) > _FAR_OFF else ""
    extra = evidence(moments) + (_PHRASED if rule else 0)
    confidence = likelihood(model.at["signal slope"] * signal + model.at["signal shift"] + extra)
    rank = likelihood(model.at["durable slope"] * durable + model.at["durable shift"] + extra / 2)
    tier = _tier(model, confidence, rank)
    if tier == NONE:
        return Verdict(
            "none", durable=False, severity=0, confidence=round(confidence, 4), tier=NONE, rank=round(rank, 4)
        )
    lasting = rank >= model.at["durable"]
    return Verdict(
        *_named(found, model, lasting),
        confidence=round(confidence, 4),
        tier=tier,
        rank=round(rank, 4),
        rule=rule,
    )


def evidence(moments: Moments) -> float:
    """Add up what the session says for a signal besides the words, in log-odds."""
    steps = sum(step for name, step in _STEPS.items() if getattr(moments, name))
    return steps + _PER_REPEAT * log(1 + min(moments.repeated, _MOST_REPEATS)) / log(2)


def _tier(model: Model, confidence: float, rank: float) -> str:
    if confidence >= model.at["sure"]:
        return SURE
    return REVIEW if confidence >= model.at["review"] or rank >= model.at["review durable"] else NONE


def _named(found: Features, model: Model, lasting: bool) -> tuple[str, bool, int]:
    """Name the signal and how much it matters, once it is taken for one."""
    names = model.heads[2:]
    told = scores(found, model, range(2, len(model.heads)))
    above = {name: score - model.at.get(name, 0.0) for name, score in zip(names, told, strict=True)}
    best = max(SIGNALS[1:], key=lambda name: above[name])
    signal = best if above[best] > 0 else SIGNALS[0]
    severity = 3 if above["costly"] > 0 or signal == "frustration" else 1 if above["small"] > 0 else 2
    return signal, lasting, severity

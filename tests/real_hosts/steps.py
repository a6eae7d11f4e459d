"""Which steps the loop has, and how they are taken."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import NamedTuple, Protocol

STEPS: dict[str, str] = {
    "rules": "",
    "install": "",
    "brief": "install",
    "resume": "brief",
    "inbox": "resume",
    "occasion": "inbox",
    "escalate": "install",
    "off": "install",
    "on": "off",
    "gone": "install",
    "uninstall": "install",
}
"""The steps in order, each with the step it cannot do without."""


class Steps(Protocol):
    """Something with a method for each step."""

    reached: set[str]
    """Steps that left what later ones need, whatever was wrong with them."""


class Outcome(NamedTuple):
    """How one step ended."""

    step: str
    state: str
    """`ok`, `failed` or `skipped`."""
    reason: str
    seconds: float


def play(loop: Steps) -> Iterator[Outcome]:
    """Take every step that can be taken."""
    states: dict[str, str] = {}
    for step, needed in STEPS.items():
        started = time.monotonic()
        if needed and states[needed] != "ok" and needed not in loop.reached:
            state, reason = "skipped", f"it needs {needed}"
        else:
            state, reason = _take(getattr(loop, step))
        states[step] = state
        yield Outcome(step, state, reason, time.monotonic() - started)


def _take(step: Callable[[], None]) -> tuple[str, str]:
    try:
        step()
    except Exception as exc:  # a step that breaks is one that failed; the next may still be taken
        return "failed", str(exc) if isinstance(exc, AssertionError) else repr(exc)
    return "ok", ""

"""What the tests of all readers share: a session told in short, and where real transcripts are."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from improve.session import AGENT, Body, Session, Turn

SESSIONS = Path(__file__).parents[1] / "data" / "sessions"
"""Recorded sessions, one directory a host; they come with the project."""

_NAMED = os.environ.get("IMPROVE_DATA", "")  # read at import: the fence takes the variable away before a test runs
REAL = Path(_NAMED) / "transcripts" if _NAMED and (Path(_NAMED) / "transcripts").is_dir() else None
"""Where real public transcripts are, one directory a host; they do not come with the project."""

needs_real = pytest.mark.skipif(REAL is None, reason="no real transcripts: set IMPROVE_DATA to the folder of them")

Told = tuple[str, str, str]


def real(host: str, name: str = "") -> Path:
    """Name the real transcripts of a host, or one of them, in a test that needs them."""
    if REAL is None:
        pytest.skip("no real transcripts: set IMPROVE_DATA to the folder of them")
    return REAL / host / name if name else REAL / host


def short(turn: Turn) -> Told:
    """Give (who, how or what failed, text): results as `ended:reason` or `failed`, calls as `kind subject`."""
    body: Body = turn.body
    if body.results:
        states = (
            r.ended + (f": {r.reason}" if r.reason else "") or ("failed" if r.failed else "ok") for r in body.results
        )
        return turn.who, ", ".join(states), body.text
    if turn.who == AGENT:
        return turn.who, ", ".join(f"{call.kind} {call.subject}".strip() for call in body.calls), body.text
    return turn.who, turn.how, body.text


def tell(turns: Iterable[Turn]) -> list[Told]:
    """Tell turns, or a whole session, in short."""
    return [short(turn) for turn in turns]


@pytest.fixture
def told() -> Callable[[Session], list[Told]]:
    """Give the function that tells a session in short."""
    return tell

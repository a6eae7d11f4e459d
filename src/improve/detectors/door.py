"""Judge messages that come as JSON lines. Pure."""

from __future__ import annotations

import json
from math import inf

from improve.detectors.words import Moments, judge

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

_OPTIONAL = ("prev_assistant", "next_user")
_BOM = "\ufeff"
_LATEST = 1 << 53
"""More messages than any session has; no float is as large as some numbers are."""


def answer(lines: Iterable[str]) -> Iterator[tuple[str, bool]]:
    """Answer each line, blank ones too, with one line, ASCII only, and whether it could be judged."""
    for line in lines:
        identity, problem, row = _read(line)
        told = {"id": identity, "error": problem} if problem else {"id": identity, **_judged(row)}
        yield json.dumps(told), not problem


def _read(line: str) -> tuple[object, str, dict[str, Any]]:
    """Give the id, what is wrong if anything is, and the message."""
    try:
        row = json.loads(line.removeprefix(_BOM))
    except (ValueError, RecursionError):
        return None, "not a JSON object", {}
    if not isinstance(row, dict):
        return None, "not a JSON object", {}
    identity = row.get("id")
    if not isinstance(identity, str | int | float | None) or identity != identity or identity in (inf, -inf):
        return None, "id is neither text nor a number", {}
    if not isinstance(row.get("text"), str):
        return identity, "text is missing or not text", {}
    for name in _OPTIONAL:
        if not isinstance(row.get(name), str | None):
            return identity, f"{name} is not text", {}
    turn = row.get("turn_index")
    if isinstance(turn, bool) or not isinstance(turn, int | None):
        return identity, "turn_index is not a whole number", {}
    return identity, "", row


def _judged(row: dict[str, Any]) -> dict[str, Any]:
    before, after = (row.get(name) or "" for name in _OPTIONAL)
    turn = row.get("turn_index")
    moments = Moments(turn_index=turn if turn is None else min(turn, _LATEST))
    found = judge(row["text"], before, after, moments=moments)
    told = {name: getattr(found, name) for name in ("signal", "durable", "severity", "confidence", "tier", "rank")}
    return told | ({"rule": found.rule} if found.rule else {})

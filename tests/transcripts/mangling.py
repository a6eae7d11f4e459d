"""What the tests of readers do to recorded rows: strange rows among them, values of wrong kinds in them."""

from __future__ import annotations

import copy
import json
from typing import Any

from hypothesis import strategies as st

_STRANGE: list[Any] = [
    {},
    {"type": "news", "payload": {"type": "news"}},
    {"type": 3, "payload": []},
    {"timestamp": "2026-01-01T00:00:00Z", "type": "event_msg", "payload": {"type": "something_new", "message": "x"}},
    {"timestamp": "2026-01-01T00:00:00Z", "type": "response_item", "payload": {"type": "news"}},
    {"id": "strange", "type": "news", "content": [{"text": "x"}]},
    {"type": "system", "subtype": "news", "uuid": "strange", "systemPayload": {"text": "x"}},
    {"$news": {"messages": []}},
]
_WRONG: list[Any] = [None, 3, -1.5, True, "", "x", [], {}, [None], [[]], {"text": 3}, [{"type": []}], "\ud800", "2026"]


def strange(data: bytes, draw: st.DataObject) -> bytes:
    """Put rows of unknown types among the lines."""
    lines = data.splitlines(keepends=True)
    for _ in range(draw.draw(st.integers(1, 6))):
        row = draw.draw(st.sampled_from(_STRANGE))
        lines.insert(draw.draw(st.integers(1, len(lines))), json.dumps(row).encode() + b"\n")
    return b"".join(lines)


def mangled(data: bytes, draw: st.DataObject) -> bytes:
    """Replace or take away some values in some rows."""
    rows = [json.loads(line) for line in data.splitlines() if line.strip()]
    for _ in range(draw.draw(st.integers(1, 8))):
        place: Any = rows
        while isinstance(place, dict | list) and place:
            keys = list(place) if isinstance(place, dict) else list(range(len(place)))
            key = draw.draw(st.sampled_from(keys))
            inner = place[key]
            if not isinstance(inner, dict | list) or not inner or draw.draw(st.integers(0, 4)) == 0:
                place[key] = copy.deepcopy(draw.draw(st.sampled_from(_WRONG)))
                break
            place = inner
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)

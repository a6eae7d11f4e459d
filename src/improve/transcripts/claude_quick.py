"""What a line of a Claude Code transcript is, told from its bytes where they leave no doubt.

Most of a transcript are results of tools that went well, and of those nobody wants the text: parsing them would be
nearly all the time a scan takes. So a line is parsed only when its bytes do not say enough. What makes them sure: in
JSON a quotation mark inside a string is written with a backslash before it, so `"is_error"` with bare marks is never a
part of what a tool printed; and a key that no brace stands before, but the first, belongs to the record itself. Any
other order of keys, any blank between them, and the line is parsed.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from improve.session import AGENT, TOOL, Body, Turn
from improve.transcripts.base import parsed

PARSE = Turn("")
"""The answer when the bytes do not say enough."""

_HEAD, _TAIL = 2_000, 1_500
"""Bytes before the type of a record, and behind it in a record of the agent, where they are as usual."""
_TYPE = b'"type":"'
_USER = b'user","message":{"role":"user","content":[{"tool_use_id":"'
_RESULT = b'","type":"tool_result","content":'
_AGENT = b',"type":"assistant","uuid":"'
_END = b'}]},"uuid":"'
_FINE = b'"is_error":false'
_TIME = b'","timestamp":"'
_DETAIL = b',"toolUseResult":'
_PLAIN = (
    b'{"type":', b'{"filePath":', b'{"mode":', b'{"filenames":', b'{"success":', b'{"oldTodos":', b'{"status":',
    b'{"plan":', b'{"bytes":', b'{"query":', b'[', b'"',
)  # fmt: skip
"""How what a tool gave begins when it holds neither a person's answers nor word of a stop."""
_LOOKED_AT = (b"user", b"assistant", b"system", b"attachment", b"queue-operation", b"message")


def quick(block: bytes, at: int, stop: int, bodies: Bodies) -> Turn | None:
    """Give the turn of a line, None when it holds none, `PARSE` when only parsing tells."""
    if block[at] != 123 or block[stop - 1] != 125:  # { }
        return PARSE
    kind = block.find(_TYPE, at, min(at + _HEAD, stop)) + 8
    if kind < 8:
        return PARSE
    inner = block.find(b"{", at + 1, kind)
    if inner >= 0:
        return _nested(block, (at, inner, kind, stop), bodies)
    if block.startswith(_USER, kind):
        return _result(block, at, kind + len(_USER), stop, bodies)
    if block.startswith(b'system"', kind):
        return PARSE if block.find(b"compact", kind, stop) >= 0 else None
    return PARSE if block.startswith(_LOOKED_AT, kind) else None


Bodies = tuple[Callable[[dict[str, Any]], Body], Callable[[dict[str, Any]], Body]]
"""What reads the body of an agent's row, and of a row of results."""


def _nested(block: bytes, spots: tuple[int, int, int, int], bodies: Bodies) -> Turn | None:
    """Tell a line in which the first type is that of something inside the record."""
    at, inner, kind, stop = spots
    if block.find(b"{", inner + 1, kind) >= 0:
        return PARSE
    if block.endswith(b'"message":', at, inner) and block.startswith(b"message", kind):
        return _agent(block, at, kind, stop, bodies)
    if block.endswith(b'"attachment":', at, inner) and not block.startswith(b"queued", kind):
        return None if block.rfind(b'"type":"attachment"', kind, stop) >= 0 else PARSE
    return PARSE


def _agent(block: bytes, at: int, kind: int, stop: int, bodies: Bodies) -> Turn:
    """Give a turn of the agent that is parsed when somebody asks for what it said."""
    tail = block.rfind(_AGENT, max(kind, stop - _TAIL), stop)
    if tail < 0 or block.find(b"{", tail, stop) >= 0 or block.find(b"}", tail, stop) != stop - 1:
        return PARSE
    if block.find(b'"isApiErrorMessage"', tail, stop) >= 0 or block.find(b'"<synthetic>"', at, kind + 200) >= 0:
        return PARSE
    return _turn(block, (at, tail + len(_AGENT), stop), AGENT, bodies[0])


def _result(block: bytes, at: int, call: int, stop: int, bodies: Bodies) -> Turn:
    """Give a turn of one result that went well; all others are parsed."""
    named = block.find(b'"', call, call + 100)
    if named < 0 or not block.startswith(_RESULT, named):
        return PARSE
    end = block.find(_END, named, stop)
    if end < 0:
        return PARSE
    failed = block.find(b'"is_error"', named, end)
    if failed >= 0 and not (failed == end - len(_FINE) and block.startswith(_FINE, failed)):
        return PARSE
    rest = end + len(_END) + 76  # behind the uuid and the time
    if block.startswith(_DETAIL, rest):
        rest += len(_DETAIL)
        if not block.startswith(_PLAIN, rest) and _is_special(block, rest, stop):
            return PARSE
    elif block.find(_DETAIL, rest, stop) >= 0:
        return PARSE
    return _turn(block, (at, end + len(_END), stop), TOOL, bodies[1])


def _is_special(block: bytes, rest: int, stop: int) -> bool:
    """Tell whether what a tool gave may hold a person's answers, or that it was stopped."""
    stopped = block.rfind(b'"interrupted"', rest, stop)
    if stopped >= 0 and not block.startswith(b'"interrupted":false', stopped):
        return True
    return not block.startswith(b'{"stdout":', rest) and block.find(b'"answers"', rest, stop) >= 0


def _turn(block: bytes, spots: tuple[int, int, int], who: str, body: Callable[[dict[str, Any]], Body]) -> Turn:
    """Give a turn whose uuid of 36 letters and time of 24 stand where they usually do."""
    at, uuid, stop = spots
    time = uuid + 36
    if not block.startswith(_TIME, time) or block[time + 39] != 34:
        return PARSE
    line = block[at:stop]
    return Turn(
        who, id=block[uuid:time].decode("latin-1"), at=block[time + 15 : time + 39].decode("latin-1"),
        load=partial(_load, body, line),
    )  # fmt: skip


def _load(body: Callable[[dict[str, Any]], Body], line: bytes) -> Body:
    row = parsed(line)
    return Body() if row is None else body(row)

"""What a line of a Claude Code transcript is, told from its bytes where they leave no doubt.

Most of a transcript are results of tools that went well, and of those nobody wants the text: parsing them would be
nearly all the time a scan takes. So a line is parsed only when its bytes do not say enough. What makes them sure: in
JSON a quotation mark inside a string is written with a backslash before it, so `"is_error"` with bare marks is never a
part of what a tool printed; and a key that no brace stands before, but the first, belongs to the record itself. Any
other order of keys, any blank between them, and the line is parsed.
"""

from __future__ import annotations

from typing import Any

from improve.session import AGENT, TOOL, Body, Turn
from improve.transcripts.base import parsed
from improve.transcripts.claude_body import given_in, said_in

PARSE = Turn("")
"""The answer when the bytes do not say enough."""

_HEAD, _TAIL = 2_000, 1_500
"""Bytes before the type of a record, and behind it in a record of the agent, where they are as usual."""
_OPENS, _CLOSES = b"{}"
_PARENT = b'{"parentUuid":"'
_BEHIND = len(_PARENT) + 36
_TYPE = b'"type":"'
_MESSAGE, _ATTACHMENT = b'"message":', b'"attachment":'
_MODEL = b'"model":"'
_SAYS, _PROGRESS = b'"message":{"model":"claude', b'"type":"progress","data":{'
_USER = b'"type":"user","message":{"role":"user","content":[{"tool_use_id":"'
_RESULT = b'","type":"tool_result","content":'
_AGENT = b',"type":"assistant","uuid":"'
_USER_SIZE, _AGENT_SIZE = len(_USER), len(_AGENT)
_END = b'}]},"uuid":"'
_NEXT = b'},{"type":"text"'
_WORDS = 16_000
"""Bytes before the end of a result in which words are looked for that a person typed while allowing the call."""
_FINE, _BAD = b'"is_error":false', b'"is_error":true'
_TIME = b'","timestamp":"'
_RECORD = 36 + len(_TIME) + 24
"""Bytes of a uuid, and of the time beside it."""
_DETAIL = b',"toolUseResult":'
_END_SIZE, _DETAIL_SIZE = len(_END), len(_DETAIL)
_DONE = (b'{"type":', b'{"filePath":', b'{"mode":', b'{"filenames":')
"""How what a tool for files gave begins, which it gives only when it went well."""
_PLAIN = (b'{"success":', b'{"oldTodos":', b'{"status":', b'{"plan":', b'{"bytes":', b'{"query":', b"[", b'"')
"""How what another tool gave begins when it holds neither a person's answers nor word of a stop."""
_LOOKED_AT = (b"user", b"assistant", b"system", b"attachment", b"queue-operation", b"message")


class Quick(Turn):
    """A turn that is a stretch of bytes until somebody asks what is in it."""

    __slots__ = ("_data", "_line", "_uuid", "key")

    def __init__(self, who: str, data: bytes, line: tuple[int, int], uuid: int) -> None:
        self.who, self.how, self.failed, self.offset = who, "", False, 0
        self._data, self._line, self._uuid = data, line, uuid
        self.key = data[uuid : uuid + 36]

    def __getattr__(self, name: str) -> Any:
        """Read what was not read yet."""
        if name == "id":
            self.id = self.key.decode("latin-1")
        elif name == "at":
            begin = self._uuid + 36 + len(_TIME)
            self.at = self._data[begin : begin + 24].decode("latin-1")
        elif name == "_load":
            self._load = self._parse
        else:
            raise AttributeError(name)
        return getattr(self, name)

    def _parse(self) -> Body:
        row = parsed(self._data[slice(*self._line)])
        self._data = b"" if hasattr(self, "at") else self._data
        if row is None:
            return Body()
        return said_in(row) if self.who == AGENT else given_in(row)


class Lines:
    """Tells the lines of one file; how these are written hardly changes in it, so most are told by what was learned."""

    def __init__(self) -> None:
        self._mine, self._user = b"\n", b"\n"
        """What stands between the uuid of its parent and the message of an agent's record, and the type of a user's."""
        self._tail = b"\n"
        """What stands behind the time of an agent's record."""
        self._said, self._asked, self._back = 0, 0, 0
        """Where, from the beginning of a record, these two begin; where its uuid does, from the end."""

    def turn(self, data: bytes, at: int, stop: int) -> Turn | None:
        """Give the turn of a line, None when it holds none, `PARSE` when only parsing tells."""
        if data[stop - 1] != _CLOSES:
            return PARSE
        if data.startswith(_PARENT, at):
            behind = at + _BEHIND
            if data.startswith(self._mine, behind):
                here = at + self._said
                if data.startswith(_SAYS, here):
                    uuid = stop - self._back
                    if (
                        data.startswith(self._tail, uuid + _RECORD)
                        and data.startswith(_AGENT, uuid - _AGENT_SIZE)
                        and data.startswith(_TIME, uuid + 36)
                    ):
                        return Quick(AGENT, data, (at, stop), uuid)
                elif data.startswith(_PROGRESS, here):
                    return None
            if data.startswith(self._user, behind):
                here = at + self._asked
                if data.startswith(_USER, here):
                    return _result(data, at, here + _USER_SIZE, stop)
        return self._look(data, at, stop)

    def _look(self, data: bytes, at: int, stop: int) -> Turn | None:
        """Tell a line about which nothing was learned."""
        kind = data.find(_TYPE, at, at + _HEAD)
        if data[at] != _OPENS or kind < 0 or kind > stop:
            return PARSE
        inner = data.find(b"{", at + 1, kind)
        if inner < 0:
            if data.startswith(_USER, kind):
                self._learn(data, at, user=kind)
                return _result(data, at, kind + _USER_SIZE, stop)
            kind += len(_TYPE)
            if data.startswith(b'system"', kind):
                return PARSE if data.find(b"compact", at, stop) >= 0 else None
            return PARSE if data.startswith(_LOOKED_AT, kind) else None
        kind += len(_TYPE)
        if data.find(b"{", inner + 1, kind) >= 0:
            return PARSE
        if data.startswith(b'message"', kind) and data.endswith(_MESSAGE, at, inner):
            turn = _agent(data, (at, stop), inner, kind)
            if turn is not PARSE and data.startswith(_SAYS, inner - len(_MESSAGE)):
                self._learn(data, at, agent=inner - len(_MESSAGE))
                self._tail = data[data.rfind(_TIME, at, stop) + len(_TIME) + 24 : stop]
                self._back = _RECORD + len(self._tail)
            return turn
        if data.endswith(_ATTACHMENT, at, inner) and not data.startswith(b"queued", kind):
            return None if data.rfind(b'"type":"attachment"', kind, stop) >= 0 else PARSE
        return PARSE

    def _learn(self, data: bytes, at: int, *, agent: int = 0, user: int = 0) -> None:
        """Remember what stands before a message, for the next line."""
        behind = at + _BEHIND
        if not data.startswith(_PARENT, at) or data[behind : behind + 2] != b'",':
            return
        if agent:
            self._mine, self._said = data[behind:agent], agent - at
        if user:
            self._user, self._asked = data[behind:user], user - at


def _agent(data: bytes, line: tuple[int, int], inner: int, kind: int) -> Turn:
    """Give a turn of the agent; what the program says in its place is parsed."""
    stop = line[1]
    tail = data.rfind(_AGENT, stop - _TAIL if stop - kind > _TAIL else kind, stop)
    if tail < 0 or data.find(b"}", tail, stop) != stop - 1:  # a brace that closes, and it was no key of the record
        return PARSE
    model = data.find(_MODEL, inner, kind + 200) + len(_MODEL)
    if model < len(_MODEL) or data.startswith(b"<", model):
        return PARSE
    uuid = tail + _AGENT_SIZE
    if data.find(b'"isApiErrorMessage"', max(kind, tail - 500), stop) >= 0 or not _is_usual(data, uuid):
        return PARSE
    return Quick(AGENT, data, line, uuid)


def _result(data: bytes, at: int, call: int, stop: int) -> Turn:
    """Give a turn of one result that went well; all others are parsed."""
    named = data.find(b'"', call, stop)
    if not data.startswith(_RESULT, named):
        return PARSE
    uuid = data.find(_END, named, stop) + _END_SIZE
    if uuid < _END_SIZE or not _is_usual(data, uuid):
        return PARSE
    end = uuid - _END_SIZE
    if data.find(_NEXT, end - _WORDS if end - named > _WORDS else named, end) >= 0:
        return PARSE
    rest = uuid + _RECORD + 1
    if data.startswith(_DETAIL, rest):
        rest += _DETAIL_SIZE
        if data.startswith(_DONE, rest):
            return PARSE if data.endswith(_BAD, named, end) else Quick(TOOL, data, (at, stop), uuid)
        if not data.startswith(_PLAIN, rest) and _is_special(data, rest, stop):
            return PARSE
    elif data.find(_DETAIL, rest, stop) >= 0:
        return PARSE
    failed = data.find(b'"is_error"', named, end)
    if failed >= 0 and not (failed == end - len(_FINE) and data.startswith(_FINE, failed)):
        return PARSE
    return Quick(TOOL, data, (at, stop), uuid)


def _is_usual(data: bytes, uuid: int) -> bool:
    """Tell whether a uuid of 36 letters and a time of 24 stand side by side."""
    return data.startswith(_TIME, uuid + 36) and data[uuid + 75 : uuid + 76] == b'"'


def _is_special(data: bytes, rest: int, stop: int) -> bool:
    """Tell whether what a tool gave may hold a person's answers, or that it was stopped."""
    stopped = data.rfind(b'"interrupted"', rest, stop)
    if stopped >= 0 and not data.startswith(b'"interrupted":false', stopped):
        return True
    return not data.startswith(b'{"stdout":', rest) and data.find(b'"answers"', rest, stop) >= 0

"""Turns of Copilot's events: `{type, id, timestamp, data}`, of types the program's SDK lists.

https://docs.github.com/en/copilot/how-tos/copilot-sdk
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from improve.session import (
    AGENT,
    ANSWER,
    BY_PERSON,
    BY_RULE,
    COMPACTED,
    CUT_OFF,
    FAILED,
    HOST,
    INTERRUPTED,
    QUEUED,
    REWOUND,
    SCRIPTED,
    STEERED,
    TOOL,
    TYPED,
    Call,
    Result,
    Session,
    Turn,
)
from improve.transcripts.base import clean
from improve.transcripts.calling import call
from improve.transcripts.moment import millis
from improve.transcripts.spoken import said
from improve.transcripts.whole import entries, mapping, moment

_NOT_TYPED = ("skill-", "system", "agent", "subagent", "autopilot", "hook", "jit-", "thinking-", "task-")
"""How the sources of messages begin that nobody typed."""
CONTEXT = "<skill-context"
"""How the text of a skill begins."""
_HOW = {"steering": STEERED, "queued": QUEUED, "enqueue": QUEUED}
_FEEDBACK = "User feedback: "
_REJECTED = "The user rejected"
_FIRST_MARKED = (1, 0, 64)
"""Since this version at the latest a terminal's session says which model it starts with, a script's does not."""
_FASTER = 2_500
"""Milliseconds between a session that goes on and a prompt within which nobody can have typed it."""


def learn(session: Session, row: dict[str, Any]) -> None:
    """Take in what an event tells of its session."""
    kind, data = row.get("type"), mapping(row.get("data"))
    if kind in ("session.start", "session.resume", "session.context_changed"):
        context = mapping(data.get("context")) or data
        session.cwd = clean(context.get("cwd")) or session.cwd
        session.branch = clean(context.get("branch")) or session.branch
    if kind == "session.start":
        session.id = clean(data.get("sessionId")) or session.id
        session.started = moment(data.get("startTime")) or moment(row.get("timestamp"))
        session.headless = _version(data.get("copilotVersion")) >= _FIRST_MARKED
    elif kind == "session.model_change" and data.get("source") == "startup":
        session.headless = False


def _version(text: object) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d{1,6}", clean(text).partition("-")[0])[:3])


def turns(session: Session, events: Iterable[tuple[int, dict[str, Any]]]) -> Iterator[Turn]:
    """Give the turns of a session's events, each once."""
    telling, seen = _Telling(session), set[str]()
    for at, row in events:
        kind, data, id = clean(row.get("type")), mapping(row.get("data")), clean(row.get("id"))
        if id and id in seen:
            continue
        seen.add(id)
        learn(session, row)
        tell = _TELL.get(kind)
        of_agent = kind == "user.message" and row.get("agentId")  # what the agent asked of a subagent
        if tell is not None and not of_agent:
            yield from tell(telling, data, {"at": moment(row.get("timestamp")), "id": id, "offset": at})


class _Telling:
    """What has to be known of the events before to tell the next one."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._denied: dict[str, tuple[str, str]] = {}
        self._running: dict[str, None] = {}
        self._resumed = 0.0

    def resumed(self, data: dict[str, Any], about: dict[str, Any]) -> Iterator[Turn]:
        """Take in when a session went on."""
        self._resumed = millis(data.get("resumeTime")) or millis(about["at"])
        return iter(())

    def user(self, data: dict[str, Any], about: dict[str, Any]) -> Iterator[Turn]:
        """Tell a message of a person, who had to have time to type it."""
        at_once = self._resumed > 0 and millis(about["at"]) - self._resumed < _FASTER
        turn = _spoken(data, SCRIPTED if self._session.headless or at_once else "", about)
        if turn:
            yield turn

    def answered(self, data: dict[str, Any], about: dict[str, Any]) -> Iterator[Turn]:
        """Tell the answer to a question that was typed, not chosen."""
        turn = said(data.get("answer"), how=ANSWER, **about) if data.get("wasFreeform") else None
        if turn:
            yield turn

    def assistant(self, data: dict[str, Any], about: dict[str, Any]) -> Iterator[Turn]:
        """Tell what the agent said and called."""
        text, calls = clean(data.get("content")), tuple(map(_call, entries(data.get("toolRequests"))))
        if text or calls:
            yield Turn(AGENT, text=text, calls=calls, **about)

    def permission(self, data: dict[str, Any], _: dict[str, Any]) -> Iterator[Turn]:
        """Take in how a question for permission was answered."""
        result, call_id = mapping(data.get("result")), clean(data.get("toolCallId"))
        kind = clean(result.get("kind"))
        if kind == "denied-interactively-by-user":
            self._denied[call_id] = BY_PERSON, clean(result.get("feedback")).strip()
        elif kind.startswith("denied"):
            self._denied[call_id] = BY_RULE, ""
        else:
            self._denied[call_id] = "", ""
        return iter(())

    def started(self, data: dict[str, Any], _: dict[str, Any]) -> Iterator[Turn]:
        """Take in that a call began."""
        self._running[clean(data.get("toolCallId"))] = None
        return iter(())

    def returned(self, data: dict[str, Any], about: dict[str, Any]) -> Iterator[Turn]:
        """Tell what came back from a call of the agent's."""
        call_id = clean(data.get("toolCallId"))
        self._running.pop(call_id, None)
        if not data.get("isUserRequested"):
            yield _returned(data, self._denied.pop(call_id, None), about)

    def aborted(self, _: dict[str, Any], about: dict[str, Any]) -> Iterator[Turn]:
        """Tell that a person stopped the agent; calls that ran then never come back."""
        results = tuple(Result(call_id, True, "", CUT_OFF) for call_id in self._running)
        self._running.clear()
        if results:
            yield Turn(TOOL, failed=True, results=results, **{**about, "id": f"{about['id']}:calls"})
        yield Turn(HOST, how=INTERRUPTED, **about)


def _compacted(_: _Telling, data: dict[str, Any], about: dict[str, Any]) -> Iterator[Turn]:
    if data.get("success") is not False:
        yield Turn(HOST, how=COMPACTED, **about)


def _rewound(_: _Telling, data: dict[str, Any], about: dict[str, Any]) -> Iterator[Turn]:
    if data.get("infoType", "rewind") == "rewind":
        yield Turn(HOST, how=REWOUND, **about)


def _failed(_: _Telling, data: dict[str, Any], about: dict[str, Any]) -> Iterator[Turn]:
    yield Turn(HOST, how=FAILED, text=clean(data.get("message")), **about)


_TELL: dict[str, Callable[[_Telling, dict[str, Any], dict[str, Any]], Iterator[Turn]]] = {
    "session.resume": _Telling.resumed,
    "user.message": _Telling.user,
    "user_input.completed": _Telling.answered,
    "assistant.message": _Telling.assistant,
    "permission.completed": _Telling.permission,
    "tool.execution_start": _Telling.started,
    "tool.execution_complete": _Telling.returned,
    "abort": _Telling.aborted,
    "session.compaction_complete": _compacted,
    "session.info": _rewound,
    "session.snapshot_rewind": _rewound,
    "session.error": _failed,
}


def _spoken(data: dict[str, Any], how: str, about: dict[str, Any]) -> Turn | None:
    text, source = clean(data.get("content")), clean(data.get("source"))
    if source.startswith(_NOT_TYPED) or text.startswith(CONTEXT):
        return None
    if data.get("parentToolCallId"):
        return None
    return said(text, how=how or _HOW.get(clean(data.get("delivery")), TYPED), **about)


def _call(request: dict[str, Any]) -> Call:
    return call(request.get("name"), request.get("arguments"), request.get("toolCallId"))


def _returned(data: dict[str, Any], denied: tuple[str, str] | None, about: dict[str, Any]) -> Turn:
    call_id, error, result = clean(data.get("toolCallId")), data.get("error"), mapping(data.get("result"))
    code = mapping(data.get("shellExecution")).get("exitCode")
    failed = data.get("success") is False or (isinstance(code, int | float) and code != 0)
    # the short form has the notes of hooks glued to it
    text = clean(result.get("detailedContent")) or clean(result.get("content")) or clean(data.get("result"))
    ended, reason = denied or ("", "")
    if isinstance(error, dict):
        text = text or clean(error.get("message"))
        if not ended:
            ended, reason = _ended(clean(error.get("message")), clean(error.get("code")), asked=denied is not None)
    return Turn(TOOL, failed=failed, results=(Result(call_id, failed, text, ended if failed else "", reason),), **about)


def _ended(message: str, code: str, *, asked: bool) -> tuple[str, str]:
    """Tell from an error alone who ended a call; when a person was asked and said yes, a tool only claims their no."""
    if message.startswith(_REJECTED) and not asked:
        return BY_PERSON, message.partition(_FEEDBACK)[2].strip()
    if code in ("denied", "rejected"):
        return BY_RULE, ""
    return (CUT_OFF, "") if code in ("aborted", "cancelled", "canceled") else ("", "")
